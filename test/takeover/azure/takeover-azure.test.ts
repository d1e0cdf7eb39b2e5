import type { KubeObject } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../../packages/chandler/src/api/index.ts';
import { conditionOf } from '../../e2e/story.ts';
import { inFull } from '../../part.ts';
import { all, everything, writtenTo } from '../everything.ts';
import { addAksMachines } from './aks-machines.ts';
import { type AksCluster, aksCluster, IN_PLACE } from './cloud.ts';
import { inPlaceHash, vmTags } from './objects.ts';

const HOUR_MS = 60 * 60_000;

let cluster: AksCluster;
afterEach(() => cluster.stage.end());

test.runIf(inFull('hours beside VMs that AKS created'))(
  'VMs that AKS created are not touched, also one whose node is not Ready',
  async () => {
    cluster = await aksCluster(5);
    const { stage, env, owners } = cluster;
    const { place, pools, ofClass } = owners;
    await addAksMachines(stage, { place, pool: pools.general, nodeClass: ofClass }, 3);
    await stage.world.clock.advance(2 * HOUR_MS);
    const before = await everything(stage, AKS_NODE_CLASSES);
    stage.forget();
    const operator = stage.operator(env);
    await stage.inTime(operator.start());
    await stage.world.clock.advance(HOUR_MS);
    expect(stage.cloudWrites()).toEqual([]);
    expect(writtenTo(stage).filter((line) => !line.includes('/nodepools/general/status'))).toEqual([]);
    const untouched = (objects: ReadonlyMap<string, KubeObject>) =>
      [...objects].filter(([key]) => key !== 'nodepools/general');
    expect(untouched(await everything(stage, AKS_NODE_CLASSES))).toEqual(untouched(before));
  },
  60_000,
);

test('changed tags are on VM, network interface and extension, and in the hash', async () => {
  cluster = await aksCluster(10);
  const { stage, env, owners } = cluster;
  const { place } = owners;
  await stage.world.clock.advance(2 * HOUR_MS);
  const operator = stage.operator(env);
  await stage.inTime(operator.start());
  const tags = { team: 'other' };
  const patch = { spec: { tags: { ...tags, 'cost/center': null } } };
  await stage.inTime(stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, { type: 'merge', patch }));
  await stage.world.clock.advance(5 * 60_000);
  await stage.inTime(operator.stop());
  const wanted = (pool: string) => {
    const { cost_center: _, ...rest } = vmTags(place, pool);
    return { ...rest, ...tags };
  };
  const { vms, nics, extensions } = stage.arm.resources;
  for (const claim of await all(stage, NODE_CLAIMS)) {
    const pool = claim.metadata.labels!['karpenter.sh/nodepool']!;
    expect(claim.metadata.annotations?.[IN_PLACE]).toBe(inPlaceHash(place, pool, wanted(pool)));
    for (const part of [...vms(), ...nics()].filter(({ name }) => name === `aks-${claim.metadata.name}`))
      expect(part.tags).toMatchObject(wanted(pool));
    expect(conditionOf(claim, 'Drifted')).toBeUndefined();
  }
  for (const extension of extensions()) expect(extension.tags).toMatchObject(tags);
});
