import { EVENTS, type KubeObject, LEASES, NODES, type ResourceRef } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { addAksMachines } from './aks-vms.ts';
import { type TakeoverStage, takeoverStage } from './stage.ts';
import { holdLease, upstreamCluster } from './upstream-cluster.ts';

/** CI runs 500. */
const NODE_COUNT = Number(process.env['CHANDLER_TAKEOVER_NODES'] ?? '100');
const HOUR_MS = 60 * 60_000;
const KARPENTER = 'karpenter-6d4f9c7b5-x2x2x_0f1e2d3c-0000-4000-8000-000000000000';

let stage: TakeoverStage;
afterEach(() => stage.end());

const all = async (resource: ResourceRef) => (await stage.inTime(stage.admin.list(resource))).items;

/** Every object with all it has, so that nothing may change unseen. */
async function everything(): Promise<ReadonlyMap<string, KubeObject>> {
  const kinds = [NODE_CLAIMS, NODES, NODE_POOLS, AKS_NODE_CLASSES];
  const objects = (await Promise.all(kinds.map(all))).flatMap((items, at) =>
    items.map((item) => [`${kinds[at]!.plural}/${item.metadata.name}`, item] as const),
  );
  return new Map(objects);
}

async function holder(): Promise<string | undefined> {
  const lease = (await all(LEASES)).find(({ metadata }) => metadata.name === 'karpenter-leader-election');
  return (lease?.['spec'] as { holderIdentity?: string } | undefined)?.holderIdentity;
}

function reconciles(controller: string): number {
  const mine = `controller_runtime_reconcile_total{controller="${controller}"`;
  const counts = [...stage.world.values].filter(([key]) => key.startsWith(mine));
  return counts.reduce((sum, [, count]) => sum + count, 0);
}

describe('a cluster that Karpenter runs is taken over and handed back', () => {
  test(`${NODE_COUNT} nodes, one hour: nothing is written to a claim or a node, nothing to Azure, none drifts`, async () => {
    stage = await takeoverStage();
    const { env, names } = await upstreamCluster(stage, NODE_COUNT);
    expect(names).toHaveLength(NODE_COUNT);
    // Older than an hour: from then on the types of nodes are held against what is offered.
    await stage.world.clock.advance(2 * HOUR_MS);
    const before = await everything();
    stage.forget();

    await holdLease(stage, KARPENTER);
    const operator = stage.operator(env);
    await stage.inTime(operator.start());
    for (let round = 0; round < 5; round++) {
      await stage.world.clock.advance(10_000);
      await holdLease(stage, KARPENTER);
    }
    expect(operator.isLeading, 'while Karpenter holds the lease').toBe(false);
    expect(stage.writes).toEqual([]);

    await holdLease(stage, '');
    await stage.until('it leads', () => operator.isLeading, 20_000);
    await stage.world.clock.advance(HOUR_MS);
    expect(stage.armWrites()).toEqual([]);
    const written = stage.writes.filter(({ line }) => !line.endsWith('/events'));
    expect(written.map(({ line, body }) => `${line} ${body}`)).toEqual([]);
    expect(await everything()).toEqual(before);
    const events = (await all(EVENTS)).map((event) => event['message']);
    // As upstream says it, too.
    expect(
      events.filter((message) => !/^No allowed disruptions for disruption reason/.test(`${message}`)),
    ).toEqual([]);
    // It was not asleep: every claim was held against its pool, its class and its VM.
    expect(reconciles('nodeclaim.disruption')).toBeGreaterThanOrEqual(12 * NODE_COUNT);
    expect(reconciles('nodeclaim.inplaceupdate')).toBeGreaterThanOrEqual(NODE_COUNT);
    expect(reconciles('nodeclaim.garbagecollection')).toBeGreaterThanOrEqual(29);

    await stage.inTime(operator.stop());
    expect((await holder()) ?? '', 'so that Karpenter leads at once').toBe('');
    expect(await everything()).toEqual(before);
  }, 180_000);

  test('VMs that AKS created are not touched, also one whose node is not Ready', async () => {
    stage = await takeoverStage();
    const { env, place, pools, nodeClass } = await upstreamCluster(stage, 5);
    await addAksMachines(stage, { place, pool: pools.general, nodeClass }, 3);
    await stage.world.clock.advance(2 * HOUR_MS);
    const before = await everything();
    stage.forget();
    const operator = stage.operator(env);
    await stage.inTime(operator.start());
    await stage.world.clock.advance(HOUR_MS);
    expect(stage.armWrites()).toEqual([]);
    const toNodes = stage.writes.filter(
      ({ line }) => !line.includes('/nodepools/general/status') && !line.endsWith('/events'),
    );
    expect(toNodes.map(({ line, body }) => `${line} ${body}`)).toEqual([]);
    const untouched = (objects: ReadonlyMap<string, KubeObject>) =>
      [...objects].filter(([key]) => key !== 'nodepools/general');
    expect(untouched(await everything())).toEqual(untouched(before));
  }, 60_000);
});
