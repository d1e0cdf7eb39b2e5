/** What may not be read, or is somewhere else than usual, is not taken for missing. */
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { cataloguePlanner } from '../../packages/chandler/src/cli/testing.ts';
import { azureDiagnosis } from '../../packages/chandler/src/cloud/azure/index.ts';
import {
  dumpReader,
  encodeDump,
  explain,
  gather,
  openDump,
  parseSubject,
} from '../../packages/chandler/src/diagnose/index.ts';

import { asStrict, type CorpusCase, dumpOf } from './corpus.ts';
import { before, NOW_MS } from './objects.ts';
import { partly, without } from './part-reader.ts';

const CLOUD = azureDiagnosis();

async function answer(
  one: Partial<CorpusCase>,
  forbidden: readonly string[] = [],
  partial: readonly string[] = [],
) {
  const dump = dumpOf({ file: 'here', title: '', ask: 'pod/shop/web', expect: {}, ...one } as CorpusCase);
  const whole = asStrict(dumpReader(openDump(encodeDump(dump, false))));
  const reader = without(partly(whole, partial), forbidden);
  const subject = parseSubject([one.ask ?? 'pod/shop/web']);
  if (typeof subject === 'string') throw new Error(subject);
  const planner = cataloguePlanner(virtualWorld({ startMs: NOW_MS }), reader, CLOUD);
  const gathered = await gather(subject, { reader, cloud: CLOUD, planner });
  if (gathered.state !== 'gathered') throw new Error(gathered.message);
  return explain(gathered.subject, gathered.evidence, CLOUD);
}

const volume = (spec: object, age = '5m') => ({
  pods: [
    {
      age,
      name: 'web',
      namespace: 'shop',
      phase: 'Pending',
      spec: { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }] },
    },
  ],
  objects: [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'data', namespace: 'shop', creationTimestamp: before('1h') },
      spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', ...spec },
      status: { phase: 'volumeName' in spec ? 'Bound' : 'Pending' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: { name: 'pv-1', creationTimestamp: before('1h') },
      spec: { accessModes: ['ReadWriteOnce'], claimRef: { namespace: 'shop', name: 'data' } },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'fast' },
      provisioner: 'disk.csi.azure.com',
      volumeBindingMode: 'WaitForFirstConsumer',
    },
  ],
});

describe('a launch that failed 45 minutes ago', () => {
  const one: Partial<CorpusCase> = {
    ask: 'nodepool/default',
    events: [
      {
        on: 'NodePool/default',
        reason: 'SKUNotAvailable',
        message: 'NodeClaim default-old11 event: SkuNotAvailable: The requested size is not available',
        by: 'karpenter',
        ago: '45m',
      },
    ],
  };

  test('is the cause while it is not known whether pods are pending', async () => {
    for (const unseen of [
      [['pods'], []],
      [[], ['pods']],
    ] as const)
      expect(await answer(one, ...unseen)).toMatchObject({ cause: { id: 'azure.sku-not-available' } });
    expect(await answer(one)).toMatchObject({ verdict: 'healthy' });
  });
});

describe('a volume that may not be read', () => {
  test.each([
    ['persistentvolumes', { volumeName: 'pv-1' }],
    ['persistentvolumeclaims', { volumeName: 'pv-1' }],
    ['storageclasses.storage.k8s.io', {}],
  ])('%s: the answer does not say that it is missing', async (kind, spec) => {
    const one = volume(spec) as unknown as Partial<CorpusCase>;
    const all = await answer(one);
    expect([all.verdict, all.cause?.id]).toEqual(['underWay', undefined]);
    // No plan can be made, and the answer says what it could not see. As long as a launch may take, nothing may be wrong.
    const young = await answer(one, [kind]);
    expect([young.verdict, young.also.map(({ id }) => id)]).toEqual(['underWay', ['scheduling.unexplained']]);
    const late = volume(spec, '1h') as unknown as Partial<CorpusCase>;
    const { verdict, cause, unread } = await answer(late, [kind]);
    expect([verdict, cause?.id]).toEqual(['broken', 'scheduling.unexplained']);
    expect(unread.map(({ why }) => why)).toContain('forbidden');
  });

  test('and one that is really missing is named', async () => {
    const one = volume({ volumeName: 'pv-2' }) as unknown as Partial<CorpusCase>;
    expect((await answer(one)).cause?.id).toBe('scheduling.volume-missing');
  });
});

