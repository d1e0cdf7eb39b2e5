/** Pods that make the NodeClaim of their plan invalid. */
import { PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

/** A pod with terms on this many labels of its own. */
const podWithTerms = (name: string, count: number, prefix: string, cpu = '1') => {
  const matchExpressions = Array.from({ length: count }, (_, index) => ({
    key: `example.com/${prefix}${index}`,
    operator: 'NotIn',
    values: ['x'],
  }));
  const required = { nodeSelectorTerms: [{ matchExpressions }] };
  return pod(name, {
    containers: [{ name: 'm', image: 'i', resources: { requests: { cpu } } }],
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } },
  });
};
const phaseOf = async (name: string) =>
  ((await full.stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;
const validationOf = async (name: string) => {
  const object = await full.stage.get(NODE_POOLS, name);
  const { conditions = [] } = (object?.['status'] ?? {}) as {
    conditions?: { type: string; status: string }[];
  };
  return conditions.find(({ type }) => type === 'ValidationSucceeded')?.status;
};
const claimCreations = () => full.stage.writes.filter((write) => /^POST .*\/nodeclaims$/.test(write)).length;

test('a pod with more terms than a NodeClaim may have does not keep other pods from their node', async () => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  await stage.apply(PODS, podWithTerms('bad', 101, 'bad', '9'));
  await stage.apply(PODS, podWithTerms('few', 2, 'other'));
  await stage.apply(PODS, pod('good'));
  await stage.until('the other pods run', async () => {
    const phases = await Promise.all(['few', 'good'].map(phaseOf));
    return phases.every((phase) => phase === 'Running');
  });
  expect(await validationOf('general')).toBe('True');
  expect(await phaseOf('bad')).toBe('Pending');
  expect((await stage.eventsOf('bad')).map(({ message }) => message).join('\n')).toMatch(
    /the API server rejects a NodeClaim for this pod: .*at most 100 items/,
  );
  const before = claimCreations();
  await stage.world.clock.advance(30 * 60_000);
  expect(claimCreations() - before).toBeLessThanOrEqual(4);
  expect(await stage.list(NODE_CLAIMS)).toHaveLength(1);
});

test('a pod that was only in the same NodeClaim is planned again, however many terms it has', async () => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const requirements = Array.from({ length: 30 }, (_, index) => ({
    key: `example.com/pool-${index}`,
    operator: 'In',
    values: ['a'],
  }));
  await stage.apply(NODE_POOLS, pool('general', { template: { spec: { nodeClassRef, requirements } } }));
  await stage.apply(PODS, podWithTerms('one', 40, 'one'));
  await stage.apply(PODS, podWithTerms('two', 30, 'two'));
  await stage.until(
    'both pods run',
    async () => (await phaseOf('one')) === 'Running' && (await phaseOf('two')) === 'Running',
    5 * 60_000,
  );
  expect(await validationOf('general')).toBe('True');
});
