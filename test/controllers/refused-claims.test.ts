/** Pools with NodeClaims that the API server rejects. */
import { PODS, type Transport, type TransportResponse } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const MINUTE_MS = 60_000;

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const conditionsOf = async (name: string) => {
  const object = await full.stage.get(NODE_POOLS, name);
  const { conditions = [] } = (object?.['status'] ?? {}) as { conditions?: Condition[] };
  return Object.fromEntries(conditions.map((each) => [each.type, each]));
};
const claimCreations = () => full.stage.writes.filter((write) => /^POST .*\/nodeclaims$/.test(write)).length;
const poolsOfClaims = async () =>
  (await full.stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool']);

/** With the requirements that a plan adds, more than a NodeClaim may have. */
const tooManyRequirements = Array.from({ length: 100 }, (_, index) => ({
  key: `example.com/label-${index}`,
  operator: 'In',
  values: ['a'],
}));

/** A wire on which an admission plugin rejects NodeClaims of the pool. */
const admission = (code: number, reason: string, message: string, isActive: () => boolean) => {
  return (send: Transport): Transport =>
    async (request) => {
      const rejected =
        request.method === 'POST' &&
        request.path.endsWith('/nodeclaims') &&
        isActive() &&
        String(request.body).includes('"karpenter.sh/nodepool":"first"');
      if (!rejected) return send(request);
      const status = { kind: 'Status', apiVersion: 'v1', status: 'Failure', code, reason, message };
      return answer(code, status);
    };
};

function answer(status: number, body: object): TransportResponse {
  const text = JSON.stringify(body);
  return {
    status,
    headers: { 'content-type': 'application/json' },
    text: async () => text,
    chunks: async function* () {
      yield Buffer.from(text);
    },
    cancel: () => undefined,
  };
}

describe('a pool with NodeClaims that fail validation', () => {
  test('is not Ready with that reason, is not retried all the time, and pods use the next pool', async () => {
    full = await fullStage();
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    const template = { spec: { nodeClassRef, requirements: tooManyRequirements } };
    await stage.apply(NODE_POOLS, pool('first', { weight: 100, template }));
    await stage.apply(NODE_POOLS, pool('second'));
    await stage.apply(PODS, pod('a'));
    await stage.until('the pod has a claim', async () => (await poolsOfClaims()).length === 1, 30_000);
    expect(await poolsOfClaims()).toEqual(['second']);
    await stage.world.clock.advance(5_000);
    const { Ready, ValidationSucceeded } = await conditionsOf('first');
    expect(ValidationSucceeded).toMatchObject({ status: 'False', reason: 'NodeClaimRefused' });
    expect(ValidationSucceeded?.message).toMatch(/rejects NodeClaims of this NodePool: .*at most 100 items/);
    expect(Ready).toMatchObject({ status: 'False' });
    expect(await stage.eventsOf('first')).toContainEqual(
      expect.objectContaining({ reason: 'NodeClaimRefused' }),
    );
  });

  test('is tried again after an edit that makes them valid', async () => {
    full = await fullStage();
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    const template = { spec: { nodeClassRef, requirements: tooManyRequirements } };
    await stage.apply(NODE_POOLS, pool('first', { template }));
    await stage.apply(PODS, pod('a'));
    await stage.until('it is refused', async () => {
      const { ValidationSucceeded } = await conditionsOf('first');
      return ValidationSucceeded?.reason === 'NodeClaimRefused';
    });
    await stage.until('the pod has the reason', async () =>
      (await stage.eventsOf('a')).some(({ message }) =>
        message.includes('"first" is left out, the API server rejects'),
      ),
    );
    const before = claimCreations();
    await stage.world.clock.advance(30_000);
    expect(claimCreations()).toBe(before);
    const patch = { spec: { template: { spec: { requirements: [] } } } };
    await stage.admin.patch(NODE_POOLS, { name: 'first' }, { type: 'merge', patch });
    await stage.until('the pod has a claim', async () => (await poolsOfClaims()).length === 1, 30_000);
    expect((await conditionsOf('first'))['ValidationSucceeded']).toMatchObject({ status: 'True' });
  });
});

describe('a pool with NodeClaims that admission rejects', () => {
  test.each([
    ['a policy', 422, 'Invalid', "ValidatingAdmissionPolicy 'x' with binding 'y' denied request: no"],
    ['a webhook', 403, 'Forbidden', 'admission webhook "guard.example.com" denied the request: no'],
    [
      'a webhook with its own code',
      418,
      'Teapot',
      'admission webhook "guard.example.com" denied the request',
    ],
    ['a quota', 403, 'Forbidden', 'nodeclaims.karpenter.sh "x" is forbidden: exceeded quota: small'],
  ])('(%s) is left out with the message, and is retried later', async (_, code, reason, message) => {
    let active = true;
    full = await fullStage({ wire: admission(code, reason, message, () => active) });
    const { stage } = full;
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.apply(NODE_POOLS, pool('first'));
    await stage.apply(PODS, pod('a'));
    await stage.until('it is refused', async () => {
      const { ValidationSucceeded } = await conditionsOf('first');
      return ValidationSucceeded?.reason === 'NodeClaimRefused';
    });
    expect((await conditionsOf('first'))['ValidationSucceeded']?.message).toContain(message);
    await stage.world.clock.advance(50_000);
    expect(claimCreations()).toBe(1);
    active = false;
    await stage.until('the pod has a claim', async () => (await poolsOfClaims()).length === 1, 2 * MINUTE_MS);
    expect((await conditionsOf('first'))['ValidationSucceeded']).toMatchObject({ status: 'True' });
  });
});

test('a static pool with NodeClaims that admission rejects is not Ready with that reason', async () => {
  const message = 'admission webhook "guard.example.com" denied the request: no';
  const settings = { gates: { ...DEFAULT_SETTINGS.gates, StaticCapacity: true } };
  full = await fullStage({ settings, wire: admission(403, 'Forbidden', message, () => true) });
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('first', { replicas: 5 }));
  await stage.until('it is refused', async () => {
    const { ValidationSucceeded } = await conditionsOf('first');
    return ValidationSucceeded?.reason === 'NodeClaimRefused';
  });
  await stage.world.clock.advance(40_000);
  expect(claimCreations()).toBe(1);
  expect(await stage.eventsOf('first')).toContainEqual({
    reason: 'NodeClaimRefused',
    message: `the API server rejects NodeClaims of this NodePool: ${message}`,
  });
});
