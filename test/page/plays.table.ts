/** What a person checks on the page, for scenarios that every cloud has. */
import type { Play } from './scenario-page.ts';

export interface CloudPlays {
  /** The name of the second one. */
  readonly zone: string;
  /** Nodes that the plan for seven pods, three of them of half a CPU, ends with after slow-registration. */
  readonly slowNodes: number;
}

export function commonPlays({ zone, slowNodes }: CloudPlays): Readonly<Record<string, Play>> {
  return {
    burst: {
      speed: 10,
      async during(page) {
        await page.open('Cluster');
        // The badge of the menu: pods that no node has capacity for.
        await page.page.locator('nav .badge').waitFor();
        await page.untilStep(3);
        const nodes = await page.nodes('Ready');
        await nodes.filter({ hasText: '$' }).first().waitFor();
        await page.untilText(/^15\d pods on them$/);
      },
      async after(page) {
        await page.untilNodes(0, '');
        await page.untilHappened('removed', /NodeClaim default-\w+ was removed/);
      },
    },
    consolidation: {
      speed: 10,
      async during(page) {
        await page.untilStep(2);
        await (await page.nodes('Ready')).first().waitFor();
      },
      async after(page) {
        await page.untilHappened('succeeded', 'disruption', /(delete|replace) /);
        await page.untilNodes(0, '');
      },
    },
    'drift-rollout': {
      async after(page) {
        await page.untilNodes(6);
        await page.untilHappened('Drifted', 'disruption');
        const name = await (await page.nodes('Ready')).first().locator('th .name').textContent();
        await page.object(`Node/${name}`);
        await page.unfold(/^\d+ labels$/);
        await page.untilText(/=two$/);
      },
    },
    'budget-window': {
      faster: { fromStep: 3, speed: 50 },
      async during(page) {
        await page.untilStep(3);
        await (await page.nodes('Ready')).first().waitFor();
        await page.untilHappened('DisruptionBlocked', /budget/);
      },
      async after(page) {
        await page.untilNodes(0, '');
      },
    },
    'zone-outage': {
      speed: 10,
      async during(page) {
        await page.untilStep(2);
        await (await page.nodes(zone)).first().waitFor();
      },
      async after(page) {
        // Of the zone that failed, only the node that was launched after it recovered.
        await page.untilNodes(1, zone);
        await page.untilHappened('removed', /NodeClaim default-\w+ was removed/);
      },
    },
    'slow-registration': {
      faster: { fromStep: 5, speed: 100 },
      async during(page) {
        await page.untilStep(2);
        await page.open('Pending');
        await page.untilText('Deployment/late');
      },
      async after(page) {
        await page.open('Claims');
        await page.page.getByLabel('Outcome').selectOption('failed');
        await page.untilText(/regist/i);
        await page.untilNodes(slowNodes);
      },
    },
  };
}
