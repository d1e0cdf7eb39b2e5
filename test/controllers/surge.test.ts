import {
  ApiStatusError,
  CONFIG_MAPS,
  conditionOf,
  DEPLOYMENTS,
  type KubeObject,
  NODES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type Pod,
  STATEFUL_SETS,
  type Transport,
} from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { everyNth, inFull } from '../part.ts';
import type { FullStage } from './all-controllers.ts';
import {
  claims,
  commandOf,
  driftAll,
  hasTaint,
  nodeNames,
  nodeOf,
  removeWorkload,
  runningWorkloads,
} from './disruption.fixture.ts';
import type { StageOptions } from './stage.ts';

// Minutes of virtual time, on a machine that may be busy.
vi.setConfig({ testTimeout: 120_000 });

const MINUTE_MS = 60_000;
const slow = test.runIf(inFull('surges of a StatefulSet and of many minutes'));
const SURGE = 'chandler.sh/disruption-surge';
const NAME = { name: 'a', namespace: 'default' };

let full: FullStage;
afterEach(() => full.stage.end());

const advance = (ms: number) => full.stage.world.clock.advance(ms);
const claimOf = (node: string) => node.slice('aks-'.length);
const history = async () => {
  const found = await full.stage.get(CONFIG_MAPS, 'chandler-disruption-history');
  return Object.values((found?.['data'] ?? {}) as Record<string, string>).map(
    (text) => JSON.parse(text) as { outcome: string; message?: string },
  );
};
const readyPods = async () =>
  ((await full.stage.list(PODS)) as unknown as readonly Pod[]).filter(
    (pod) => pod.metadata.labels?.['app'] === 'a' && conditionOf(pod, 'Ready')?.status === 'True',
  );

interface Workload {
  readonly annotations?: Record<string, string>;
  readonly strategy?: object;
  readonly readySeconds?: number;
  readonly replicas?: number;
}

function template({ annotations = { [SURGE]: 'true' }, readySeconds = 20 }: Workload): object {
  const all = { ...annotations, 'chandler.sh/playground-ready-seconds': `${readySeconds}` };
  const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1500m' } } }];
  return { metadata: { labels: { app: 'a' }, annotations: all }, spec: { containers } };
}

/** Pods that are Ready, behind a PodDisruptionBudget that allows no eviction, on a node that is not consolidated. */
async function heldPod(
  workload: Workload & { readonly kind?: 'StatefulSet' } = {},
  stage: Omit<StageOptions, 'controllers'> = { settings: { disruptionSurge: true } },
): Promise<string> {
  full = await runningWorkloads({}, { disruption: { consolidateAfter: 'Never' }, stage });
  const selector = { matchLabels: { app: 'a' } };
  const { replicas = 1 } = workload;
  const spec = { replicas, selector, template: template(workload) };
  await full.stage.apply(POD_DISRUPTION_BUDGETS, {
    metadata: NAME,
    spec: { minAvailable: replicas, selector },
  });
  if (workload.kind === 'StatefulSet')
    await full.stage.apply(STATEFUL_SETS, { metadata: NAME, spec: { ...spec, serviceName: 'a' } });
  else
    await full.stage.apply(DEPLOYMENTS, {
      metadata: NAME,
      spec: { ...spec, ...(workload.strategy === undefined ? {} : { strategy: workload.strategy }) },
    });
  const limitMs = ((workload.readySeconds ?? 20) + 120) * 1000;
  const areReady = async () => (await readyPods()).length === replicas;
  await full.stage.until('the pods are ready', areReady, limitMs);
  await advance(MINUTE_MS);
  return nodeOf(full, 'a');
}

const isGone = async (node: string) => !(await nodeNames(full)).includes(node);
/** How often the workload was restarted, and when last. */
async function restartsOf(resource = DEPLOYMENTS as never): Promise<readonly [number, string | undefined]> {
  const { metadata, ...object } = (await full.stage.get(resource, 'a'))! as KubeObject & {
    readonly spec: { readonly template: { readonly metadata: KubeObject['metadata'] } };
  };
  const at = object.spec.template.metadata.annotations?.['kubectl.kubernetes.io/restartedAt'];
  return [(metadata.generation ?? 1) - 1, at];
}

/** The machine of a claim that did not join by itself. */
async function join({ metadata }: KubeObject): Promise<void> {
  await full.stage.until('it is launched', () => full.stage.cloud.machines.has(metadata.uid!));
  const { instance } = full.stage.cloud.machines.get(metadata.uid!)!;
  const { cpu, memory } = instance.capacity as Record<string, string>;
  await full.stage.playground.standins!.addNode({
    name: instance.name,
    cpu: cpu!,
    memory: memory!,
    allocatable: instance.allocatable as Record<string, string>,
    labels: { ...instance.labels, ...metadata.labels },
    taints: full.stage.cloud.bootTaints,
  });
  const patch = { spec: { providerID: instance.providerID } };
  await full.stage.admin.patch(NODES, { name: instance.name }, { type: 'merge', patch });
}

