import { type KubeClient, type KubeObject, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  AKS_NODE_CLASSES,
  aksNodeClassHash,
  type Hashable,
  NODE_CLAIMS,
  NODE_POOLS,
  nodePoolHash,
} from '../../packages/chandler/src/api/index.ts';
import type { Operator } from '../../packages/chandler/src/operator/index.ts';

import { pod } from '../controllers/stage.ts';
import { conditionOf } from '../e2e/story.ts';
import { type TakeoverStage, takeoverStage } from './stage.ts';
import { type UpstreamCluster, upstreamCluster } from './upstream-cluster.ts';
import { claimOf } from './upstream-nodes.ts';
import { inPlaceHash, vmTags } from './upstream-objects.ts';
import { putMachine } from './upstream-vms.ts';

const POOL_HASH = 'karpenter.sh/nodepool-hash';
const CLASS_HASH = 'karpenter.azure.com/aksnodeclass-hash';
const IN_PLACE = 'karpenter.azure.com/in-place-update-hash';
const NODES_BEFORE = 10;

let stage: TakeoverStage;
let cluster: UpstreamCluster;

beforeEach(async () => {
  stage = await takeoverStage();
  cluster = await upstreamCluster(stage, NODES_BEFORE);
  await stage.world.clock.advance(2 * 60 * 60_000);
});
afterEach(() => stage.end());

const all = async (resource: ResourceRef) => (await stage.inTime(stage.admin.list(resource))).items;
const find = async (resource: ResourceRef, name: string) =>
  (await stage.inTime(stage.admin.find(resource, { name }))) as KubeObject & Hashable;
const patch = (...[resource, key, what]: Parameters<KubeClient['patch']>) =>
  stage.inTime(stage.admin.patch(resource, key, what));
const merge = (body: object) => ({ type: 'merge' as const, patch: body });

async function takeOver(): Promise<Operator> {
  const operator = stage.operator(cluster.env);
  await stage.inTime(operator.start());
  await stage.until('it leads', () => operator.isLeading);
  return operator;
}

function phaseOf(own: KubeObject | undefined): string | undefined {
  return (own?.['status'] as { phase?: string } | undefined)?.phase;
}

/** A pod that does not fit on the existing nodes. */
function bigPod(name: string, spec: Readonly<Record<string, unknown>> = {}): KubeObject {
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '2' } } }];
  return pod(name, { containers, ...spec }) as KubeObject;
}

/** Names that upstream does not know are under our own domain, and nowhere else. */
function upstreamKeys(names: Readonly<Record<string, string>> | undefined): readonly string[] {
  return Object.keys(names ?? {})
    .filter((key) => !key.startsWith('chandler.sh/'))
    .sort();
}

