import { type KubeClient, type KubeObject, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';
import { pod } from '../controllers/stage.ts';
import { conditionOf } from '../e2e/story.ts';
import { everyNth, inFull } from '../part.ts';
import { TAKEOVER_CLOUDS } from './clouds.ts';
import { all as allOf } from './everything.ts';
import { POOL_HASH, POOL_NAMES, type PoolName } from './objects.ts';
import type { TakeoverStage } from './stage.ts';
import type { UpstreamCluster } from './upstream-cluster.ts';

const NODES_BEFORE = 10;

let stage: TakeoverStage;
let cluster: UpstreamCluster;
afterEach(() => stage.end());

const all = (resource: ResourceRef) => allOf(stage, resource);
const find = async (resource: ResourceRef, name: string) =>
  (await stage.inTime(stage.admin.find(resource, { name }))) as KubeObject;
const patch = (...[resource, key, what]: Parameters<KubeClient['patch']>) =>
  stage.inTime(stage.admin.patch(resource, key, what));
const merge = (body: object) => ({ type: 'merge' as const, patch: body });

async function takeOver(): Promise<Operator> {
  const operator = stage.operator(cluster.env);
  await stage.inTime(operator.start());
  await stage.until('it leads', () => operator.isLeading);
  return operator;
}

async function isRunning(podName: string): Promise<boolean> {
  const own = (await all(PODS)).find(({ metadata }) => metadata.name === podName);
  return (own?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
}

/** A pod that does not fit on the existing nodes. */
function bigPod(name: string, spec: Readonly<Record<string, unknown>> = {}): KubeObject {
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '2' } } }];
  return pod(name, { containers, ...spec }) as KubeObject;
}

function poolNameOf({ metadata }: KubeObject): PoolName {
  return metadata.labels!['karpenter.sh/nodepool'] as PoolName;
}

/** Names that upstream does not know are under our own domain, and nowhere else. */
function upstreamKeys(names: Readonly<Record<string, string>> | undefined): readonly string[] {
  return Object.keys(names ?? {})
    .filter((key) => !key.startsWith('chandler.sh/'))
    .sort();
}

