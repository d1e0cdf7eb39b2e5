/** Execution of disruption when single writes fail, limits are reached, and processes end in between. */
import {
  type ApiErrorKind,
  ApiStatusError,
  DEPLOYMENTS,
  NODES,
  PODS,
  type Pod,
  type Stored,
  type Transport,
} from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';
import type { FullStage } from './all-controllers.ts';
import { conditionOf } from './bootstrap-outcome.fixture.ts';
import {
  claims,
  commandOf,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  podOf,
  removeWorkload,
  runningWorkloads,
  runs,
} from './disruption.fixture.ts';

const TIMEOUT_MS = 120_000;
const MINUTE_MS = 60_000;

let full: FullStage;
afterEach(() => full.stage.end());

/** A wire on which writes fail for which `error` gives an error. */
function failing(errorFor: (write: string) => ApiStatusError | undefined) {
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      const error = request.method === 'GET' ? undefined : errorFor(`${request.method} ${request.path}`);
      if (error !== undefined) throw error;
      return send(request);
    };
  return { wire };
}

const REFUSED = new ApiStatusError('invalid', 'a policy denies the write');

test.each<[ApiErrorKind]>([['tooManyRequests'], ['unauthorized']])(
  'a replacement whose creation is answered with %s is created again, and its pool stays ready',
  async (kind) => {
    let answers = 0;
    const stage = failing((write) =>
      answers === 1 && write.startsWith('POST') && write.endsWith('/nodeclaims')
        ? new ApiStatusError(kind, `answer ${++answers}`)
        : undefined,
    );
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' }, stage });
    const old = await nodeOf(full, 'a');
    answers = 1;
    await driftAll(full);
    await full.stage.until('it was answered', () => answers > 1);
    await full.stage.world.clock.advance(1_000);
    expect(conditionOf((await full.stage.get(NODE_POOLS, 'general'))!, 'Ready')?.status).toBe('True');
    await full.stage.until(
      'it is replaced',
      async () => !(await nodeNames(full)).includes(old),
      5 * MINUTE_MS,
    );
  },
  TIMEOUT_MS,
);

test(
  'a node of a pool at its limits is replaced: the nodes that go do not count',
  async () => {
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' } });
    const old = await nodeOf(full, 'a');
    const [claim] = await claims(full);
    const { cpu } = (claim!['status'] as { capacity: { cpu: string } }).capacity;
    const patch = { spec: { limits: { cpu } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await driftAll(full);
    await full.stage.until(
      'it is replaced',
      async () => !(await nodeNames(full)).includes(old),
      5 * MINUTE_MS,
    );
  },
  TIMEOUT_MS,
);

test(
  'a node that cannot be marked does not keep the other empty nodes',
  async () => {
    let denied = '';
    const stage = failing((write) =>
      denied !== '' && write.startsWith(`PATCH /api/v1/nodes/${denied}`) ? REFUSED : undefined,
    );
    full = await runningWorkloads({ x: '9', y: '9' }, { stage });
    const [first, second] = await nodeNames(full);
    denied = first!;
    await removeWorkload(full, 'x');
    await removeWorkload(full, 'y');
    const gone = async () => !(await nodeNames(full)).includes(second!);
    await full.stage.until('the other is gone', gone, 5 * MINUTE_MS);
    expect(await nodeNames(full)).toEqual([denied]);
  },
  TIMEOUT_MS,
);

test.each([
  ['empty', 0],
  ['empty', 1],
  ['drifted', 0],
  ['drifted', 1],
])(
  'a node that cannot be marked does not keep other %s nodes, if one may be disrupted at a time: %i',
  async (kind, at) => {
    let denied = '';
    const stage = failing((write) =>
      denied !== '' && write.startsWith(`PATCH /api/v1/nodes/${denied}`) ? REFUSED : undefined,
    );
    full = await runningWorkloads({ x: '9', y: '9' }, { stage, disruption: { budgets: [{ nodes: '1' }] } });
    const nodes = await nodeNames(full);
    denied = nodes[at]!;
    if (kind === 'drifted') await driftAll(full);
    else for (const name of ['x', 'y']) await removeWorkload(full, name);
    const gone = async () => !(await nodeNames(full)).includes(nodes[1 - at]!);
    await full.stage.until('the other is gone', gone, 10 * MINUTE_MS);
    expect(await nodeNames(full)).toContain(denied);
  },
  TIMEOUT_MS,
);

test(
  'a node that cannot be written does not keep the taint on the others of a command that is rolled back',
  async () => {
    let denied = '';
    const stage = failing((write) =>
      denied !== '' && write.startsWith(`PATCH /api/v1/nodes/${denied}`) ? REFUSED : undefined,
    );
    full = await runningWorkloads({ x: '9', a: '3500m', y: '9', b: '3500m' }, { stage });
    await full.stage.world.clock.advance(30_000);
    full.stage.cloud.joins = false;
    await removeWorkload(full, 'x');
    await removeWorkload(full, 'y');
    await full.stage.until('both are tainted', async () => {
      const nodes = await full.stage.list(NODES);
      return nodes.length === 2 && nodes.every(hasTaint);
    });
    const [text] = (await claims(full)).flatMap((claim) => commandOf(claim) ?? []);
    denied = (JSON.parse(text!) as { nodes: string[][] }).nodes[0]![0]!;
    const others = async () =>
      (await full.stage.list(NODES)).filter(({ metadata }) => metadata.name !== denied);
    await full.stage.until(
      'the other is free again',
      async () => !(await others()).some(hasTaint),
      30 * MINUTE_MS,
    );
  },
  TIMEOUT_MS,
);

test(
  'replacements that cannot be deleted do not keep the taint on the nodes of a command that is rolled back',
  async () => {
    let denies = false;
    const stage = failing((write) =>
      denies && write.startsWith('DELETE') && write.includes('/nodeclaims/') ? REFUSED : undefined,
    );
    full = await runningWorkloads({ a: '1500m' }, { disruption: { consolidateAfter: 'Never' }, stage });
    full.stage.cloud.limit = 'ours';
    denies = true;
    await driftAll(full);
    const tainted = async () => (await full.stage.list(NODES)).some(hasTaint);
    await full.stage.until('it is tainted', tainted);
    await full.stage.until('it is free again', async () => !(await tainted()), 30 * MINUTE_MS);
    expect(await runs(full, 'a')).toBe(true);
  },
  TIMEOUT_MS,
);

test(
  'a launch for pods of a node that somebody deleted does not hold consolidation',
  async () => {
    full = await runningWorkloads({ a: '9' }, { disruption: { consolidateAfter: 'Never' } });
    const { moves } = full.stage.context;
    const pod = (await podOf(full, 'a')) as Stored<Pod>;
    const elsewhere = { ...pod, spec: { ...pod.spec!, nodeName: 'consolidated' } };
    moves.moved('a-consolidation', [elsewhere], ['general']);
    const [claim] = await claims(full);
    await full.stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! });
    await full.stage.until('another is launched', async () =>
      (await claims(full)).some(({ metadata }) => metadata.name !== claim!.metadata.name),
    );
    expect([...moves.holds(full.stage.world.clock.now())]).toEqual([]);
  },
  TIMEOUT_MS,
);

