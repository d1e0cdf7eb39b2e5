/** `chandler why` and `chandler dump` as people call them, on an embedded API server over a real socket and on files. */
import {
  chmodSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import {
  fetchTransport,
  KubeClient,
  type KubeObject,
  PODS,
  promMetrics,
  type ResourceRef,
  systemWorld,
} from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { encodeDump } from '../../packages/chandler/src/diagnose/index.ts';
import { type Playground, startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { corpus, dumpOf } from './corpus.ts';
import { chandler, configOf } from './verb.fixture.ts';

const SECRET = 'hunter2-very-secret';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-why-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function fileOf(name: string, bytes: Uint8Array | string): string {
  const path = join(folder, name);
  writeFileSync(path, bytes);
  return path;
}

const caseNamed = (file: string) => corpus().find((one) => one.file === file)!;

describe('chandler why from a dump', () => {
  test('names the first broken layer, its cause and the fix', async () => {
    const file = fileOf('l63.json.gz', encodeDump(dumpOf(caseNamed('L6.3-too-large.yaml')), true));
    const { code, out } = await chandler(['why', 'pod/web', '-n', 'shop', '--dump', file]);
    expect(code).toBe(0);
    expect(out).toContain('pod/shop/web: broken');
    expect(out).toContain('6 Scheduling             broken');
    expect(out).toContain('fix      Lower the requests of the pod');
  });

  test('prints JSON for programs, and fails on demand', async () => {
    const file = fileOf('l72.json', encodeDump(dumpOf(caseNamed('L7.2-crash.yaml')), false));
    const { code, out } = await chandler([
      'why',
      'pod',
      'shop/web',
      '--dump',
      file,
      '-o',
      'json',
      '--fail-on-broken',
    ]);
    expect(code).toBe(3);
    expect(JSON.parse(out)).toMatchObject({
      subject: 'pod/shop/web',
      verdict: 'broken',
      cause: { id: 'L7.2', layer: 'readiness', layerNumber: 7 },
      layers: [{}, {}, {}, {}, {}, { state: 'ok' }, { state: 'broken' }],
    });
  });

  test('finds the pod without a namespace in the question, and reports that it is healthy', async () => {
    const file = fileOf('well.json', encodeDump(dumpOf(caseNamed('well-pod.yaml')), false));
    const { out } = await chandler(['why', 'pod/web', '--dump', file]);
    expect(out).toContain('pod/shop/web: healthy');
  });

  test('follows a value to where it was lost', async () => {
    const file = fileOf('l22.json', encodeDump(dumpOf(caseNamed('L2.2-lost-at-provider.yaml')), false));
    const args = ['why', 'value', 'diskEncryptionSetID', '--nodeclaim', 'default-x7k2p', '--dump', file];
    const { out } = await chandler(args);
    expect(out).toContain('! nodeClass');
    expect(out).toMatch(
      /Lost at nodeClass: the value is \/subscriptions\/\S+ at options and absent at nodeClass/,
    );
    expect(JSON.parse((await chandler([...args, '-o', 'json'])).out)).toMatchObject({
      lostAt: { before: 'options', at: 'nodeClass' },
    });
  });

  test('[000-8] walks the twelve steps by itself', async () => {
    const file = fileOf('l34.json', encodeDump(dumpOf(caseNamed('L3.4-not-on-disk.yaml')), false));
    const { out } = await chandler(['why', '--checklist', 'byok', '--dump', file]);
    expect(out.match(/^ ?\d+\. /gm)).toHaveLength(12);
    expect(out).toContain("11. The VM's OS disk has the configured set: BROKEN");
  });

  test('a set that was lost early is missing in all later steps, and each says where it was lost', async () => {
    const file = fileOf('l22b.json', encodeDump(dumpOf(caseNamed('L2.2-lost-at-provider.yaml')), false));
    const { out } = await chandler(['why', '--checklist', 'byok', '--dump', file]);
    expect(out).toContain(' 2. The controller has the value when a launch starts: BROKEN');
    expect(out).toContain(' 4. The VM object has the value: BROKEN');
    expect(out).toContain('the value is present at options and lost at nodeClass');
  });
});

describe('chandler why says what is wrong with the question', () => {
  const well = () => fileOf('q.json', encodeDump(dumpOf(caseNamed('well-pod.yaml')), false));
  const partly = () => {
    const dump = dumpOf(caseNamed('well-pod.yaml'));
    const pods = { ...dump.kinds['pods']!, complete: false };
    return fileOf('partly.json', encodeDump({ ...dump, kinds: { ...dump.kinds, pods } }, false));
  };
  const twice = () => {
    const one = caseNamed('well-pod.yaml');
    const other = { name: 'web', namespace: 'bank', node: 'aks-default-x7k2p' };
    return fileOf('two.json', encodeDump(dumpOf({ ...one, pods: [...one.pods!, other] }), false));
  };
  test.each<[string, () => readonly string[], number, string]>([
    ['no object', () => ['why'], 2, 'chandler why: no object: name pod/NAME'],
    ['another kind', () => ['why', 'service/x', '--dump', well()], 2, 'not one of these kinds'],
    ['a kind without a name', () => ['why', 'pod', '--dump', well()], 2, 'name the pod'],
    [
      'a pod that is not there',
      () => ['why', 'pod/wev', '-n', 'shop', '--dump', well()],
      1,
      'there is no pod wev in the namespace shop; did you mean web?',
    ],
    [
      'a pod that was well when the dump was made',
      () => ['why', 'pod/other', '--dump', partly()],
      1,
      'only included with `chandler dump -n NAMESPACE`',
    ],
    [
      'the beginning of a name',
      () => ['why', 'node/aks-default', '--dump', well()],
      1,
      'there is aks-default-x7k2p',
    ],
    [
      'a node taken for a claim',
      () => ['why', 'nodeclaim/aks-default-x7k2p', '--dump', well()],
      1,
      'did you mean default-x7k2p?',
    ],
    [
      'a pod of two namespaces',
      () => ['why', 'pod/web', '--dump', twice()],
      1,
      'namespaces bank, shop; choose one with -n',
    ],
    [
      'a dump that is not there',
      () => ['why', 'pod/x', '--dump', join(folder, 'none')],
      1,
      'cannot be read (ENOENT)',
    ],
    ['a file that is no dump', () => ['why', 'pod/x', '--dump', fileOf('x', 'hello')], 1, 'is not JSON'],
    ['JSON that is no dump', () => ['why', 'pod/x', '--dump', fileOf('y', '{}')], 1, 'no dump'],
    [
      'a dump of tomorrow',
      () => ['why', 'pod/x', '--dump', fileOf('z', '{"kind":"ChandlerDump","version":99}')],
      1,
      'use a newer one',
    ],
    [
      'half a dump',
      () => [
        'why',
        'pod/x',
        '--dump',
        fileOf('half.gz', encodeDump(dumpOf(caseNamed('well-pod.yaml')), true).subarray(0, 200)),
      ],
      1,
      'is it whole?',
    ],
    [
      'a value that is none',
      () => ['why', 'value', 'diskEncryptionSetIDs', '--dump', well()],
      2,
      'did you mean diskEncryptionSetID?',
    ],
    [
      'a value of nobody',
      () => ['why', 'value', 'diskEncryptionSetID', '--dump', well()],
      2,
      'name the NodeClaim',
    ],
    ['a checklist that is none', () => ['why', '--checklist', 'dns'], 2, 'byok'],
    ['a dump that is watched', () => ['why', 'pod/web', '--dump', well(), '--watch'], 2, 'of a live cluster'],
  ])('%s', async (_, args, code, words) => {
    const answer = await chandler(args());
    expect(answer.err).toContain(words);
    expect([answer.code, answer.out]).toEqual([code, '']);
  });
});

describe('chandler dump and why on a live cluster', () => {
  let playground: Playground;
  let kubeconfig = '';
  beforeAll(async () => {
    const { log } = virtualWorld();
    const world = systemWorld({ log, metrics: promMetrics({ processMetrics: false }) });
    playground = await startPlayground({ world, azure: false, systemNodes: 1 });
    const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
    const create = (resource: ResourceRef, object: object) => admin.create(resource, object as KubeObject);
    await create(
      {
        group: 'karpenter.azure.com',
        version: 'v1beta1',
        plural: 'aksnodeclasses',
        kind: 'AKSNodeClass',
        namespaced: false,
      },
      NODE_CLASS,
    );
    await create(NODE_POOLS, pool('default'));
    await create(
      PODS,
      pod('web', {
        nodeSelector: { 'example.com/none': 'x' },
        containers: [
          {
            name: 'main',
            image: 'i',
            env: [{ name: 'DB_PASSWORD', value: SECRET }],
            command: ['sh', '-c', `echo ${SECRET}`],
          },
        ],
      }),
    );
    kubeconfig = fileOf('kubeconfig', JSON.stringify(configOf(playground)));
  });
  afterAll(() => playground.stop());

  test('answers from the cluster, and the same from a dump of it', async () => {
    const live = await chandler(['why', 'pod/web', '--kubeconfig', kubeconfig, '-o', 'json']);
    expect(live.err).toBe('');
    expect(JSON.parse(live.out)).toMatchObject({ cause: { id: 'L6.4' } });
    const file = join(folder, 'cluster.json');
    expect(await chandler(['dump', '--kubeconfig', kubeconfig, '-f', file])).toMatchObject({ code: 0 });
    const dumped = await chandler(['why', 'pod/web', '--dump', file, '-o', 'json']);
    expect(JSON.parse(dumped.out)).toMatchObject({ cause: { id: 'L6.4' } });
    expect(readFileSync(file, 'utf8')).not.toContain(SECRET);
  });

  test('a dump is a new file that only its owner may read, whatever had the name', async () => {
    const dumpTo = (file: string) => chandler(['dump', '--kubeconfig', kubeconfig, '-f', file]);
    const open = fileOf('open.json', 'old');
    chmodSync(open, 0o644);
    expect(await dumpTo(open)).toMatchObject({ code: 0 });
    expect(statSync(open).mode & 0o777).toBe(0o600);

    const victim = fileOf('victim', 'untouched');
    const link = join(folder, 'link.json');
    symlinkSync(victim, link);
    expect(await dumpTo(link)).toMatchObject({ code: 0 });
    expect(readFileSync(victim, 'utf8')).toBe('untouched');
    expect(lstatSync(link).isFile()).toBe(true);

    const { code, err } = await dumpTo('/dev/null');
    expect([code, err]).toEqual([1, expect.stringContaining('/dev/null is not a regular file')]);
    expect(readdirSync(folder).filter((name) => name.startsWith('.chandler-dump'))).toEqual([]);
  });

  test('--watch prints when the answer changes, and ends when the object is deleted', async () => {
    const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
    await admin.create(PODS, pod('short', { nodeSelector: { 'example.com/none': 'x' } }) as KubeObject);
    const watching = chandler(['why', 'pod/short', '--kubeconfig', kubeconfig, '--watch', '-o', 'json']);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    await admin.delete(PODS, { namespace: 'default', name: 'short' }, { gracePeriodSeconds: 0 });
    const { code, out, err } = await watching;
    expect(code).toBe(1);
    expect(JSON.parse(out.split('\n')[0]!)).toMatchObject({ subject: 'pod/default/short' });
    expect(err).toContain('there is no pod short');
  }, 30_000);

  test('a cluster that does not answer is said to be one', async () => {
    const nowhere = fileOf('nowhere', JSON.stringify(configOf(playground, 'https://127.0.0.1:1')));
    const { code, err } = await chandler(['why', 'pod/web', '--kubeconfig', nowhere]);
    expect(code).toBe(1);
    expect(err).toContain('cannot be read');
  });
});
