/** Pods whose NodeClaims one pool cannot create: they use another pool, and the pool serves other pods. */
import { PODS, type Transport } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
const DENIED = 'admission webhook "guard.example.com" denied the request: no';

/** A pod with terms on labels of its own, which become requirements of its claim. */
const podWithTerms = (name: string, prefix: string, count = 1, cpu = '1') => {
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

/** A wire on which a webhook rejects NodeClaims whose body has all of these texts. */
const webhook =
  (isActive: () => boolean, ...texts: readonly string[]) =>
  (send: Transport): Transport =>
  async (request) => {
    const isCreation = request.method === 'POST' && request.path.endsWith('/nodeclaims');
    if (!isCreation || !isActive() || !texts.every((text) => String(request.body).includes(text)))
      return send(request);
    const body = JSON.stringify({
      kind: 'Status',
      apiVersion: 'v1',
      status: 'Failure',
      code: 403,
      reason: 'Forbidden',
      message: DENIED,
    });
    return {
      status: 403,
      headers: { 'content-type': 'application/json' },
      text: async () => body,
      chunks: async function* () {
        yield Buffer.from(body);
      },
      cancel: () => undefined,
    };
  };

const phaseOf = async (name: string) =>
  ((await full.stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;
const runs = (name: string) => async () => (await phaseOf(name)) === 'Running';
const validationOf = async (name: string) => {
  const object = await full.stage.get(NODE_POOLS, name);
  const { conditions = [] } = (object?.['status'] ?? {}) as {
    conditions?: { type: string; status: string }[];
  };
  return conditions.find(({ type }) => type === 'ValidationSucceeded')?.status;
};
const poolsOfClaims = async () =>
  (await full.stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.labels?.['karpenter.sh/nodepool']);
const claimCreations = () => full.stage.writes.filter((write) => /^POST .*\/nodeclaims$/.test(write)).length;

test('one pod whose claims a webhook rejects does not keep other pods of the pool from their node', async () => {
  let active = true;
  full = await fullStage({ wire: webhook(() => active, 'example.com/bad0') });
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  await stage.apply(PODS, podWithTerms('bad', 'bad', 1, '9'));
  await stage.apply(PODS, podWithTerms('good', 'good'));
  await stage.until('the other pod runs', runs('good'), 15 * MINUTE_MS);
  await stage.world.clock.advance(10 * MINUTE_MS);
  expect(await validationOf('general')).toBe('True');
  expect(await phaseOf('bad')).toBe('Pending');
  expect((await stage.eventsOf('bad')).map(({ message }) => message).join('\n')).toContain(DENIED);
  await stage.apply(PODS, podWithTerms('later', 'later'));
  await stage.until('a later pod runs', runs('later'), 2 * MINUTE_MS);
  const before = claimCreations();
  await stage.world.clock.advance(30 * MINUTE_MS);
  expect(claimCreations() - before).toBeLessThanOrEqual(4);
  active = false;
  await stage.until('the webhook lets it pass', runs('bad'), 40 * MINUTE_MS);
});

test('a pod whose claims a webhook rejects in one pool uses the next one, and the first serves other pods', async () => {
  full = await fullStage({
    wire: webhook(() => true, 'example.com/bad0', '"karpenter.sh/nodepool":"first"'),
  });
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('first', { weight: 100 }));
  await stage.apply(NODE_POOLS, pool('second'));
  await stage.apply(PODS, podWithTerms('good', 'good'));
  await stage.until('the first pod runs', runs('good'), 5 * MINUTE_MS);
  await stage.apply(PODS, podWithTerms('bad', 'bad', 1, '9'));
  await stage.until('the pod runs', runs('bad'), 5 * MINUTE_MS);
  expect((await poolsOfClaims()).sort()).toEqual(['first', 'second']);
  expect(await validationOf('first')).toBe('True');
});

test('a pod whose claim is invalid in one pool uses a pool with fewer requirements', async () => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  const requirements = Array.from({ length: 30 }, (_, index) => ({
    key: `example.com/pool-${index}`,
    operator: 'In',
    values: ['a'],
  }));
  const template = { spec: { nodeClassRef, requirements } };
  await stage.apply(NODE_POOLS, pool('first', { weight: 100, template }));
  await stage.apply(NODE_POOLS, pool('second'));
  await stage.apply(PODS, podWithTerms('many', 'many', 80));
  await stage.until('the pod runs', runs('many'), 5 * MINUTE_MS);
  expect(await poolsOfClaims()).toEqual(['second']);
  expect(await validationOf('first')).toBe('True');
});