describe('handed back', () => {
  test('a node that we launched is accepted by Karpenter as its own', async () => {
    const operator = await takeOver();
    const [before] = await all(NODE_CLAIMS);
    const nodeBefore = await find(NODES, `aks-${before!.metadata.name}`);
    await stage.inTime(stage.admin.create(PODS, bigPod('new')));
    await stage.until('the pod has a node', async () => {
      const own = (await all(PODS)).find(({ metadata }) => metadata.name === 'new');
      return phaseOf(own) === 'Running';
    });
    await stage.world.clock.advance(15 * 60_000);
    await stage.inTime(operator.stop());

    const known = new Set(cluster.names);
    const [claim] = (await all(NODE_CLAIMS)).filter(({ metadata }) => !known.has(metadata.name!));
    const pool = await find(NODE_POOLS, claim!.metadata.labels!['karpenter.sh/nodepool']!);
    const nodeClass = await find(AKS_NODE_CLASSES, 'default');
    const node = await find(NODES, `aks-${claim!.metadata.name}`);
    expect(claim!.metadata.annotations).toMatchObject({
      [POOL_HASH]: nodePoolHash(pool),
      [`${POOL_HASH}-version`]: 'v3',
      [CLASS_HASH]: aksNodeClassHash(nodeClass),
      [`${CLASS_HASH}-version`]: 'v3',
      [IN_PLACE]: inPlaceHash(cluster.place, pool.metadata.name!),
    });
    expect(pool.metadata.annotations).toMatchObject({ [POOL_HASH]: nodePoolHash(pool) });
    const sameKeys = (ours: KubeObject, theirs: KubeObject) => {
      expect(upstreamKeys(ours.metadata.annotations)).toEqual(upstreamKeys(theirs.metadata.annotations));
      expect(ours.metadata.finalizers).toEqual(theirs.metadata.finalizers);
      const owners = (object: KubeObject) =>
        object.metadata.ownerReferences?.map(({ uid: _, name: __, ...rest }) => rest);
      expect(owners(ours)).toEqual(owners(theirs));
    };
    sameKeys(claim!, before!);
    expect(upstreamKeys(claim!.metadata.labels)).toEqual(upstreamKeys(before!.metadata.labels));
    expect(node.metadata.annotations).toMatchObject({ [POOL_HASH]: nodePoolHash(pool) });
    expect(node.metadata.finalizers).toEqual(nodeBefore.metadata.finalizers);
    expect(upstreamKeys(node.metadata.labels)).toEqual(
      expect.arrayContaining([...upstreamKeys(claim!.metadata.labels)]),
    );
    const vm = stage.arm.resources.vms().find(({ name }) => name === `aks-${claim!.metadata.name}`)!;
    expect(vm.tags).toMatchObject(vmTags(cluster.place, pool.metadata.name!));
    expect(upstreamKeys(vm.tags).filter((key) => !key.startsWith('chandler.sh_'))).toEqual(
      Object.keys(vmTags(cluster.place, 'x')).sort(),
    );
    expect((claim!['status'] as { providerID: string }).providerID).toBe(
      `azure://${vm.id.replace(cluster.place.nodeResourceGroup, cluster.place.nodeResourceGroup.toLowerCase())}`,
    );
  });

  test('changed tags are on VM, network interface and extension, and in the hash', async () => {
    const operator = await takeOver();
    const tags = { team: 'other' };
    await patch(
      AKS_NODE_CLASSES,
      { name: 'default' },
      merge({ spec: { tags: { ...tags, 'cost/center': null } } }),
    );
    await stage.world.clock.advance(5 * 60_000);
    await stage.inTime(operator.stop());
    const wanted = (pool: string) => {
      const { cost_center: _, ...rest } = vmTags(cluster.place, pool);
      return { ...rest, ...tags };
    };
    for (const claim of await all(NODE_CLAIMS)) {
      const pool = claim.metadata.labels!['karpenter.sh/nodepool']!;
      expect(claim.metadata.annotations?.[IN_PLACE]).toBe(inPlaceHash(cluster.place, pool, wanted(pool)));
      const { vms, nics } = stage.arm.resources;
      for (const part of [...vms(), ...nics()].filter(({ name }) => name === `aks-${claim.metadata.name}`))
        expect(part.tags).toMatchObject(wanted(pool));
      expect(conditionOf(claim, 'Drifted')).toBeUndefined();
    }
    for (const extension of stage.arm.resources.extensions()) expect(extension.tags).toMatchObject(tags);
  });
});

