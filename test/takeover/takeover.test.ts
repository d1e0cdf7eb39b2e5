import { EVENTS, LEASES } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { TAKEOVER_CLOUDS } from './clouds.ts';
import { all, everything, writtenTo } from './everything.ts';
import type { TakeoverStage } from './stage.ts';
import { holdLease } from './writing.ts';

/** CI runs 500. */
const NODE_COUNT = Number(process.env['CHANDLER_TAKEOVER_NODES'] ?? '12');
const HOUR_MS = 60 * 60_000;
const KARPENTER = 'karpenter-6d4f9c7b5-x2x2x_0f1e2d3c-0000-4000-8000-000000000000';

let stage: TakeoverStage;
afterEach(() => stage.end());

async function holder(): Promise<string | undefined> {
  const leases = await all(stage, LEASES);
  const lease = leases.find(({ metadata }) => metadata.name === 'karpenter-leader-election');
  return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
}

function reconciles(controller: string): number {
  const mine = `controller_runtime_reconcile_total{controller="${controller}"`;
  const counts = [...stage.world.values].filter(([key]) => key.startsWith(mine));
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

describe.each(TAKEOVER_CLOUDS)(
  'a cluster that Karpenter runs on $title is taken over and handed back',
  (cloud) => {
    test(`${NODE_COUNT} nodes, one hour: nothing is written to a claim or a node, nothing to the cloud, none drifts`, async () => {
      const cluster = await cloud.start(NODE_COUNT);
      stage = cluster.stage;
      expect(cluster.names).toHaveLength(NODE_COUNT);
      // Older than an hour: from then on the types of nodes are held against what is offered.
      await stage.world.clock.advance(2 * HOUR_MS);
      const before = await everything(stage, cloud.nodeClasses);
      stage.forget();

      await holdLease(stage, KARPENTER);
      const operator = stage.operator(cluster.env);
      await stage.inTime(operator.start());
      for (let round = 0; round < 5; round++) {
        await stage.world.clock.advance(10_000);
        await holdLease(stage, KARPENTER);
      }
      expect(operator.isLeading, 'while Karpenter holds the lease').toBe(false);
      expect(stage.writes).toEqual([]);
      expect(stage.cloudWrites()).toEqual([]);

      await holdLease(stage, '');
      await stage.until('it leads', () => operator.isLeading, 20_000);
      await stage.world.clock.advance(HOUR_MS);
      expect(stage.cloudWrites().filter((line) => cloud.housekeeping?.test(line) !== true)).toEqual([]);
      expect(writtenTo(stage)).toEqual([]);
      expect(await everything(stage, cloud.nodeClasses)).toEqual(before);
      const events = (await all(stage, EVENTS)).map((event) => event['message']);
      // As upstream says it, too.
      expect(
        events.filter((message) => !/^No allowed disruptions for disruption reason/.test(`${message}`)),
      ).toEqual([]);
      // It was not asleep: every claim was held against its pool, its class and its instance.
      const least = {
        'nodeclaim.disruption': 12 * NODE_COUNT,
        'nodeclaim.garbagecollection': 29,
        ...cloud.reconciles(NODE_COUNT),
      };
      for (const [controller, count] of Object.entries(least))
        expect(reconciles(controller), controller).toBeGreaterThanOrEqual(count);

      await stage.inTime(operator.stop());
      expect((await holder()) ?? '', 'so that Karpenter leads at once').toBe('');
      expect(await everything(stage, cloud.nodeClasses)).toEqual(before);
    }, 180_000);
  },
);
