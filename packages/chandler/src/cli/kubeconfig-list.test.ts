/** KUBECONFIG with a file that does not exist: kubectl skips it, and so does every command. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { run } from './run.ts';
import { VERBS } from './verbs/index.ts';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'chandler-kubeconfig-'));
  // Read, and then refused without a request: the context does not exist.
  const text =
    'apiVersion: v1\nkind: Config\nclusters: []\nusers: []\ncontexts: []\ncurrent-context: elsewhere\n';
  writeFileSync(join(folder, 'there'), text);
});
afterAll(() => rmSync(folder, { recursive: true }));

const COMMANDS: readonly string[] = [
  'why pod/web',
  'why node/web --verbose',
  'dump -f -',
  'plan',
  'plan --history',
  'simulate --live',
  'controller',
  'controller --print-options',
];

async function errorOf(command: string, env: Readonly<Record<string, string>>) {
  let err = '';
  const code = await run(VERBS, {
    args: command.split(' '),
    env: { HOME: folder, ...env },
    terminal: { out: () => undefined, err: (text) => (err += text), color: false },
    interrupted: new AbortController().signal,
    world: async () => virtualWorld(),
  });
  expect(code).not.toBe(0);
  return err;
}

test.each(COMMANDS)('a missing file in KUBECONFIG does not end chandler %s', async (command) => {
  const files = [join(folder, 'missing'), join(folder, 'there'), join(folder, 'gone')];
  const err = await errorOf(command, { KUBECONFIG: files.join(delimiter) });
  expect(err).toContain('elsewhere');
  for (const name of ['missing', 'gone']) expect(err).not.toContain(join(folder, name));
});

test.each(COMMANDS)('a missing file after --kubeconfig ends chandler %s', async (command) => {
  const env = { KUBECONFIG: join(folder, 'there') };
  const err = await errorOf(`${command} --kubeconfig ${join(folder, 'missing')}`, env);
  expect(err).toContain(`kubeconfig ${join(folder, 'missing')} does not exist`);
});