describe('a StorageClass', () => {
  const one = volume({ storageClassName: 'slow' }, '1h') as unknown as Partial<CorpusCase>;

  test('that a dump without all of them lacks is not missing', async () => {
    expect((await answer(one)).cause?.id).toBe('scheduling.storage-class-missing');
    const { cause, unread } = await answer(one, [], ['storageclasses.storage.k8s.io']);
    expect(cause?.id).toBe('scheduling.unexplained');
    expect(unread.map(({ what, why }) => [what, why])).toContainEqual(['storageclasses', 'notInDump']);
  });
});

describe('the endpoints of a Service', () => {
  const slices = 'endpointslices.discovery.k8s.io';
  const broken = (endpoints: readonly object[]) =>
    ({
      claims: [{}],
      nodes: [{}],
      pods: [
        {
          node: 'aks-default-x7k2p',
          ready: false,
          container: {
            waiting: { reason: 'CrashLoopBackOff' },
            last: { reason: 'Error', exitCode: 1 },
            restarts: 3,
          },
        },
      ],
      logs: { 'shop/web/app/previous': 'Error: connect ECONNREFUSED db.shop.svc.cluster.local:5432' },
      objects: [
        {
          apiVersion: 'v1',
          kind: 'Service',
          metadata: { name: 'db', namespace: 'shop' },
          spec: { clusterIP: '10.2.0.9', ports: [{ port: 5432 }], selector: { app: 'db' } },
        },
        ...endpoints.map((endpoint, index) => ({
          apiVersion: 'discovery.k8s.io/v1',
          kind: 'EndpointSlice',
          metadata: {
            name: `db-${index}`,
            namespace: 'shop',
            labels: { 'kubernetes.io/service-name': 'db' },
          },
          endpoints: [endpoint],
        })),
      ],
    }) as unknown as Partial<CorpusCase>;
  const ready = { conditions: { ready: true } };
  const notReady = { conditions: { ready: false } };

  test.each([
    ['that may not be read', broken([ready]), [slices], []],
    ['that a dump without all of them lacks', broken([]), [], [slices]],
    ['that are not ready in a dump without all of them', broken([notReady]), [], [slices]],
  ])('%s are not counted', async (_, one, forbidden, partial) => {
    const { cause } = await answer(one, forbidden, partial);
    expect(cause?.id).toBe('L7.5');
    expect(cause?.fix).toContain('Check whether the Service has ready endpoints');
    expect(JSON.stringify(cause)).not.toMatch(/no ready endpoints|\d ready endpoints/);
  });

  test.each([
    ['none', broken([notReady]), 'The Service has no ready endpoints', '0 ready endpoints'],
    ['one', broken([ready]), 'The Service has ready endpoints', '1 ready endpoint'],
  ])('that can be read are: %s', async (_, one, fix, count) => {
    const { cause } = await answer(one);
    expect(cause?.fix).toContain(fix);
    expect(cause?.seen.map(({ what }) => what)).toContain(count);
  });
});