describe.each(everyNth('clouds', TAKEOVER_CLOUDS, 2))('on $title', (cloud) => {
  const { key: classHash, version: classVersion } = cloud.classHash;

  beforeEach(async () => {
    cluster = await cloud.start(NODES_BEFORE);
    stage = cluster.stage;
    await stage.world.clock.advance(2 * 60 * 60_000);
  });

  test('a node that we launched is accepted by Karpenter as its own', async () => {
    const operator = await takeOver();
    const [before] = await all(NODE_CLAIMS);
    const nodeBefore = await find(NODES, cluster.nodeNameOf(before!));
    await stage.inTime(stage.admin.create(PODS, bigPod('new')));
    await stage.until('the pod has a node', () => isRunning('new'));
    await stage.world.clock.advance(15 * 60_000);
    await stage.inTime(operator.stop());

    const known = new Set(cluster.names);
    const [claim] = (await all(NODE_CLAIMS)).filter(({ metadata }) => !known.has(metadata.name!));
    const poolName = poolNameOf(claim!);
    const pool = await find(NODE_POOLS, poolName);
    const node = await find(NODES, cluster.nodeNameOf(claim!));
    const poolHash = cluster.hashes.pools[poolName];
    expect(claim!.metadata.annotations).toMatchObject({
      [POOL_HASH]: poolHash,
      [`${POOL_HASH}-version`]: 'v3',
      [classHash]: cluster.hashes.nodeClass,
      [`${classHash}-version`]: classVersion,
    });
    expect(pool.metadata.annotations).toMatchObject({ [POOL_HASH]: poolHash });
    const owners = (object: KubeObject) =>
      object.metadata.ownerReferences?.map(({ uid: _, name: __, ...rest }) => rest);
    expect(upstreamKeys(claim!.metadata.annotations)).toEqual(upstreamKeys(before!.metadata.annotations));
    expect(claim!.metadata.finalizers).toEqual(before!.metadata.finalizers);
    expect(owners(claim!)).toEqual(owners(before!));
    expect(upstreamKeys(claim!.metadata.labels)).toEqual(upstreamKeys(before!.metadata.labels));
    expect(node.metadata.annotations).toMatchObject({ [POOL_HASH]: poolHash });
    expect(node.metadata.finalizers).toEqual(nodeBefore.metadata.finalizers);
    expect(upstreamKeys(node.metadata.labels)).toEqual(
      expect.arrayContaining([...upstreamKeys(claim!.metadata.labels)]),
    );
    cluster.expectAccepted({ claim: claim!, node, poolName });
  });

  test.runIf(inFull('a changed pool after a takeover'))(
    'a changed pool drifts its own nodes, and their hashes stay as they were',
    async () => {
      await takeOver();
      const { pools, changedPool } = cluster.hashes;
      await patch(
        NODE_POOLS,
        { name: 'general' },
        merge({ spec: { template: { metadata: { labels: { team: 'other' } } } } }),
      );
      await stage.world.clock.advance(60_000);
      const pool = await find(NODE_POOLS, 'general');
      expect(pool.metadata.annotations?.[POOL_HASH]).toBe(changedPool);
      expect(changedPool).not.toBe(pools.general);
      const claims = await all(NODE_CLAIMS);
      for (const claim of claims) {
        const ofPool = poolNameOf(claim) === 'general';
        expect(conditionOf(claim, 'Drifted')?.reason).toBe(ofPool ? 'NodePoolDrifted' : undefined);
        if (ofPool) expect(claim.metadata.annotations?.[POOL_HASH]).toBe(pools.general);
      }
      expect(claims).toHaveLength(NODES_BEFORE);
      expect(cluster.mismatch(claims)).toEqual([]);
    },
  );

  test('hashes of an older version are rewritten without drift; a drifted claim stays drifted', async () => {
    const old = (key: string) => ({ [key]: '1', [`${key}-version`]: 'v2' });
    const both = { ...old(POOL_HASH), ...old(classHash) };
    for (const { metadata } of await all(NODE_CLAIMS))
      await patch(NODE_CLAIMS, { name: metadata.name! }, merge({ metadata: { annotations: both } }));
    for (const name of POOL_NAMES)
      await patch(NODE_POOLS, { name }, merge({ metadata: { annotations: old(POOL_HASH) } }));
    await patch(cloud.nodeClasses, { name: 'default' }, merge({ metadata: { annotations: old(classHash) } }));
    const drifted = cluster.names[0]!;
    const { conditions } = (await find(NODE_CLAIMS, drifted))['status'] as { conditions: object[] };
    const condition = { type: 'Drifted', status: 'True', reason: 'ImageDrift', message: '' };
    const time = { lastTransitionTime: cluster.time, observedGeneration: 1 };
    await stage.inTime(
      stage.admin.patchStatus(
        NODE_CLAIMS,
        { name: drifted },
        merge({ status: { conditions: [...conditions, { ...condition, ...time }] } }),
      ),
    );
    stage.forget();
    await takeOver();
    await stage.world.clock.advance(10 * 60_000);
    for (const claim of await all(NODE_CLAIMS)) {
      const stays = claim.metadata.name === drifted;
      expect(claim.metadata.annotations).toMatchObject({
        [POOL_HASH]: stays ? '1' : cluster.hashes.pools[poolNameOf(claim)],
        [`${POOL_HASH}-version`]: 'v3',
        [classHash]: stays ? '1' : cluster.hashes.nodeClass,
        [`${classHash}-version`]: classVersion,
      });
      expect(conditionOf(claim, 'Drifted')?.status).toBe(stays ? 'True' : undefined);
    }
    expect(stage.cloudWrites().filter((line) => cloud.housekeeping?.test(line) !== true)).toEqual([]);
  });

  test('a launch that Karpenter started and did not record ends with one instance for its pod', async () => {
    await cluster.beginLaunch('general-begun');
    const onGeneral = { nodeSelector: { 'karpenter.sh/nodepool': 'general' } };
    await stage.inTime(stage.admin.create(PODS, bigPod('waits', onGeneral)));
    await takeOver();
    await stage.until(
      'the pod runs, and there is an instance for every claim and none besides',
      async () => {
        const claims = await all(NODE_CLAIMS);
        return (
          claims.length === NODES_BEFORE + 1 &&
          cluster.mismatch(claims).length === 0 &&
          (await isRunning('waits'))
        );
      },
      60 * 60_000,
    );
  }, 60_000);
});
