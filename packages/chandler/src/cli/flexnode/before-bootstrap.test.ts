import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import { beforeBootstrap } from './before-bootstrap.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
});
afterEach(() => machine.dispose());

test('preflight is skipped on a machine where every step is completed', async () => {
  expect(await reports()).toEqual([]);
});

test('preflight runs on a copied disk of such a machine', async () => {
  writeFileSync(`${machine.root}/etc/machine-id`, `${'c'.repeat(32)}\n`);
  expect(await reports()).toMatchObject([{ type: 'preflight' }]);
});

async function reports(): Promise<unknown[]> {
  const written: string[] = [];
  const parts = await machine.parts();
  const agent = { parts, fetch: parts.world.fetch, session: () => Promise.reject(new Error('no session')) };
  await beforeBootstrap(agent, {
    ignore: ['all'],
    allowUnsupportedOs: true,
    signal: new AbortController().signal,
    terminal: { out: (text) => void written.push(text), err: () => undefined, color: false },
    json: true,
  });
  return written.map((line) => JSON.parse(line));
}
