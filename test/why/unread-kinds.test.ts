/**
 * What `why` says of workloads and NodePools when a kind may not be read, or is in a dump only in part: nothing is healthy,
 * and nothing is the cause, because evidence is missing.
 */
import type { ResourceRef } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ObjectReader } from '../../packages/chandler/src/causes/index.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import { dumpReader, makeDump } from '../../packages/chandler/src/diagnose/index.ts';

import { askThrough } from './ask.fixture.ts';
import { type CorpusCase, corpus, dumpOf } from './corpus.ts';

async function answer(one: object, forbidden: readonly string[] = []) {
  const whole = dumpReader(dumpOf({ file: '', title: '', expect: {}, ...one } as unknown as CorpusCase));
  const refused = ({ plural }: ResourceRef) =>
    forbidden.includes(plural) ? ({ why: 'forbidden', permission: `list ${plural}` } as const) : undefined;
  const reader: ObjectReader = {
    ...whole,
    get: async (resource, key) => refused(resource) ?? whole.get(resource, key),
    list: async (resource, filter) => refused(resource) ?? whole.list(resource, filter),
    async *pages(resource, filter) {
      const failure = refused(resource);
      if (failure === undefined) yield* whole.pages(resource, filter);
      else yield failure;
    },
  };
  return askThrough(reader, (one as CorpusCase).ask);
}

const AT = '2026-05-01T08:00:00Z';
const meta = (kind: string, name: string, owner?: readonly [kind: string, name: string]) => ({
  apiVersion: kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1',
  kind,
  metadata: {
    name,
    namespace: 'shop',
    uid: `uid-${name}`,
    creationTimestamp: AT,
    annotations: { 'deployment.kubernetes.io/revision': '1' },
    ...(owner === undefined ? {} : { ownerReferences: ownerOf(...owner) }),
  },
});
const ownerOf = (kind: string, name: string) => [{ apiVersion: 'apps/v1', kind, name, uid: `uid-${name}` }];
const REFUSED = {
  on: 'ReplicaSet/shop/web-2',
  reason: 'FailedCreate',
  message: 'Error creating: pods "w" is forbidden: exceeded quota: small',
  by: 'replicaset-controller',
  ago: '15m',
};
const deployment = (status: object) => [
  { ...meta('Deployment', 'web'), spec: { replicas: 3 }, status },
  { ...meta('ReplicaSet', 'web-2', ['Deployment', 'web']), spec: { replicas: 3 }, status },
];
const FULL = { spec: { limits: { cpu: '10' } }, status: { resources: { cpu: '10', nodes: '3' } } };

describe('nothing is healthy because evidence is missing', () => {
  const nightly = {
    ...meta('CronJob', 'nightly'),
    spec: { schedule: '0 3 * * *' },
    status: { lastScheduleTime: '2026-06-01T03:00:00Z', active: [{ name: 'nightly-1' }] },
  };

  test.each([
    ['a CronJob, without Jobs', { ask: 'cronjob/shop/nightly', objects: [nightly] }, 'jobs'],
    [
      'a CronJob without a Job, without events',
      { ask: 'cronjob/shop/nightly', objects: [{ ...nightly, spec: { schedule: '0 3 1 1 *' }, status: {} }] },
      'events',
    ],
    [
      'a Deployment, without ReplicaSets',
      { ask: 'deployment/shop/web', objects: deployment({}) },
      'replicasets',
    ],
    [
      'a Job, without pods',
      { ask: 'job/shop/load', objects: [{ ...meta('Job', 'load'), spec: {} }] },
      'pods',
    ],
    [
      'a NodePool at its limit, without pods',
      { ask: 'nodepool/default', pool: FULL, pods: [{ age: '30m' }] },
      'pods',
    ],
    ['a NodePool, without events', { ask: 'nodepool/default' }, 'events'],
    ['a NodePool, without NodeClaims', { ask: 'nodepool/default' }, 'nodeclaims'],
    ['a NodePool, without nodes', { ask: 'nodepool/default', claims: [{}], nodes: [{}] }, 'nodes'],
    [
      'a NodePool, without the volume claim of a pod that is pending',
      {
        ask: 'nodepool/default',
        pods: [
          {
            age: '30m',
            spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
          },
        ],
      },
      'persistentvolumeclaims',
    ],
  ])('%s: what is not known is said', async (_, one, forbidden) => {
    const { verdict, standing } = await answer(one, [forbidden]);
    expect(verdict, standing).toBe('unexplained');
    expect(standing).toMatch(/could (?:not )?be read|not known/);
  });

  test('more workloads than are planned are said to be not checked', async () => {
    const pods = Array.from({ length: 12 }, (_, index) => ({
      name: `big-${index}`,
      age: '5h',
      metadata: { ownerReferences: ownerOf('ReplicaSet', `big-${index}`) },
      spec: {
        containers: [{ name: 'app', image: 'a', resources: { requests: { memory: `${4000 + index}Ti` } } }],
      },
    }));
    const few = await answer({ ask: 'nodepool/default', pods: pods.slice(0, 3) });
    const many = await answer({ ask: 'nodepool/default', pods });
    expect(few.verdict).toBe('healthy');
    expect(many.verdict).toBe('unexplained');
    expect(many.standing).toContain('4 more workloads');
  });
});

