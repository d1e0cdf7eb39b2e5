import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../run.ts';
import { loadVerbs } from './load-verbs.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-migrate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('prints values, and on standard error what became of each key', async () => {
  const { code, out, err } = await migrate(
    'replicas: 1\nsettings: {clusterName: shop, interruptionQueue: q}\nwebhook: {}\n',
  );
  expect(code).toBe(0);
  expect(parse(out)).toEqual({
    cloud: 'aws',
    replicas: 1,
    settings: { clusterName: 'shop', interruptionQueue: 'q' },
  });
  expect(err.split('\n')).toEqual([
    'dropped  webhook: Chandler has no webhook',
    'kept     replicas',
    'kept     settings.clusterName',
    'kept     settings.interruptionQueue',
    'image.repository is required: set it, or run this with --image REPOSITORY',
    '',
  ]);
});

test('prints JSON with values and keys', async () => {
  const { code, out } = await migrate(
    'replicas: 1\n',
    '--cloud',
    'aws',
    '--image',
    'r/chandler',
    '-o',
    'json',
  );
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({
    cloud: 'aws',
    values: { cloud: 'aws', image: { repository: 'r/chandler' }, replicas: 1 },
    keys: [{ key: 'replicas', action: 'kept' }],
  });
});

test('exits 1 and names a key that it does not understand', async () => {
  const { code, err } = await migrate('replicaCount: 1\n', '--cloud', 'aws', '--image', 'r/chandler');
  expect(code).toBe(1);
  expect(err).toContain('unknown  replicaCount: no chart of Karpenter 1.x has this key\n');
  expect(err).toMatch(/karpenter\.yaml: 1 key is not understood: replicaCount\n$/);
});

test.each([
  ['a file that is no YAML', 'a: [\n', 1, /karpenter\.yaml is not YAML: .*line/],
  ['a file without keys', '- a\n', 1, /karpenter\.yaml is not a values file: it has no keys/],
  ['an empty file', '', 1, /karpenter\.yaml is not a values file/],
  ['two documents', 'a: 1\n---\nb: 1\n', 1, /has 2 documents; a values file has one/],
  [
    'values that tell no cloud',
    'replicas: 1\n',
    2,
    /--cloud: .*karpenter\.yaml does not tell the cloud of the cluster; set it to azure or aws/,
  ],
])('%s is an error of one sentence', async (_, text, expected, says) => {
  const { code, err, out } = await migrate(text);
  expect({ code, out }).toEqual({ code: expected, out: '' });
  expect(err).toMatch(says);
  expect(err).not.toMatch(/^ +at /m);
});

test('a file that is not there, and no file, are errors', async () => {
  expect((await call(['migrate-values', join(folder, 'none.yaml')])).err).toContain(
    'none.yaml cannot be read (ENOENT)',
  );
  expect(await call(['migrate-values'])).toMatchObject({
    code: 2,
    err: expect.stringContaining('name one values file'),
  });
});

// ---------------------------------------------------------------------------------------------------

async function migrate(text: string, ...args: string[]) {
  const file = join(folder, 'karpenter.yaml');
  writeFileSync(file, text);
  return call(['migrate-values', file, ...args]);
}

async function call(args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await run(await loadVerbs(args), {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}
