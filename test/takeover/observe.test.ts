import { type KubeObject, LEASES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { pod } from '../controllers/stage.ts';
import { eksCluster } from './aws/cloud.ts';
import { TAKEOVER_CLOUDS } from './clouds.ts';
import { all, everything } from './everything.ts';
import type { TakeoverStage } from './stage.ts';
import type { UpstreamCluster } from './upstream-cluster.ts';

let stage: TakeoverStage;
afterEach(() => stage.end());

const told = (text: string) => stage.world.lines.filter(({ message }) => message.startsWith(text));
const figure = (name: string) => stage.world.values.get(`chandler_observe_${name}`);
const refusedWrites = () =>
  [...stage.world.values.keys()].filter((key) => key.startsWith('chandler_observe_refused_writes_total'));

/** A user has changed the pool `general`, which has three of five nodes. */
async function observed({ stage: own, env }: UpstreamCluster) {
  stage = own;
  await stage.world.clock.advance(2 * 60 * 60_000);
  const patch = { spec: { template: { metadata: { labels: { team: 'other' } } } } };
  await stage.inTime(stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch }));
  stage.forget();
  const operator = stage.operator(env, { observe: true });
  await stage.inTime(operator.start());
  return operator;
}

describe.each(TAKEOVER_CLOUDS)('an observer next to Karpenter on $title', (cloud) => {
  test('reports what it would create and replace; neither the cluster nor the cloud is written to', async () => {
    const cluster = await cloud.start(5);
    const operator = await observed(cluster);
    const before = await everything(stage, cloud.nodeClasses);
    const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '2' } } }];
    await stage.inTime(stage.admin.create(PODS, pod('new', { containers }) as KubeObject));
    await stage.until('it has planned', () => told('observed: would create a nodeclaim').length > 0);
    expect(told('observed: would create a nodeclaim')[0]?.fields).toMatchObject({
      nodepool: 'general',
      pods: ['default/new'],
    });
    expect(figure('planned_nodeclaims{nodepool="general"}')).toBe(1);
    expect(figure('planned_price_per_hour')).toBeGreaterThan(0);
    await stage.world.clock.advance(30 * 60_000);
    expect(figure('drifted_nodeclaims{reason="NodePoolDrifted"}')).toBe(3);
    const reasons = [...stage.world.values.keys()].filter((key) => key.includes('drifted_nodeclaims{'));
    expect(reasons).toHaveLength(1);

    expect(stage.cloudWrites()).toEqual([]);
    expect(stage.writes).toEqual([]);
    expect(refusedWrites()).toEqual([]);
    const after = new Map(await everything(stage, cloud.nodeClasses));
    after.delete('pods/new');
    expect(after).toEqual(before);
    const leases = (await all(stage, LEASES)).map(({ metadata }) => metadata.name);
    expect(leases).not.toContain('karpenter-leader-election');
    expect(operator.isLeading).toBe(false);
  }, 60_000);
});

test('an observer on AWS leaves the messages of the queue to Karpenter', async () => {
  const cluster = await eksCluster(5);
  const { server } = cluster;
  await observed(cluster);
  const instance = server.instances.list().find(({ spot }) => spot);
  server.instances.recommendRebalance(instance!.id);
  await stage.world.clock.advance(60_000);
  expect(server.queue.list().map(({ receives }) => receives)).toEqual([0]);
  await stage.world.clock.advance(30 * 60_000);
  expect(stage.cloudWrites()).toEqual([]);
});
