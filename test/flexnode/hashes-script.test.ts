/** `scripts/flexnode-hashes.ts` with a list of its own and a copy of the table. */
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
const TABLE = join(ROOT, 'packages/chandler/src/flexnode/artifacts/hashes.table.ts');

let folder: string;
let table: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'flexnode-hashes-'));
  table = join(folder, 'hashes.table.ts');
  copyFileSync(TABLE, table);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const KEYS = ['runc', 'containerd_archive', 'cni_binary', 'kubelet', 'kubectl', 'kubeadm'];

function refresh(runc: Readonly<Record<string, string>>, ...flags: readonly string[]) {
  const versions = Object.entries(runc).map(([version, hash]) => `    ${version}: sha256:${hash}\n`);
  const list = KEYS.map((key) => {
    const rows = key === 'runc' ? versions.join('') : '';
    return `${key}_checksums:\n  amd64:${rows === '' ? ' {}\n' : `\n${rows}`}  arm64:${rows === '' ? ' {}\n' : `\n${rows}`}`;
  });
  const file = join(folder, 'checksums.yml');
  writeFileSync(file, list.join(''));
  const script = join(ROOT, 'scripts/flexnode-hashes.ts');
  return spawnSync(process.execPath, [script, '--from', file, '--table', table, ...flags], {
    encoding: 'utf8',
  });
}

test('adds new versions in their place, and changes nothing else', () => {
  const before = readFileSync(table, 'utf8');
  const run = refresh({ '1.4.9': 'a'.repeat(64), '1.5.0-rc.1': 'b'.repeat(64), '1.0.0': 'c'.repeat(64) });
  expect(run.status, run.stderr).toBe(0);
  expect(run.stdout).toBe('added 1 versions: runc/1.4.9\n');
  const entry = `  'runc/1.4.9': {\n    amd64: '${'a'.repeat(64)}',\n    arm64: '${'a'.repeat(64)}',\n  },\n`;
  const after = readFileSync(table, 'utf8');
  expect(after).toContain(entry);
  expect(after.replace(entry, '')).toBe(before);
});

test('a list without new versions changes nothing', () => {
  const run = refresh({});
  expect(run.stdout).toMatch(/^up to date: \d+ versions\n$/);
  expect(readFileSync(table, 'utf8')).toBe(readFileSync(TABLE, 'utf8'));
});

test('a hash that differs from the table is an error with both, and nothing is written', () => {
  const run = refresh({ '1.4.3': 'd'.repeat(64), '1.4.9': 'a'.repeat(64) });
  expect(run.status).toBe(1);
  expect(run.stderr).toContain(`runc/1.4.3/amd64: `);
  expect(run.stderr).toContain(`${'d'.repeat(64)} in the list`);
  expect(readFileSync(table, 'utf8')).toBe(readFileSync(TABLE, 'utf8'));
});

test('--check fails if a version is missing, and writes nothing', () => {
  const run = refresh({ '1.4.9': 'a'.repeat(64) }, '--check');
  expect(run.status).toBe(1);
  expect(run.stderr).toContain('missing: runc/1.4.9');
  expect(readFileSync(table, 'utf8')).toBe(readFileSync(TABLE, 'utf8'));
});
