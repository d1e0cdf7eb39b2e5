/** `bootstrap --dry-run` as an operator sees it: three configs, through the verb itself, on a plain machine in a folder. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { argv, execPath } from 'node:process';
import { virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { flexnode, run } from '../../packages/chandler/src/cli/testing.ts';
import { STEP_IDS } from '../../packages/chandler/src/flexnode/index.ts';
import { type Changes, minimalFile } from '../../packages/chandler/src/flexnode/testing.ts';

import { CLIENT_SECRET, CONFIGS } from './dry-run-configs.ts';
import { treeOf } from './tree.ts';
import { layPlainTree } from './ubuntu-files.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-dry-'));
  root = join(folder, 'machine');
  layPlainTree(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('flexnode bootstrap --dry-run', () => {
  test.each(Object.keys(CONFIGS))('golden: %s', async (name) => {
    const before = treeOf(root, { without: [] });
    const { code, out, err } = await dryRun(CONFIGS[name]!);
    expect(code, err).toBe(0);
    for (const step of STEP_IDS) expect(out).toContain(` [${step}]`);
    expect(out).not.toContain('would stop here');
    expect(out).not.toContain('missing:');
    expect(out + err).not.toContain(CLIENT_SECRET);
    expect(treeOf(root, { without: [] })).toEqual(before);
    await expect(out).toMatchFileSnapshot(`golden/${name}.txt`);
  });

  test('the smallest config gives a whole plan, which names the hash of the Arc agent as missing', async () => {
    const { code, out } = await dryRun({});
    expect(code).toBe(3);
    for (const step of STEP_IDS) expect(out).toContain(` [${step}]`);
    const key = 'azcmagent/1.66.03466.1193/amd64';
    expect(out).toContain(`    missing: no SHA-256 hash is known for ${key}; it is not downloaded`);
    const last = out.trimEnd().split('\n').at(-1);
    expect(last).toMatch(/^Run curl -fsSL https:\/\/packages\.microsoft\.com\/\S+_amd64\.deb \| sha256sum, /);
    expect(last).toContain(`"downloads": {"sha256": {"${key}": "<hash>"}}`);
  });

  test('for programs it is the same plan, without the secret too', async () => {
    const { code, out } = await dryRun(CONFIGS['plan-default']!, ['-o', 'json']);
    expect(code).toBe(0);
    expect(out).not.toContain(CLIENT_SECRET);
    const lines = out.trimEnd().split('\n');
    const plan = JSON.parse(lines.at(-1)!) as { steps: { step: string; status: string }[] };
    expect(plan.steps.map(({ step }) => step)).toEqual([...STEP_IDS]);
  });
});

async function dryRun(changes: Changes, more: readonly string[] = []) {
  const config = join(folder, 'config.json');
  writeFileSync(config, JSON.stringify(minimalFile(changes), null, 2), { mode: 0o600 });
  const said = { out: '', err: '' };
  const code = await run([flexnode], {
    args: ['flexnode', 'bootstrap', '--dry-run', '--offline', '--root', root, '--config', config, ...more],
    env: {},
    terminal: {
      out: (text) => {
        said.out += text;
      },
      err: (text) => {
        said.err += text;
      },
      color: false,
    },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  // Where this program lies is not the same everywhere.
  const out = said.out
    .replaceAll(execPath, '/usr/bin/node')
    .replaceAll(argv[1]!, '/opt/chandler/chandler.js');
  return { code, out, err: said.err };
}