describe('a pod behind a PodDisruptionBudget that asks for a surge', () => {
  test('is Ready on the new node before it ends on the old one, and its Deployment is restarted once', async () => {
    const old = await heldPod();
    const evictions = () => full.stage.writes.filter((write) => write.endsWith('/eviction'));
    await driftAll(full);
    await full.stage.until(
      'the old node is gone',
      async () => {
        expect((await readyPods()).length).toBeGreaterThanOrEqual(1);
        return isGone(old);
      },
      5 * MINUTE_MS,
    );
    expect(evictions()).toEqual([]);
    expect((await restartsOf())[0]).toBe(1);
    expect(await nodeOf(full, 'a')).not.toBe(old);
    await advance(5 * MINUTE_MS);
    expect([(await restartsOf())[0], (await claims(full)).length]).toEqual([1, 1]);
    expect((await history()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
    expect((await full.stage.eventsOf(claimOf(old))).map(({ message }) => message)).toContain(
      'Rolling Deployment default/a to continue disruption',
    );
  });

  slow('moves with its StatefulSet, too, which ends it first', async () => {
    const old = await heldPod({ kind: 'StatefulSet' });
    await driftAll(full);
    await full.stage.until('the old node is gone', () => isGone(old), 5 * MINUTE_MS);
    expect((await restartsOf(STATEFUL_SETS as never))[0]).toBe(1);
    await full.stage.until('the pod is ready', async () => (await readyPods()).length === 1);
  });

  test('is asked for by the NodePool, too', async () => {
    const old = await heldPod({ annotations: {} });
    const patch = { metadata: { annotations: { [SURGE]: 'true' } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await driftAll(full);
    await full.stage.until('the old node is gone', () => isGone(old), 5 * MINUTE_MS);
    expect((await restartsOf())[0]).toBe(1);
  });

  test('keeps its node when its Deployment cannot surge, and the event says why', async () => {
    const old = await heldPod({ strategy: { type: 'Recreate' } });
    await driftAll(full);
    await advance(5 * MINUTE_MS);
    expect([await isGone(old), await restartsOf()]).toEqual([false, [0, undefined]]);
    expect(JSON.stringify(await full.stage.eventsOf(old))).toContain(
      'Deployment default/a has the strategy Recreate',
    );
  });

  test('needs no further node while its successor starts and other pods get theirs', async () => {
    const old = await heldPod({ readySeconds: 120 });
    await driftAll(full);
    await full.stage.until('it was rolled', async () => (await restartsOf())[0] === 1, 5 * MINUTE_MS);
    const before = (await claims(full)).map(({ metadata }) => metadata.name);
    const containers = [{ name: 'main', image: 'i', resources: { requests: { cpu: '1800m' } } }];
    await full.stage.apply(PODS, { metadata: { name: 'other', namespace: 'default' }, spec: { containers } });
    await full.stage.until('it has a node', async () => (await claims(full)).length === before.length + 1);
    const made = (await claims(full)).find(({ metadata }) => !before.includes(metadata.name))!;
    const { requests } = (made['spec'] as { resources: { requests: { cpu: string } } }).resources;
    expect([requests.cpu, await isGone(old)]).toEqual(['1800m', false]);
  });

  slow('may take longer than ten minutes as long as the rolling update makes progress', async () => {
    await heldPod({ replicas: 3, readySeconds: 5 * 60 });
    const old = await nodeNames(full);
    expect(old.length).toBeGreaterThan(1);
    full.stage.cloud.joins = false;
    await driftAll(full);
    await full.stage.until('replacements', async () => (await claims(full)).length === 2 * old.length);
    const others = (await claims(full)).filter(({ metadata }) => !old.includes(`aks-${metadata.name}`));
    await join(others.pop()!);
    await full.stage.until('it was rolled', async () => (await restartsOf())[0] === 1, 5 * MINUTE_MS);
    // The commands of the other nodes find it rolled.
    await advance(30_000);
    for (const other of others) await join(other);
    await advance(12 * MINUTE_MS);
    const left = async () => (await nodeNames(full)).filter((name) => old.includes(name)).length;
    expect(await left()).toBeGreaterThan(0);
    await full.stage.until('all old nodes are gone', async () => (await left()) === 0, 10 * MINUTE_MS);
    expect(new Set((await history()).map(({ outcome }) => outcome))).toEqual(new Set(['succeeded']));
    expect((await restartsOf())[0]).toBe(1);
  });

  test('stays if it does not move within ten minutes: the command is rolled back, and not repeated within the hour', async () => {
    const old = await heldPod({ readySeconds: 20 * 60 });
    const [pod] = await readyPods();
    await driftAll(full);
    await full.stage.until('it was rolled', async () => (await restartsOf())[0] === 1, 5 * MINUTE_MS);
    await advance(9 * MINUTE_MS);
    expect([hasTaint(await full.stage.get(NODES, old)), await history()]).toEqual([true, []]);
    await advance(2 * MINUTE_MS);
    const [failed] = await history();
    expect(failed?.outcome).toBe('failed');
    expect(failed?.message).toContain('Deployment default/a (pod default/');
    expect(failed?.message).toContain('did not leave within 10 minutes');
    expect(commandOf(await full.stage.get(NODE_CLAIMS, claimOf(old)))).toBeUndefined();
    expect((await readyPods()).map(({ metadata }) => metadata.name)).toEqual([pod!.metadata.name]);
    await advance(5 * MINUTE_MS);
    expect([(await restartsOf())[0], full.stage.cloud.launches.size]).toEqual([1, 2]);
  });
});

test('a Deployment that was paused in the meantime is not restarted, and the command is rolled back', async () => {
  const old = await heldPod();
  full.stage.cloud.joins = false;
  await driftAll(full);
  await full.stage.until('a second claim', async () => (await claims(full)).length === 2);
  await full.stage.admin.patch(DEPLOYMENTS, NAME, { type: 'merge', patch: { spec: { paused: true } } });
  const made = (await claims(full)).find(({ metadata }) => `aks-${metadata.name}` !== old)!;
  await join(made);
  await full.stage.until('it failed', async () => (await history()).length > 0, 5 * MINUTE_MS);
  expect((await history())[0]?.message).toBe('Deployment default/a is paused');
  expect([hasTaint(await full.stage.get(NODES, old)), (await restartsOf())[1]]).toEqual([false, undefined]);
});

test('a Deployment whose owner puts its template back is restarted once, and the command is rolled back at once', async () => {
  const old = await heldPod();
  await driftAll(full);
  const annotations = { 'kubectl.kubernetes.io/restartedAt': null };
  const patch = { spec: { template: { metadata: { annotations } } } };
  const failed = async () => {
    if ((await restartsOf())[1] !== undefined)
      await full.stage.admin.patch(DEPLOYMENTS, NAME, { type: 'merge', patch });
    return (await history()).length > 0;
  };
  await full.stage.until('it failed', failed, 5 * MINUTE_MS);
  expect((await history())[0]?.message).toContain('was removed again');
  expect(full.stage.writes.filter((write) => write.includes('/deployments/'))).toHaveLength(1);
  await advance(5 * MINUTE_MS);
  expect([hasTaint(await full.stage.get(NODES, old)), full.stage.cloud.launches.size]).toEqual([false, 2]);
});

test('a node that cannot be marked is not waited for, and gets no marks by the roll of the others', async () => {
  let denied = '';
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      if (denied === '' || request.method !== 'PATCH' || !request.path.endsWith(`/nodes/${denied}`))
        return send(request);
      throw new ApiStatusError('forbidden', 'a policy denies it');
    };
  const stage = { settings: { disruptionSurge: true }, wire };
  full = await runningWorkloads(
    { x: '9500m', a: '3300m', y: '9500m', b: '3300m', z: '9' },
    { stage, disruption: { consolidateAfter: 'Never' } },
  );
  denied = await nodeOf(full, 'a');
  const other = await nodeOf(full, 'b');
  expect(new Set([denied, other, await nodeOf(full, 'z')]).size).toBe(3);
  await removeWorkload(full, 'x');
  await removeWorkload(full, 'y');
  await full.stage.admin.patch(
    NODE_POOLS,
    { name: 'general' },
    {
      type: 'merge',
      patch: {
        metadata: { annotations: { [SURGE]: 'true' } },
        spec: { disruption: { consolidateAfter: '0s' } },
      },
    },
  );
  const marked = new Set<string | undefined>();
  await full.stage.until(
    'the other is gone',
    async () => {
      const command = commandOf(await full.stage.get(NODE_CLAIMS, claimOf(denied)));
      marked.add((JSON.parse(command ?? '{}') as { rolledAtMs?: number }).rolledAtMs?.toString());
      return isGone(other);
    },
    5 * MINUTE_MS,
  );
  expect([...marked]).toEqual([undefined]);
  expect((await history()).map(({ outcome }) => outcome)).toEqual(['succeeded']);
  expect((await restartsOf())[1]).toBeUndefined();
});

describe('a process that ends at its n-th write of a command with a surge', () => {
  test.each(everyNth('writes after which a process ends', [4, 6, 7, 8, 9, 10, 11, 12], 4))(
    '%i: the next one completes it, and the Deployment is restarted once',
    async (count) => {
      let left = Number.POSITIVE_INFINITY;
      const wire =
        (send: Transport): Transport =>
        async (request) => {
          if (left <= 0) throw new ApiStatusError('unreachable', 'the process has ended');
          if (request.method !== 'GET' && !request.path.includes('/events')) left -= 1;
          return send(request);
        };
      const old = await heldPod({}, { settings: { disruptionSurge: true }, wire });
      await driftAll(full);
      await full.stage.until('it is known to have drifted', async () =>
        JSON.stringify((await full.stage.get(NODE_CLAIMS, claimOf(old)))?.['status']).includes(
          'NodePoolDrifted',
        ),
      );
      left = count;
      await advance(40_000);
      left = Number.POSITIVE_INFINITY;
      await full.restart();
      await full.stage.until('the old node is gone', () => isGone(old), 10 * MINUTE_MS);
      await advance(MINUTE_MS);
      expect([(await restartsOf())[0], (await readyPods()).length]).toEqual([1, 1]);
    },
  );

  test('after the roll and before the deletion', async () => {
    const old = await heldPod({ readySeconds: 60 });
    await driftAll(full);
    await full.stage.until('it was rolled', async () => (await restartsOf())[0] === 1, 5 * MINUTE_MS);
    const [, at] = await restartsOf();
    // The command knows the time, so that a new leader writes the same or nothing.
    const command = commandOf(await full.stage.get(NODE_CLAIMS, claimOf(old)));
    expect(JSON.parse(command!)).toMatchObject({ rolledAtMs: Date.parse(at!) });
    await full.restart();
    await full.stage.until('the old node is gone', () => isGone(old), 5 * MINUTE_MS);
    expect(await restartsOf()).toEqual([1, at]);
  });
});

test('without the permission to patch the workload the command is rolled back, and the reason names the role', async () => {
  const wire =
    (send: Transport): Transport =>
    async (request) => {
      if (request.method !== 'PATCH' || !request.path.includes('/deployments/')) return send(request);
      throw new ApiStatusError('forbidden', 'deployments.apps "a" is forbidden: cannot patch resource');
    };
  const old = await heldPod({}, { settings: { disruptionSurge: true }, wire });
  await driftAll(full);
  await full.stage.until('it failed', async () => (await history()).length > 0, 5 * MINUTE_MS);
  expect((await history())[0]?.message).toContain('Apply deploy/rbac-disruption-surge.yaml');
  await advance(10 * MINUTE_MS);
  expect([await isGone(old), (await readyPods()).length]).toEqual([false, 1]);
  // The node is not replaced again and again.
  expect([(await history()).length, full.stage.cloud.launches.size]).toEqual([1, 2]);
});

describe('without --disruption-surge', () => {
  test('the annotation has no effect, and events name the flag', async () => {
    const old = await heldPod({}, {});
    const patch = { metadata: { annotations: { [SURGE]: 'true' } } };
    await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
    await driftAll(full);
    await advance(3 * MINUTE_MS);
    expect([await isGone(old), await restartsOf()]).toEqual([false, [0, undefined]]);
    expect(JSON.stringify(await full.stage.eventsOf(old))).toContain('runs without --disruption-surge');
    expect((await full.stage.eventsOf('general')).map(({ reason }) => reason)).toContain(
      'DisruptionSurgeDisabled',
    );
  });
});

test('replacements that wait for pods of a rolling update are not deleted as empty', async () => {
  const stage = { settings: { disruptionSurge: true } };
  full = await runningWorkloads({}, { disruption: { consolidateAfter: '0s' }, stage });
  const selector = { matchLabels: { app: 'a' } };
  await full.stage.apply(POD_DISRUPTION_BUDGETS, { metadata: NAME, spec: { maxUnavailable: 0, selector } });
  const { metadata, spec } = template({ readySeconds: 60 }) as { metadata: object; spec: object };
  const term = { labelSelector: selector, topologyKey: 'kubernetes.io/hostname' };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
  await full.stage.apply(STATEFUL_SETS, {
    metadata: NAME,
    spec: {
      replicas: 2,
      podManagementPolicy: 'Parallel',
      selector,
      serviceName: 'a',
      template: { metadata, spec: { ...spec, affinity } },
    },
  });
  await full.stage.until('the pods are ready', async () => (await readyPods()).length === 2, 5 * MINUTE_MS);
  const old = await nodeNames(full);
  await driftAll(full);
  const areGone = async () => (await nodeNames(full)).every((name) => !old.includes(name));
  await full.stage.until('the old nodes are gone', areGone, 20 * MINUTE_MS);
  // Two for the pods, and one for each of their replacements.
  expect(full.stage.cloud.launches.size).toBe(4);
});
