import type { KubeObject, Stored } from '@chandler/kube';
import { ApiStatusError, type KubeClient } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import type { Stores } from '../../state/index.ts';

import { PoolHealth } from './pool-health.ts';
import { recordHealth } from './record-health.ts';

const claim = {
  metadata: {
    name: 'general-1',
    uid: 'u1',
    resourceVersion: '1',
    labels: { 'karpenter.sh/nodepool': 'general' },
    ownerReferences: [{ apiVersion: 'karpenter.sh/v1', kind: 'NodePool', name: 'general', uid: 'u' }],
  },
};

/** A server with a pool that is one write ahead of the store, with or without an edit of its spec. */
function aheadOfUs(edited: boolean) {
  const { clock } = virtualWorld();
  const poolOf = (resourceVersion: string, generation: number) =>
    ({
      metadata: { name: 'general', uid: 'u', generation, resourceVersion },
      spec: {},
      status: {},
    }) as unknown as Stored<NodePool>;
  const known = poolOf('1', 1);
  const written: unknown[] = [];
  const client = {
    get: async () => poolOf('2', edited ? 2 : 1),
    async patchStatus(_: unknown, __: unknown, { patch }: { patch: KubeObject }) {
      if (patch.metadata.resourceVersion !== '2')
        throw new ApiStatusError('conflict', 'the object has been modified');
      written.push(patch);
    },
  } as unknown as KubeClient;
  const stores = { pools: { store: { get: () => known } } } as unknown as Stores;
  return { context: { stores, client, poolHealth: new PoolHealth(clock) }, written };
}

test('registration health is written on top of a concurrent change', async () => {
  const { context, written } = aheadOfUs(false);
  await recordHealth(context, claim, false);
  await recordHealth(context, claim, false);
  expect(written).toHaveLength(1);
  expect(JSON.stringify(written)).toContain('RegistrationFailed');
});

test('registration health is not written to a pool that was edited meanwhile', async () => {
  const { context, written } = aheadOfUs(true);
  await recordHealth(context, claim, false);
  await recordHealth(context, claim, false);
  expect(written).toEqual([]);
});
