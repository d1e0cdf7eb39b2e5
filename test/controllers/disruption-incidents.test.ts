/** Commands of disruption that wait or end early: what counts against their NodePool, and what does not. */
import { ApiStatusError, NODES, POD_DISRUPTION_BUDGETS, PODS, type Transport } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { CloudError } from '../../packages/chandler/src/cloud/index.ts';
import type { FullStage } from './all-controllers.ts';
import { conditionOf } from './bootstrap-outcome.fixture.ts';
import {
  addWorkloads,
  claims,
  commandOf,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  runningWorkloads,
} from './disruption.fixture.ts';
import { pod } from './stage.ts';

const TIMEOUT_MS = 120_000;
const MINUTE_MS = 60_000;
const DRIFT_ONLY = { disruption: { consolidateAfter: 'Never' } };

let full: FullStage;
afterEach(() => full.stage.end());

const isReplacement = ({ metadata }: { readonly metadata: { annotations?: Record<string, string> } }) =>
  metadata.annotations?.['chandler.sh/replacement-for'] !== undefined;
const replacements = async () => (await claims(full)).filter(isReplacement);
const tainted = async () => (await full.stage.list(NODES)).filter(hasTaint);
const claimCreations = () => full.stage.writes.filter((write) => /^POST .*\/nodeclaims$/.test(write)).length;

/** A wire on which requests fail for which `errorFor` gives an error. */
function failing(errorFor: (request: Parameters<Transport>[0]) => ApiStatusError | undefined) {
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      const error = request.method === 'GET' ? undefined : errorFor(request);
      if (error !== undefined) throw error;
      return send(request);
    };
  return { wire };
}

test(
  'replacements that all fail in one incident make their pool wait once, not once for each of them',
  async () => {
    full = await runningWorkloads({ a: '9', b: '9', c: '9', d: '9' }, DRIFT_ONLY);
    const { stage } = full;
    stage.cloud.failures = Array.from({ length: 200 }, () => new CloudError('InsufficientCapacity', 'none'));
    await driftAll(full);
    await stage.world.clock.advance(30_000);
    expect(200 - stage.cloud.failures.length).toBe(3);
    stage.cloud.failures = [];
    await stage.until('a replacement is created', async () => (await replacements()).length > 0, 90_000);
  },
  TIMEOUT_MS,
);

test(
  'a command that ends because its node is gone does not make the pool wait',
  async () => {
    let denied = false;
    const stage = failing(({ method, path }) =>
      denied && method === 'PATCH' && path.startsWith('/api/v1/nodes/')
        ? new ApiStatusError('tooManyRequests', 'later')
        : undefined,
    );
    const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] };
    full = await runningWorkloads({ a: '9', b: '9' }, { disruption, stage });
    denied = true;
    await driftAll(full);
    const marked = async () => (await claims(full)).filter((claim) => commandOf(claim) !== undefined);
    await full.stage.until('a command begins', async () => (await marked()).length > 0);
    const [claim] = await marked();
    await full.stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! });
    denied = false;
    await full.stage.until(
      'the other node is replaced',
      async () => (await replacements()).length > 0,
      45_000,
    );
  },
  TIMEOUT_MS,
);

test(
  'nodes whose replacements wait for the limit of launches are not marked before',
  async () => {
    const settings = { maxLaunchesPerMinute: 1 };
    full = await runningWorkloads({ a: '9', b: '9', c: '9', d: '9' }, { ...DRIFT_ONLY, stage: { settings } });
    const { stage } = full;
    const old = await nodeNames(full);
    await stage.world.clock.advance(2 * MINUTE_MS);
    const before = claimCreations();
    await driftAll(full);
    await stage.until('the first is created', () => claimCreations() > before);
    await stage.world.clock.advance(20_000);
    expect(claimCreations() - before).toBe(1);
    expect((await tainted()).length).toBeLessThanOrEqual(1);
    expect(await stage.eventsOf('general')).toContainEqual({
      reason: 'LaunchesLimited',
      message:
        'Disruption waits: no more launches in this minute, at most 1 may begin (max-launches-per-minute)',
    });
    await stage.until(
      'all are replaced',
      async () => (await nodeNames(full)).every((name) => !old.includes(name)),
      10 * MINUTE_MS,
    );
  },
  TIMEOUT_MS,
);

