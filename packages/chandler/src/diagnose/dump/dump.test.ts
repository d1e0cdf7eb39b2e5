import { gzipSync } from 'node:zlib';
import { EVENTS, LEASES, NODES, PERSISTENT_VOLUMES, PODS } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import type { ListFilter, LookupFailure, ObjectReader, ReadObject } from '../../causes/index.ts';
import { azureDiagnosis } from '../../cloud/azure/index.ts';

import { type Dump, DumpError, encodeDump, parseDump } from './dump.ts';
import { dumpReader } from './dump-reader.ts';
import { openDump } from './dump-view.ts';
import { makeDump } from './make-dump.ts';
import { scrubber } from './scrub.ts';

const cloud = azureDiagnosis();
const scrubbed = scrubber(cloud.options.table);

const TOKEN = 'abcdef.0123456789abcdef';

const POD: ReadObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}',
      'karpenter.sh/do-not-disrupt': 'true',
    },
    managedFields: [{ manager: 'kubectl' }],
  },
  spec: {
    nodeName: 'a',
    containers: [
      {
        name: 'app',
        image: 'i',
        command: ['sh', '-c', 'login hunter2'],
        args: ['--password', 'hunter2', '--log-level=debug'],
        env: [
          { name: 'PASSWORD', value: 'hunter2' },
          { name: 'LOCATION', value: 'westeurope' },
          { name: 'AZURE_CLIENT_SECRET', value: 'hunter2' },
          { name: 'FROM', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } },
        ],
      },
    ],
  },
  status: { phase: 'Running', message: `joined with ${TOKEN}` },
};

describe('what leaves the cluster', () => {
  test('has no secrets, and everything that questions need', () => {
    const text = JSON.stringify(scrubbed(POD));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('managedFields');
    for (const kept of [
      'westeurope',
      '"karpenter.sh/do-not-disrupt":"true"',
      '"nodeName":"a"',
      'secretKeyRef',
      '--log-level=debug',
    ])
      expect(text).toContain(kept);
  });

  test('has no values of annotations in which tools keep whole objects, also of pod templates', () => {
    const applied = '{"env":[{"name":"PASSWORD","value":"hunter2"}]}';
    const annotations = {
      'kubectl.kubernetes.io/last-applied-configuration': applied,
      'kapp.k14s.io/original': applied,
      'objectset.rio.cattle.io/applied': gzipSync(applied).toString('base64'),
      'meta.helm.sh/values': 'password: hunter2',
      note: 'hunter2',
      'chandler.sh/journey': '{"stages":[]}',
    };
    const template = { metadata: { annotations }, spec: POD['spec'] };
    const daemonSet = { kind: 'DaemonSet', metadata: { name: 'a', annotations }, spec: { template } };
    const text = JSON.stringify(scrubbed(daemonSet as unknown as ReadObject));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(gzipSync(applied).toString('base64'));
    // The names stay: they tell which tool is in use.
    expect(text).toContain('"kapp.k14s.io/original":"');
    expect(text).toContain('{\\"stages\\":[]}');
  });

  test('has no list of the images on a node', () => {
    const node = {
      kind: 'Node',
      metadata: { name: 'a' },
      status: { images: [{ names: ['x'] }], phase: 'p' },
    };
    expect(scrubbed(node as unknown as ReadObject)).toEqual({ ...node, status: { phase: 'p' } });
    expect(scrubbed({ kind: 'Node', metadata: { name: 'a' } } as ReadObject)).not.toHaveProperty('status');
  });

  test('has every event, also where the name of one looks like a bootstrap token', async () => {
    const names = ['worker.17f3c21ab9d0e5f2', 'worker.17f3c21ab9d0e5f3', 'my-worker.17f3c21ab9d0e5f2'];
    for (const name of names) {
      const event = { kind: 'Event', metadata: { name, namespace: 'default' }, message: `token ${TOKEN}` };
      const kept = scrubbed(event as unknown as ReadObject);
      expect(kept.metadata.name).toBe(name);
      expect(JSON.stringify(kept)).not.toContain(TOKEN);
    }
  });

  test('does not change what it was made from', () => {
    const before = JSON.stringify(POD);
    scrubbed(POD);
    expect(JSON.stringify(POD)).toBe(before);
  });
});