describe('leader election', () => {
  const lease = (name: string, namespace: string) => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: {
      holderIdentity: 'one',
      leaseDurationSeconds: 15,
      renewTime: new Date(NOW_MS - 2000).toISOString().replace('Z', '000Z'),
    },
  });
  const asked = (env: Record<string, string>, objects: readonly object[]) =>
    answer({ ask: 'nodepool/default', controller: { env, leader: false }, objects } as Partial<CorpusCase>);

  test.each([
    ['is off', { DISABLE_LEADER_ELECTION: 'true' }, []],
    ['has another name', { LEADER_ELECTION_NAME: 'mine' }, [lease('mine', 'kube-system')]],
    [
      'is in another namespace',
      { LEADER_ELECTION_NAMESPACE: 'locks' },
      [lease('karpenter-leader-election', 'locks')],
    ],
  ])('that %s is no reason to say that there is no leader', async (_, env, objects) => {
    expect((await asked(env as Record<string, string>, objects)).cause?.id).toBeUndefined();
  });

  test('that nobody renews is one', async () => {
    expect((await asked({}, [])).cause?.id).toBe('configuration.no-leader');
    expect((await asked({ LEADER_ELECTION_NAME: 'mine' }, [])).cause?.id).toBe('configuration.no-leader');
  });

  test.each(['here', 'none'] as const)(
    'that was renewed minutes ago is no reason: the clock of the caller may be ahead (controller %s)',
    async (hosting) => {
      const idOf = async (leaseAge: string) => {
        const { cause } = await answer({ ask: 'nodepool/default', controller: { hosting, leaseAge } });
        return cause?.id;
      };
      expect(await idOf('4m')).toBeUndefined();
      expect(await idOf('6m')).toBe('configuration.no-leader');
    },
  );
});

describe('what is not read does not make anything healthy', () => {
  const claims = 'nodeclaims.karpenter.sh';
  const claim: Partial<CorpusCase> = { ask: 'nodeclaim/default-x7k2p', claims: [{}], nodes: [{}] };
  const node: Partial<CorpusCase> = { ask: 'node/aks-default-x7k2p', claims: [{}], nodes: [{}] };
  const pool: Partial<CorpusCase> = { ask: 'nodepool/default', claims: [{}], nodes: [{}] };

  test.each([
    ['a NodeClaim, without its node', claim, 'nodes', 'aks-default-x7k2p could not be read'],
    ['a node, without its NodeClaim', node, claims, 'its NodeClaim could not be read'],
    ['a NodePool, without its NodeClaims', pool, claims, 'not all of its NodeClaims could be read'],
  ] as const)('%s', async (_, one, kind, sentence) => {
    expect((await answer(one)).verdict).toBe('healthy');
    const { verdict, standing, layers } = await answer(one, [kind]);
    expect(verdict).toBe('unexplained');
    expect(standing).toContain(sentence);
    if (kind === 'nodes') expect(layers.find(({ layer }) => layer === 'scheduling')?.state).toBe('unknown');
  });

  test('a NodePool of which a dump has only some NodeClaims', async () => {
    expect((await answer(pool, [], [claims])).verdict).toBe('unexplained');
    const launching = {
      ...pool,
      claims: [{ upTo: 'launched', age: '1m' }],
      nodes: [],
    } as Partial<CorpusCase>;
    const whole = await answer(launching);
    expect(whole.verdict).toBe('underWay');
    expect(await answer(launching, [], [claims])).toMatchObject({
      verdict: 'underWay',
      standing: whole.standing,
    });
  });

  test('but a node that is not of a NodePool needs no NodeClaim', async () => {
    const foreign = { ask: 'node/system-1', nodes: [{ name: 'system-1', claim: null, labels: {} }] };
    const { verdict, standing } = await answer(foreign as unknown as Partial<CorpusCase>, [claims]);
    expect([verdict, standing]).toEqual(['healthy', expect.not.stringContaining('has no NodeClaim')]);
  });

  test('a NodeClaim that is not launched, without its NodePool', async () => {
    const launching = { ask: 'nodeclaim/default-x7k2p', claims: [{ upTo: 'created', age: '1m' }] } as const;
    const { layers, unread } = await answer(launching, ['nodepools.karpenter.sh']);
    expect(layers[0]).toMatchObject({ state: 'unknown', detail: 'its NodePool default could not be read' });
    expect(unread).toContainEqual(expect.objectContaining({ kind: 'nodePool', why: 'forbidden' }));
  });

  test('half the name of a node is no name of a NodeClaim', async () => {
    await expect(answer({ ask: 'node/aks-' })).rejects.toThrow('there is no node aks-');
  });
});