test(
  'a command whose pool is held after its nodes were marked is rolled back soon',
  async () => {
    let denied = false;
    const stage = failing(({ method, path, body }) => {
      if (!denied || method !== 'POST' || !path.endsWith('/nodeclaims')) return undefined;
      return isReplacement(JSON.parse(String(body)))
        ? new ApiStatusError('tooManyRequests', 'later')
        : new ApiStatusError('forbidden', 'a policy denies it');
    });
    full = await runningWorkloads({ a: '9' }, { ...DRIFT_ONLY, stage });
    denied = true;
    await driftAll(full);
    await full.stage.until('it is marked', async () => (await tainted()).length === 1);
    await full.stage.apply(PODS, pod('late', { containers: [container('9')] }));
    await full.stage.until('the pool is held', async () => {
      const pool = await full.stage.get(NODE_POOLS, 'general');
      return conditionOf(pool!, 'Ready')?.status === 'False';
    });
    await full.stage.until('the node is free', async () => (await tainted()).length === 0, 2 * MINUTE_MS);
  },
  TIMEOUT_MS,
);

test(
  'a pod that makes the replacement of its node invalid keeps this node, and neither its pool nor other nodes',
  async () => {
    full = await runningWorkloads({ web: '500m' }, DRIFT_ONLY);
    const { stage } = full;
    const matchExpressions = Array.from({ length: 101 }, (_, index) => ({
      key: `example.com/k${index}`,
      operator: 'NotIn',
      values: ['x'],
    }));
    const required = { nodeSelectorTerms: [{ matchExpressions }] };
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: required } };
    await stage.apply(PODS, pod('many', { containers: [container('600m')], affinity }));
    await stage.until('it is bound', async () => {
      const { nodeName } = ((await stage.get(PODS, 'many'))?.['spec'] ?? {}) as { nodeName?: string };
      return nodeName !== undefined;
    });
    const kept = await nodeOf(full, 'web');
    await addWorkloads(full, { other: '15500m' });
    const other = await nodeOf(full, 'other');
    await driftAll(full);
    const notReady: string[] = [];
    await stage.until(
      'the other node is replaced',
      async () => {
        const { status, message } = conditionOf((await stage.get(NODE_POOLS, 'general'))!, 'Ready') ?? {};
        if (status !== 'True') notReady.push(String(message));
        return !(await nodeNames(full)).includes(other);
      },
      5 * MINUTE_MS,
    );
    expect(notReady).toEqual([]);
    await stage.until('the node is free', async () => (await tainted()).length === 0);
    const before = claimCreations();
    await stage.world.clock.advance(30 * MINUTE_MS);
    expect(claimCreations() - before).toBeLessThanOrEqual(5);
    expect(await nodeNames(full)).toContain(kept);
  },
  TIMEOUT_MS,
);

function container(cpu: string): object {
  return { name: 'm', image: 'i', resources: { requests: { cpu } } };
}

const BUDGET = { name: 'a', namespace: 'default' };

/** A node whose replacement is initialized, and whose deletion a webhook denies. */
async function withDeniedDeletion() {
  const webhook = { denied: '' };
  const stage = failing(({ method, path }) =>
    webhook.denied !== '' && method === 'DELETE' && path.endsWith(`/nodeclaims/${webhook.denied}`)
      ? new ApiStatusError('forbidden', 'the webhook denies the deletion')
      : undefined,
  );
  full = await runningWorkloads({ a: '1500m' }, { stage });
  const [old] = await nodeNames(full);
  webhook.denied = old!.slice('aks-'.length);
  await driftAll(full);
  await full.stage.until('its replacement is initialized', async () => {
    const [replacement] = await replacements();
    return replacement !== undefined && conditionOf(replacement, 'Initialized')?.status === 'True';
  });
  // Its pod is not planned elsewhere meanwhile.
  const spec = { maxUnavailable: 0, selector: { matchLabels: { app: 'a' } } };
  await full.stage.apply(POD_DISRUPTION_BUDGETS, { metadata: BUDGET, spec });
  await full.stage.world.clock.advance(2 * MINUTE_MS);
  return { webhook, old: old! };
}

test(
  'while the deletion of a node is denied, its replacement is not disrupted as an empty one',
  async () => {
    const { webhook, old } = await withDeniedDeletion();
    expect(await replacements()).toHaveLength(1);
    expect((await tainted()).map(({ metadata }) => metadata.name)).toEqual([old]);
    webhook.denied = '';
    await full.stage.admin.delete(POD_DISRUPTION_BUDGETS, BUDGET);
    const [kept] = await replacements();
    await full.stage.until('only the replacement is left', async () => {
      const names = await nodeNames(full);
      return names.length === 1 && names[0] === `aks-${kept!.metadata.name}`;
    });
  },
  TIMEOUT_MS,
);

test(
  'a node whose deletion is denied stays when its replacement is gone by then',
  async () => {
    const { webhook, old } = await withDeniedDeletion();
    const [lost] = await replacements();
    await full.stage.admin.delete(NODE_CLAIMS, { name: lost!.metadata.name! });
    await full.stage.until('the marks are off', async () =>
      (await tainted()).every(({ metadata }) => metadata.name !== old),
    );
    webhook.denied = '';
    expect(await nodeOf(full, 'a')).toBe(old);
  },
  TIMEOUT_MS,
);