describe('the status of a workload counts for pods that were not read', () => {
  const pods = ['a', 'b', 'c'].map((name) => ({
    name: `web-${name}`,
    node: 'aks-default-x7k2p',
    metadata: { ownerReferences: ownerOf('ReplicaSet', 'web-2') },
  }));
  const running = { ask: 'deployment/shop/web', pods, events: [REFUSED], claims: [{}], nodes: [{}] };

  test('a refusal that is over is not the cause', async () => {
    const objects = deployment({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 });
    const { verdict, cause, standing } = await answer({ ...running, objects }, ['pods']);
    expect([verdict, cause]).toEqual(['healthy', undefined]);
    expect(standing).toContain('3 of 3 pods Ready');
  });

  test('without a status, a refusal is only suspicious', async () => {
    const { verdict, also } = await answer({ ...running, objects: deployment({}) }, ['pods']);
    expect(verdict).toBe('unexplained');
    expect(also.map(({ id }) => id)).toEqual(['workloads.quota']);
  });

  test('a Deployment all of whose pods are Ready is healthy without its ReplicaSets', async () => {
    const objects = deployment({ replicas: 3, readyReplicas: 3, updatedReplicas: 3 });
    expect((await answer({ ...running, objects }, ['replicasets'])).verdict).toBe('healthy');
  });

  test('fewer pods than are due, and a refusal: the refusal is the cause', async () => {
    const objects = deployment({ replicas: 1, readyReplicas: 1, updatedReplicas: 1 });
    const { cause, standing } = await answer({ ...running, objects }, ['pods']);
    expect(cause?.id).toBe('workloads.quota');
    expect(standing).toContain('1 of 3 pods Ready; 1 exist');
  });
});

test('a dump has a pod that fails again and again and is Ready in between', async () => {
  const [one] = corpus().filter(({ file }) => file === 'workload-ready-until-out-of-memory.yaml');
  const reader = dumpReader(dumpOf(one!));
  const dump = await makeDump({ reader, cloud: azureDiagnosis(), madeBy: 'test', namespaces: [] });
  const { cause } = await askThrough(dumpReader(dump), one!.ask);
  expect(cause?.id).toBe('containers.out-of-memory');
});

const WORKLOADS = corpus().filter(({ file }) => file.startsWith('workload-'));

test.each(WORKLOADS.map((one) => [one.file, one] as const))(
  'a dump without the pods that are healthy gives the same answer: %s',
  async (_, one) => {
    const { dump, withoutHealthy } = statusDumps(one);
    const whole = await askThrough(dumpReader(dump), one.ask);
    const partial = await askThrough(dumpReader(withoutHealthy), one.ask);
    expect([partial.verdict, partial.cause?.id, partial.standing]).toEqual([
      whole.verdict,
      whole.cause?.id,
      whole.standing,
    ]);
  },
);

interface Loose {
  readonly metadata: {
    readonly uid?: string;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string }[];
  };
  readonly status?: {
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

/** With the counts that controllers write: once with all pods, and once with those that a dump has by default. */
function statusDumps(one: CorpusCase) {
  const full = dumpOf(one);
  const pods = (full.kinds['pods']?.objects ?? []) as readonly unknown[] as readonly Loose[];
  const isReady = ({ status }: Loose) =>
    status?.phase === 'Running' &&
    status.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') === true;
  const counted = (kind: string) =>
    (full.kinds[kind]?.objects ?? []).map((object) => {
      const owned = pods.filter(({ metadata }) =>
        metadata.ownerReferences?.some(({ uid }) => uid === object.metadata.uid),
      );
      const isActive = ({ metadata, status }: Loose) =>
        (metadata.deletionTimestamp === undefined || kind === 'statefulsets.apps') &&
        !['Failed', 'Succeeded'].includes(status?.phase ?? '');
      const active = owned.filter(isActive).length;
      const ready = owned.filter(isReady).length;
      const counts = {
        'jobs.batch': { startTime: AT, active, ready },
        'daemonsets.apps': { currentNumberScheduled: active, numberReady: ready },
      }[kind] ?? { replicas: active, readyReplicas: ready };
      return { ...object, status: { ...counts, ...(object['status'] as object | undefined) } };
    });
  const kinds = { ...full.kinds };
  for (const kind of ['replicasets.apps', 'statefulsets.apps', 'daemonsets.apps', 'jobs.batch'])
    kinds[kind] = { objects: counted(kind), complete: true };
  const unhealthy = (full.kinds['pods']?.objects ?? []).filter((pod) => {
    const { metadata, status } = pod as unknown as Loose;
    return (
      // It may fail again and again, and be Ready in between.
      JSON.stringify(status).includes('"lastState"') ||
      metadata.deletionTimestamp !== undefined ||
      !(isReady(pod as never) || status?.phase === 'Succeeded')
    );
  });
  return {
    dump: { ...full, kinds },
    withoutHealthy: { ...full, kinds: { ...kinds, pods: { objects: unhealthy, complete: false } } },
  };
}
