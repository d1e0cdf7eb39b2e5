/** Every scenario of Azure that the page offers, in one playground. */
import { commonPlays } from '../plays.table.ts';
import { playScenarios } from '../scenario-page.ts';

playScenarios(
  'azure',
  {
    ...commonPlays({ zone: 'eastus-2', slowNodes: 3 }),
    'quota-cut': {
      speed: 10,
      async after(page) {
        await page.untilHappened('InsufficientCapacityError', /quota/i);
        await page.untilText(/^Live$/);
        await (await page.nodes('Ready')).first().waitFor();
      },
    },
    'cse-failure': {
      async after(page) {
        await page.untilHappened('CSEFailed', /50/);
        await page.open('Claims');
        await page.page.getByLabel('Outcome').selectOption('failed');
        await page.untilText(/outbound|connectivity/i);
        await page.untilNodes(1);
      },
    },
    'byok-misconfiguration': {
      speed: 5,
      async during(page) {
        await page.untilStep(2);
        await page.open('Pending');
        await page.untilText('Deployment/vault');
        await page.unfold(/^Also suspicious/);
        await page.untilText(/AKSNodeClass default|disk encryption set/i);
        await page.untilNodes(0);
      },
      async after(page) {
        await page.untilNodes(1);
        await page.object('AKSNodeClass/default');
        await page.untilText('Conditions');
      },
    },
  },
  ['burst', 'cse-failure'],
);