const EMPTY: Dump = {
  kind: 'ChandlerDump',
  version: 1,
  madeAt: '2026-06-01T09:00:00Z',
  madeBy: 'test',
  kinds: {},
  logs: {},
  evidence: [],
  unread: [],
};

describe('a dump', () => {
  test('is read as it was written, compressed or not', () => {
    const dump = { ...EMPTY, kinds: { pods: { objects: [POD], complete: true } } };
    for (const compressed of [true, false]) expect(parseDump(encodeDump(dump, compressed))).toEqual(dump);
  });

  test('with missing parts or parts of another shape is read as far as possible', () => {
    const text =
      '{"kind":"ChandlerDump","version":1,"kinds":{"pods":{"objects":[1,null,{"metadata":{"name":"a"}}]},"nodes":7},"logs":[1]}';
    expect(parseDump(Buffer.from(text)).kinds).toEqual({
      pods: { objects: [{ metadata: { name: 'a' } }], complete: false },
      nodes: { objects: [], complete: false },
    });
  });

  test.each([
    '',
    'null',
    '[]',
    '{"kind":"ChandlerDump"}',
    '{"kind":"ChandlerDump","version":2}',
    '\u001f\u008b',
  ])('that is none is refused in words: %j', (text) => {
    expect(() => parseDump(Buffer.from(text, 'latin1'))).toThrow(DumpError);
  });

  test('says that an object was not there only where it has all of the kind', async () => {
    const some = dumpReader({ ...EMPTY, kinds: { pods: { objects: [POD], complete: false } } });
    const all = dumpReader({ ...EMPTY, kinds: { pods: { objects: [POD], complete: true } } });
    const other = { namespace: 'shop', name: 'other' };
    expect(await some.get(PODS, other)).toEqual({ why: 'notInDump' });
    expect(await all.get(PODS, other)).toEqual({ why: 'notFound' });
    expect(await all.get(NODES, { name: 'a' })).toEqual({ why: 'notInDump' });
    expect(
      await all.list(PODS, { namespace: 'shop', labels: { app: 'web' }, fields: { 'spec.nodeName': 'a' } }),
    ).toEqual({
      found: [POD],
    });
    expect(await all.list(PODS, { fields: { 'spec.nodeName': 'b' } })).toEqual({ found: [] });
  });

  describe('is looked into without reading all of it', () => {
    const named = (name: string, rest = {}): ReadObject =>
      ({ kind: 'Pod', metadata: { name, namespace: 'shop', ...rest } }) as ReadObject;
    const pods = [
      named('a'),
      named('ab', { labels: { app: 'a' } }),
      { ...named('zwölf "b"\\n'), spec: { nodeName: 'n-1', replicas: 3 } },
      { ...named('c'), spec: { nodeName: 'a' } },
      named('a', { namespace: 'other' }),
    ];
    const dump: Dump = {
      ...EMPTY,
      kinds: {
        nodes: { objects: [], complete: true },
        pods: { objects: pods, complete: true },
        'leases.coordination.k8s.io': { objects: [], complete: false, unread: { why: 'forbidden' } },
      },
      logs: { 'shop/a/app': 'first\nsecond' },
    };
    const readers = {
      'line by line': (written: Dump) => dumpReader(openDump(encodeDump(written, true))),
      // As an older version wrote it, or a tool that was used on it.
      'in another layout': (written: Dump) =>
        dumpReader(openDump(Buffer.from(JSON.stringify(written, null, 1)))),
      'on one line': (written: Dump) => dumpReader(openDump(Buffer.from(JSON.stringify(written)))),
    };

    test.each(Object.entries(readers))('%s, with the same answers', async (_, open) => {
      const reader = open(dump);
      const whole = dumpReader(dump);
      const keys = [...pods.map(({ metadata }) => metadata), { name: 'b' }, { namespace: 'shop', name: 'b' }];
      for (const { name = '', namespace } of keys) {
        const key = namespace === undefined ? { name } : { name, namespace };
        expect(await reader.get(PODS, key), name).toEqual(await whole.get(PODS, key));
      }
      const filters: readonly ListFilter[] = [
        {},
        { atMost: 2 },
        { namespace: 'shop' },
        { namespace: 'shop', atMost: 1 },
        { labels: { app: 'a' } },
        { fields: { 'spec.nodeName': 'a' } },
        { fields: { 'spec.replicas': '3' } },
        { fields: { 'spec.nodeName': '' } },
        { fields: { 'metadata.name': 'zwölf "b"\\n' } },
      ];
      for (const filter of filters)
        expect(await reader.list(PODS, filter), JSON.stringify(filter)).toEqual(
          await whole.list(PODS, filter),
        );
      expect(await reader.get(PODS, { namespace: 'other', name: 'a' })).toEqual({ found: pods[4] });
      expect(await reader.list(NODES)).toEqual({ found: [] });
      expect(await reader.get(NODES, { name: 'a' })).toEqual({ why: 'notFound' });
      expect(await reader.list(LEASES)).toEqual({ why: 'forbidden' });
      expect(await reader.list(EVENTS)).toEqual({ why: 'notInDump' });
      expect(await reader.log({ namespace: 'shop', name: 'a' }, 'app', false)).toEqual({
        found: 'first\nsecond',
      });
    });

    test('and parses no line that a question does not need', async () => {
      const text = Buffer.from(encodeDump(dump, false)).toString('utf8');
      const reader = dumpReader(openDump(Buffer.from(text.replace('"replicas":3', '"replicas"?3'))));
      expect(await reader.get(PODS, { namespace: 'shop', name: 'c' })).toEqual({ found: pods[3] });
      await expect(reader.list(PODS)).rejects.toThrow(DumpError);
    });

    test('and says when it ends too early', () => {
      const bytes = encodeDump(dump, false);
      for (let length = 0; length < bytes.length; length += 7)
        expect(() => openDump(bytes.subarray(0, length)), `${length}`).toThrow(DumpError);
    });
  });

  test('knows that the volume of a pod did not exist, and of other volumes nothing', async () => {
    const pod = {
      ...POD,
      spec: {
        ...(POD['spec'] as object),
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
      },
      status: { phase: 'Pending' },
    };
    const claim = {
      metadata: { name: 'data', namespace: 'shop' },
      spec: { volumeName: 'lost' },
    };
    const other = { metadata: { name: 'other' } };
    const kinds = {
      pods: { objects: [pod], complete: true },
      persistentvolumeclaims: { objects: [claim], complete: true },
      persistentvolumes: { objects: [other], complete: true },
    };
    const made = await makeDump({ reader: dumpReader({ ...EMPTY, kinds }), cloud, madeBy: 'test' });
    const reader = dumpReader(openDump(encodeDump(made, false)));
    expect(await reader.get(PERSISTENT_VOLUMES, { name: 'lost' })).toEqual({ why: 'notFound' });
    expect(await reader.get(PERSISTENT_VOLUMES, { name: 'other' })).toEqual({ why: 'notInDump' });
  });

  test('many unhealthy NodeClaims leave room for kinds with few objects', async () => {
    const names = Array.from({ length: 300 }, (_, index) => `c${index}`);
    const claims = names.map((name) => ({
      metadata: { name },
      spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'a' } },
      status: { conditions: [{ type: 'Ready', status: 'False', message: 'x'.repeat(500) }] },
    }));
    const kinds = {
      'nodepools.karpenter.sh': { objects: [{ metadata: { name: 'default' } }], complete: true },
      'nodeclaims.karpenter.sh': { objects: claims, complete: true },
      pods: { objects: [{ ...POD, status: { phase: 'Failed' } }], complete: true },
    };
    const options = { reader: dumpReader({ ...EMPTY, kinds }), cloud, madeBy: 'test' };
    const small = await makeDump({ ...options, maxBytes: 60_000 });
    expect(encodeDump(small, false).length).toBeLessThanOrEqual(60_000);
    expect(small.kinds['nodepools.karpenter.sh']).toEqual(kinds['nodepools.karpenter.sh']);
    expect(small.kinds['pods']!.objects).toHaveLength(1);
    expect(small.kinds['nodeclaims.karpenter.sh']!.objects.length).toBeGreaterThan(50);
  });

  describe('logs', () => {
    const crashing = (count: number, nodeOf: (index: number) => string) =>
      Array.from({ length: count }, (_, index) => ({
        metadata: { name: `p${index}`, namespace: 'shop' },
        spec: { nodeName: nodeOf(index), containers: [{ name: 'app' }] },
        status: { phase: 'Failed', containerStatuses: [{ name: 'app', restartCount: 1, started: true }] },
      }));
    const asked = async (pods: readonly ReadObject[], log: (pod: string) => LookupFailure | string) => {
      const names: string[] = [];
      const reader: ObjectReader = {
        ...dumpReader({ ...EMPTY, kinds: { pods: { objects: pods, complete: true } } }),
        log: async ({ name }) => {
          names.push(name);
          const answer = log(name);
          return typeof answer === 'string' ? { found: answer } : answer;
        },
      };
      const { logs } = await makeDump({ reader, cloud, madeBy: 'test' });
      return { names, logs: Object.keys(logs), texts: Object.values(logs) };
    };

    test('do not contain the connection strings and keys that containers print', async () => {
      const { texts } = await asked(
        crashing(1, () => 'a'),
        () =>
          'cannot open Endpoint=sb://a.b/;SharedAccessKeyName=Root;SharedAccessKey=hunter2xyz==\n' +
          'AWS_SECRET_ACCESS_KEY=hunter2xyz\naws_secret_access_key = hunter2xyz\nServer=a;Pwd=hunter2xyz;Encrypt=True\n',
      );
      expect(texts).toHaveLength(2);
      expect(texts.join()).not.toContain('hunter2');
      expect(texts.join()).toContain('SharedAccessKeyName=Root;');
    });

    test('of a node that cannot be reached are tried once', async () => {
      const pods = crashing(6, (index) => (index < 4 ? 'lost' : 'well'));
      const isLost = (name: string) => ['p0', 'p1', 'p2', 'p3'].includes(name);
      const { names, logs } = await asked(pods, (name) => (isLost(name) ? { why: 'unreachable' } : 'a line'));
      expect(names).toEqual(['p0', 'p4', 'p4', 'p5', 'p5']);
      expect(logs).toEqual(['shop/p4/app', 'shop/p4/app/previous', 'shop/p5/app', 'shop/p5/app/previous']);
    });

    test('that do not exist do not keep others of the node out', async () => {
      const { names } = await asked(
        crashing(2, () => 'a'),
        () => ({ why: 'notFound' }),
      );
      expect(names).toEqual(['p0', 'p0', 'p1', 'p1']);
    });

    test('are tried at most 60 times, whether they can be read or not', async () => {
      const { names, logs } = await asked(
        crashing(100, (index) => `n${index}`),
        () => ({ why: 'forbidden' }),
      );
      expect([names.length, logs.length]).toEqual([60, 0]);
    });
  });

  test('stays within its size: logs are left out before pods', async () => {
    const pods = Array.from({ length: 200 }, (_, index) => ({
      ...POD,
      metadata: { name: `p${index}`, namespace: 'shop' },
      status: { phase: 'Failed', containerStatuses: [{ name: 'app', restartCount: 1, started: true }] },
    }));
    const reader: ObjectReader = {
      ...dumpReader({ ...EMPTY, kinds: { pods: { objects: pods, complete: true } } }),
      log: async () => ({ found: 'x'.repeat(10_000) }),
    };
    const whole = await makeDump({ reader, cloud, madeBy: 'test' });
    expect(Object.keys(whole.logs).length).toBeGreaterThan(10);
    const small = await makeDump({ reader, cloud, madeBy: 'test', maxBytes: 40_000 });
    expect(small.logs).toEqual({});
    expect(small.cutLogs).toContain('0 are in the dump');
    expect(small.kinds['pods']!.complete).toBe(false);
    expect(small.kinds['pods']!.objects.length).toBeGreaterThan(20);
    expect(encodeDump(small, false).length).toBeLessThanOrEqual(40_000);
  });
});
