import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import { type ClaimRequest, claimBody } from './claim-body.ts';

const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const planned = {
  id: 'a-1',
  labels: {},
  annotations: {},
  taints: [],
  startupTaints: [],
  requirements: [],
  requests: {},
};

function nameFor(pool: string): string {
  const nodePool = stored({
    metadata: { name: pool },
    spec: { template: { spec: { nodeClassRef, requirements: [] } } },
  }) as unknown as ClaimRequest['nodePool'] & NodePool;
  return claimBody({ planned, nodePool, podUids: ['u'], attempt: 0 }).metadata.name;
}

/** As an API server validates the name of an object. */
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

test.each([
  ['a'.repeat(56), '.', 'tail'],
  ['a'.repeat(56), '-', 'tail'],
  ['a'.repeat(54), '.--', 'tail'],
  ['a'.repeat(50), '', ''],
  ['short.name', '', ''],
])('the name of a claim is valid for a pool named %s%s%s', (head, cut, tail) => {
  const name = nameFor(`${head}${cut}${tail}`);
  expect(name).toMatch(SUBDOMAIN);
  expect(name.length).toBeLessThanOrEqual(63);
  expect(name.startsWith(`${head}-`)).toBe(true);
});