describe('what Karpenter would do', () => {
  test('a changed pool drifts its own nodes, and their hashes stay as they were', async () => {
    await takeOver();
    const hashBefore = nodePoolHash(cluster.pools.general as Hashable);
    await patch(
      NODE_POOLS,
      { name: 'general' },
      merge({ spec: { template: { metadata: { labels: { team: 'other' } } } } }),
    );
    await stage.world.clock.advance(60_000);
    const pool = await find(NODE_POOLS, 'general');
    expect(pool.metadata.annotations?.[POOL_HASH]).toBe(nodePoolHash(pool));
    expect(nodePoolHash(pool)).not.toBe(hashBefore);
    for (const claim of await all(NODE_CLAIMS)) {
      const ofPool = claim.metadata.labels!['karpenter.sh/nodepool'] === 'general';
      expect(conditionOf(claim, 'Drifted')?.reason).toBe(ofPool ? 'NodePoolDrifted' : undefined);
      if (ofPool) expect(claim.metadata.annotations?.[POOL_HASH]).toBe(hashBefore);
    }
    expect(stage.arm.resources.vms()).toHaveLength(NODES_BEFORE);
  });

  test('hashes of an older version are rewritten without drift; a drifted claim stays drifted', async () => {
    const old = (key: string) => ({ [key]: '1', [`${key}-version`]: 'v2' });
    for (const claim of await all(NODE_CLAIMS)) {
      const key = { name: claim.metadata.name! };
      await patch(
        NODE_CLAIMS,
        key,
        merge({ metadata: { annotations: { ...old(POOL_HASH), ...old(CLASS_HASH) } } }),
      );
    }
    for (const name of ['general', 'spot'])
      await patch(NODE_POOLS, { name }, merge({ metadata: { annotations: old(POOL_HASH) } }));
    await patch(AKS_NODE_CLASSES, { name: 'default' }, merge({ metadata: { annotations: old(CLASS_HASH) } }));
    const drifted = cluster.names[0]!;
    const { conditions } = (await find(NODE_CLAIMS, drifted))['status'] as { conditions: object[] };
    const condition = { type: 'Drifted', status: 'True', reason: 'ImageDrift', message: '' };
    const time = { lastTransitionTime: cluster.place.time, observedGeneration: 1 };
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
    const nodeClass = await find(AKS_NODE_CLASSES, 'default');
    for (const claim of await all(NODE_CLAIMS)) {
      const pool = await find(NODE_POOLS, claim.metadata.labels!['karpenter.sh/nodepool']!);
      const stays = claim.metadata.name === drifted;
      expect(claim.metadata.annotations).toMatchObject({
        [POOL_HASH]: stays ? '1' : nodePoolHash(pool),
        [`${POOL_HASH}-version`]: 'v3',
        [CLASS_HASH]: stays ? '1' : aksNodeClassHash(nodeClass),
        [`${CLASS_HASH}-version`]: 'v3',
      });
      expect(conditionOf(claim, 'Drifted')?.status).toBe(stays ? 'True' : undefined);
    }
    expect(stage.armWrites()).toEqual([]);
  });

  test('a launch that Karpenter started and did not record ends with one VM for its pod', async () => {
    const { place, pools, nodeClass } = cluster;
    const owners = { place, pool: pools.general, nodeClass };
    await stage.inTime(putMachine(stage, owners, 'general-begun', 1));
    const begun = claimOf(owners, 'general-begun', 1);
    delete begun.metadata.annotations![IN_PLACE];
    await stage.inTime(stage.admin.create(NODE_CLAIMS, begun));
    await stage.inTime(
      stage.admin.create(PODS, bigPod('waits', { nodeSelector: { 'karpenter.sh/nodepool': 'general' } })),
    );
    await takeOver();
    await stage.until(
      'the pod runs, and there is a machine for every claim and none besides',
      async () => {
        const own = (await all(PODS)).find(({ metadata }) => metadata.name === 'waits');
        const claims = (await all(NODE_CLAIMS)).map(({ metadata }) => `aks-${metadata.name}`).sort();
        const { vms, nics } = stage.arm.resources;
        const names = (parts: readonly { name: string }[]) => parts.map(({ name }) => name).sort();
        return (
          phaseOf(own) === 'Running' &&
          claims.length === NODES_BEFORE + 1 &&
          JSON.stringify([names(vms()), names(nics())]) === JSON.stringify([claims, claims])
        );
      },
      60 * 60_000,
    );
  }, 60_000);
});
