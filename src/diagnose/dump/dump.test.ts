import { describe, expect, test } from 'vitest';
import type { KubeObject } from '../../api/index.ts';
import { NODES, PODS } from '../../kube/index.ts';
import type { ObjectReader } from '../reader/reader.ts';
import { type Dump, DumpError, encodeDump, parseDump } from './dump.ts';
import { dumpReader } from './dump-reader.ts';
import { makeDump } from './make-dump.ts';
import { scrubbed } from './scrub.ts';

const TOKEN = 'abcdef.0123456789abcdef';

const POD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'web',
    namespace: 'shop',
    labels: { app: 'web' },
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"password":"hunter2"}',
      note: 'keep',
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
  test('has no secrets in it, and still what questions need', () => {
    const text = JSON.stringify(scrubbed(POD));
    expect(text).not.toContain('hunter2');
    expect(text).not.toContain(TOKEN);
    expect(text).not.toContain('managedFields');
    for (const kept of ['westeurope', '"note":"keep"', '"nodeName":"a"', 'secretKeyRef', '--log-level=debug'])
      expect(text).toContain(kept);
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

  test('with parts missing or of another shape is read as far as it goes', () => {
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

  test('stays within its size: logs go first', async () => {
    const pods = Array.from({ length: 200 }, (_, index) => ({
      ...POD,
      metadata: { name: `p${index}`, namespace: 'shop' },
      status: { phase: 'Failed', containerStatuses: [{ name: 'app', restartCount: 1, started: true }] },
    }));
    const reader: ObjectReader = {
      ...dumpReader({ ...EMPTY, kinds: { pods: { objects: pods, complete: true } } }),
      log: async () => ({ found: 'x'.repeat(10_000) }),
    };
    const whole = await makeDump({ reader, madeBy: 'test' });
    expect(Object.keys(whole.logs).length).toBeGreaterThan(10);
    const small = await makeDump({ reader, madeBy: 'test', mostBytes: 40_000 });
    expect(small.logs).toEqual({});
    expect(small.kinds['pods']!.complete).toBe(false);
    expect(small.kinds['pods']!.objects.length).toBeGreaterThan(20);
    expect(encodeDump(small, false).length).toBeLessThanOrEqual(45_000);
  });
});
