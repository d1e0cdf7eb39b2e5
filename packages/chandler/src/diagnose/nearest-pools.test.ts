import { expect, test } from 'vitest';
import { evidence, plan, refusal } from '../causes/testing.ts';
import { nearestPools } from './nearest-pools.ts';

test('a pod that is too large for a NodePool: what it needs, and what the largest instance type offers', () => {
  const tooLarge = {
    ...refusal('ResourceInsufficient', 'no instance type satisfied resources {"cpu":"900"}'),
    facts: { resource: 'cpu', requested: '900', available: '192', missing: '708' },
  };
  expect(nearestPools(evidence([plan(tooLarge)]))).toEqual([
    {
      nodePool: 'default',
      reasons: ['needs 900 cpu with its daemons; the largest instance type offers 192'],
    },
  ]);
});

test('a resource that no instance type has is said as that', () => {
  const none = {
    ...refusal('ResourceInsufficient'),
    facts: { resource: 'nvidia.com/gpu', requested: '1', available: '0', missing: '1' },
  };
  expect(nearestPools(evidence([plan(none)]))).toEqual([
    { nodePool: 'default', reasons: ['no instance type offers nvidia.com/gpu'] },
  ]);
});

test('every reason of a NodePool, each once; what is no matter of a NodePool is not there', () => {
  const other = { ...refusal('LimitExceeded', 'at its limit'), nodePool: 'spot' };
  const { nodePool: _, ...ofPod } = refusal('VolumeClaimMissing');
  expect(
    nearestPools(
      evidence([plan(refusal('A', 'one'), refusal('A', 'one'), refusal('B', 'two'), other, ofPod)]),
    ),
  ).toEqual([
    { nodePool: 'default', reasons: ['one', 'two'] },
    { nodePool: 'spot', reasons: ['at its limit'] },
  ]);
});

test('a pod that would get a node has none', () => {
  expect(nearestPools(evidence([{ ...plan(refusal('A')), outcome: 'newClaim' as const }]))).toEqual([]);
  expect(nearestPools(evidence([]))).toEqual([]);
});
