import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { simulate } from '../simulate/examples.ts';
import { exampleFile, plan } from './examples.ts';

const FILE = ['-f', exampleFile('half-empty'), '--at', '2026-06-02T12:00:00Z'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'plan-rules-'));
});
afterEach(() => rm(folder, { recursive: true }));

async function freezeFile(data: Record<string, string>): Promise<string> {
  const metadata = { name: 'chandler-freeze', namespace: 'kube-system' };
  const file = join(folder, 'freeze.json');
  await writeFile(file, JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }));
  return file;
}

describe('chandler plan', () => {
  test('shows the freeze of a ConfigMap, and gives no command until it is over', async () => {
    const file = await freezeFile({ freeze: '2026-06-02T18:00:00Z', by: 'ops', reason: 'launch day' });
    const frozen = await plan([...FILE, '-f', file]);
    expect([frozen.code, frozen.err]).toEqual([0, '']);
    expect(frozen.out).toContain('disruption is frozen until 2026-06-02T18:00:00Z by ops: launch day');
    expect(frozen.out).not.toContain('Empty: delete');
    const later = await plan(['-f', FILE[1]!, '-f', file, '--at', '2026-06-02T18:00:00Z']);
    expect(later.out).toContain('Empty: delete');
  });

  test('other ConfigMaps do not matter', async () => {
    const file = join(folder, 'other.yaml');
    await writeFile(
      file,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: other}\ndata: {freeze: "true"}\nbinaryData: {a: aGk=}\n',
    );
    const { code, out, err } = await plan([...FILE, '-f', file]);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Empty: delete');
  });

  test('takes the thresholds for all NodePools as flags', async () => {
    const strict = await plan([...FILE, '--consolidation-min-saving-per-month', '10000', '-o', 'json']);
    const { commands } = JSON.parse(strict.out) as { commands: { reason: string }[] };
    expect(commands.map(({ reason }) => reason)).toEqual(['Empty']);
    expect(strict.out).toContain('asks for $10000.00');
  });

  test('with a threshold that is no number is a usage error', async () => {
    const { code, err } = await plan([...FILE, '--consolidation-min-saving-percent', '101']);
    expect(code).toBe(2);
    expect(err).toContain('--consolidation-min-saving-percent');
  });
});

test('chandler simulate --consolidate shows the freeze of a ConfigMap', async () => {
  const file = await freezeFile({ freeze: 'true', by: 'ops' });
  const { code, out, err } = await simulate(['-f', FILE[1]!, '-f', file, '--consolidate', '--no-bound']);
  expect([code, err]).toEqual([0, '']);
  expect(out).toContain('disruption is frozen by ops');
  expect(out).not.toContain('Empty: delete');
});
