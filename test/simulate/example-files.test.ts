/** Every file of `examples/` goes through every command that reads files: it is used, or rejected in one sentence. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { regularExpression, run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { everyNth } from '../part.ts';

const ROOT = join(import.meta.dirname, '../..');
const FILES = readdirSync(join(ROOT, 'examples'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(?:ya?ml|json)$/.test(entry.name))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .sort();

/** Not a manifest, but a list of instance types for `simulate --catalogue`. */
const CATALOGUES = new Set(['examples/simulate/catalogue.yaml']);
const MANIFESTS = FILES.filter((file) => !CATALOGUES.has(file));

/** These use every file with a NodePool of Azure or AWS. */
const BOOTSTRAP: readonly (readonly string[])[] = [
  ['bootstrap', 'render', '-f'],
  ['bootstrap', 'render', '-o', 'json', '-f'],
  ['bootstrap', 'explain', '-f'],
  ['bootstrap', 'explain', '-o', 'json', '-f'],
];

/** A plan needs nodes, and most examples have none. */
const PLAN: readonly (readonly string[])[] = [['plan', '-f']];

/** These use every example. */
const SIMULATE: readonly (readonly string[])[] = [
  ['simulate', '--improve', '0', '-f'],
  ['simulate', '--improve', '0', '-o', 'json', '-f'],
  ['simulate', '--improve', '0', '-o', 'html', '-f'],
];

/** These read another kind of file: an example is rejected with a message. */
const OTHERS: readonly (readonly string[])[] = [
  ['why', 'pod/web', '--dump'],
  ['why', '--checklist', 'byok', '--dump'],
  ['controller', '--print-options', '--settings-file'],
  ['flexnode', 'config', 'check', '--config'],
  ['simulate', '--improve', '0', '-f', 'examples/simulate/batch.yaml', '--catalogue'],
];

describe.each(everyNth('examples', MANIFESTS, 12))('%s', (file) => {
  test.each(BOOTSTRAP.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    // The default is another region than the zones of this file.
    const location = text.includes('westeurope-1') ? ['--location', 'westeurope'] : [];
    const { code, out, err } = await chandler([...args, join(ROOT, file), ...location]);
    if ([...text.matchAll(/^kind: NodeClaim$/gm)].length > 1) {
      expect([code, err]).toEqual([
        1,
        'chandler bootstrap: -f: more than one NodeClaim; only one is supported\n',
      ]);
    } else if (/^kind: (?:AKS|EC2)NodeClass$/m.test(text)) {
      expect([code, err]).toEqual([0, '']);
      expect(out).not.toBe('');
    } else if (code !== 0) {
      expect(code).toBe(1);
      expect(err).toMatch(/^chandler bootstrap: [^\n]+\n$/);
      expect(err).toMatch(/no AKSNodeClass, NodePool or NodeClaim|no VM size of the built-in catalogue/);
    }
  });

  test.each(SIMULATE.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    const { code, out, err } = await chandler([...args, join(ROOT, file)]);
    expect([code, err.split('\n').filter((line) => line.startsWith('chandler simulate:'))]).toEqual([0, []]);
    expect(out).not.toBe('');
  });

  test.each(PLAN.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const { code, out, err } = await chandler([...args, join(ROOT, file)]);
    if (/^kind: (?:Node|NodeClaim)$/m.test(text)) {
      expect([code, err]).toEqual([0, '']);
      expect(out).not.toBe('');
    } else {
      expect(code).toBe(1);
      expect(err).toMatch(/^chandler plan: the input has no Nodes and no NodeClaims[^\n]+\n$/);
    }
  });

  test.each(OTHERS.map((args) => [args.join(' '), args] as const))('%s', async (_, args) => {
    const { code, err } = await chandler([...args.map(inRoot), join(ROOT, file)]);
    expect(code).not.toBe(0);
    expect(err).toContain(file.split('/').at(-1)!);
    expect(err).not.toMatch(/^\s+at .*:\d+:\d+/m);
  });
});

test('the catalogue is one that simulate reads', async () => {
  for (const file of CATALOGUES) {
    const batch = join(ROOT, 'examples/simulate/batch.yaml');
    const { code } = await chandler([
      'simulate',
      '--improve',
      '0',
      '-f',
      batch,
      '--catalogue',
      join(ROOT, file),
    ]);
    expect(code).toBe(0);
  }
});

test('there are examples', () => {
  expect(FILES.length).toBeGreaterThanOrEqual(10);
});

function inRoot(word: string): string {
  return word.startsWith('examples/') ? join(ROOT, word) : word;
}

async function chandler(args: readonly string[]) {
  let out = '';
  let err = '';
  const code = await run(VERBS, {
    args,
    env: {},
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  return { code, out, err };
}

test('every pattern of our kinds is one that the commands can evaluate', () => {
  const folder = join(ROOT, 'charts/chandler-crd/templates');
  const patterns = readdirSync(folder).flatMap((name) =>
    [...readFileSync(join(folder, name), 'utf8').matchAll(/^\s*pattern: (.+)$/gm)].map(
      ([, text]) => parse(text!) as string,
    ),
  );
  expect(patterns.length).toBeGreaterThan(50);
  for (const pattern of patterns) expect(() => regularExpression(pattern), pattern).not.toThrow();
});