test(
  'a node whose only pod costs nothing to evict is removed as empty',
  async () => {
    full = await runningWorkloads({});
    const labels = { app: 'low' };
    const annotations = { 'karpenter.sh/disruption-cost': '-2147483648' };
    const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1500m' } } }];
    await full.stage.apply(DEPLOYMENTS, {
      metadata: { name: 'low', namespace: 'default' },
      spec: {
        replicas: 1,
        selector: { matchLabels: labels },
        template: { metadata: { labels, annotations }, spec: { containers } },
      },
    });
    await full.stage.until('it runs', () => runs(full, 'low'));
    const old = await nodeOf(full, 'low');
    await full.stage.until(
      'its node goes',
      async () => !(await nodeNames(full)).includes(old),
      5 * MINUTE_MS,
    );
  },
  TIMEOUT_MS,
);

test(
  'a command of which only the annotation was written, minutes ago, is rolled back by the next process',
  async () => {
    const disruption = { consolidateAfter: 'Never', budgets: [{ nodes: '0' }] };
    full = await runningWorkloads({ a: '1500m' }, { disruption });
    const { stage } = full;
    await stage.world.clock.advance(10 * MINUTE_MS);
    const [claim] = await claims(full);
    const { name, uid } = claim!.metadata;
    const pod = (await podOf(full, 'a'))!;
    const keep = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } } };
    const podKey = { name: pod.metadata.name!, namespace: 'default' };
    await stage.admin.patch(PODS, podKey, { type: 'merge', patch: keep });
    const record = {
      id: 'underutilized-1',
      method: 'single-node',
      reason: 'Underutilized',
      decision: 'delete',
      startedAt: new Date(stage.world.clock.now() - 9 * MINUTE_MS).toISOString(),
      nodes: [[await nodeOf(full, 'a'), name, uid, 'general']],
      launches: [],
    };
    const annotations = { 'chandler.sh/disruption-command': JSON.stringify(record) };
    const patch = { metadata: { annotations } };
    await stage.admin.patch(NODE_CLAIMS, { name: name! }, { type: 'merge', patch });
    await full.restart();
    await stage.world.clock.advance(30_000);
    const [after] = await claims(full);
    expect(after!.metadata.deletionTimestamp).toBeUndefined();
    expect(commandOf(after!)).toBeUndefined();
  },
  TIMEOUT_MS,
);

test(
  'a restart during the replacement of a static node deletes no node of its pool before',
  async () => {
    const gates = { ...DEFAULT_SETTINGS.gates, StaticCapacity: true };
    full = await runningWorkloads(
      {},
      {
        pool: { replicas: 2, limits: { nodes: '4' } },
        disruption: { consolidateAfter: 'Never', budgets: [{ nodes: '1' }] },
        stage: { settings: { gates } },
      },
    );
    await full.stage.world.clock.advance(5 * MINUTE_MS);
    await driftAll(full);
    await full.stage.until('a replacement is created', async () => (await claims(full)).length === 3);
    await full.stage.world.clock.advance(2_000);
    await full.restart();
    await full.stage.world.clock.advance(3_000);
    const deleting = (await claims(full)).filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(deleting.map(({ metadata }) => metadata.name)).toEqual([]);
  },
  TIMEOUT_MS,
);
