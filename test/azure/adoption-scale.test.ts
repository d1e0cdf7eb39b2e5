import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { AdoptionPass, exemptByAdoption } from '../../packages/chandler/src/cloud/azure/testing.ts';
import type { CloudControllerContext, StoredClaim } from '../../packages/chandler/src/cloud/index.ts';

const SET = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/';
const CLAIMS = 2_000;

function adoptedClaim(name: string): StoredClaim {
  const claim: Partial<NodeClaim> = {
    metadata: {
      name,
      uid: `uid-${name}`,
      labels: { 'karpenter.sh/nodepool': 'general' },
      annotations: {
        'chandler.sh/disk-encryption-set': `${SET}old`,
        'chandler.sh/disk-encryption-set-at-adoption': `${SET}new`,
      },
    },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
    status: {
      conditions: [{ type: 'Registered', status: 'True', lastTransitionTime: '2026-01-01T00:00:00Z' }],
    },
  };
  return claim as StoredClaim;
}

test('adopted claims are compared in proportion to their number, and one event names those of a pool', async () => {
  const world = virtualWorld();
  const names = Array.from({ length: CLAIMS }, (_, at) => `c${String(at).padStart(4, '0')}`);
  const claims = new Map(names.map((name) => [name, adoptedClaim(name)]));
  const messages: string[] = [];
  let compared = 0;
  const context = {
    world,
    client: { withSignal: () => undefined },
    events: { publish: ({ message }: { readonly message: string }) => messages.push(message) },
    stores: {
      claims: {
        store: { get: ({ name }: { name: string }) => claims.get(name), values: () => claims.values() },
      },
      pools: { store: { get: () => ({ metadata: { name: 'general', uid: 'pool' } }) } },
      nodeClass: () => ({ metadata: { name: 'default' } }),
      nodeOf: () => undefined,
    },
  } as unknown as CloudControllerContext;
  const pass = new AdoptionPass(context, {
    adopt: async () => ({}),
    driftExemptPools: (of) => {
      compared += of.length;
      return exemptByAdoption(of, () => ({ id: `${SET}new` }));
    },
  });
  const signal = new AbortController().signal;
  const first = await pass.reconcile(names[0]!, signal);
  for (const name of names.slice(1)) await pass.reconcile(name, signal);
  await world.clock.advance(first.requeueAfterMs!);
  await pass.reconcile(names[0]!, signal);
  // Every claim half an hour later, and again.
  for (let round = 0; round < 2; round++) {
    await world.clock.advance(30 * 60_000);
    for (const name of names) await pass.reconcile(name, signal);
  }
  expect(compared).toBeLessThanOrEqual(5 * CLAIMS);
  expect(messages).toHaveLength(1);
  expect(messages[0]).toContain('c0000 has disk encryption set');
  expect(messages[0]).toContain('and 1995 more');
});
