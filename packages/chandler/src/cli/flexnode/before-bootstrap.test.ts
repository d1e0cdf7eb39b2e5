import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from '../../../../../test/flexnode/folder-machine.ts';
import type { FlexConfig } from '../../flexnode/index.ts';
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

test('preflight runs if the config has changed since', async () => {
  const config = await machine.configOf({ kubernetes: { version: '1.32.9' } });
  expect(await reports(config)).toMatchObject([{ type: 'preflight' }]);
});

test.each([
  ['does not need Azure if only programs change', { kubernetes: { version: '1.32.9' } }, false],
  ['needs Azure if the permissions of the node change', { security: { tlsBootstrap: false } }, true],
])('preflight %s', async (_, changes, expected) => {
  const [report] = await reports(await machine.configOf(changes));
  const names = (report as { checks: { name: string }[] }).checks.map(({ name }) => name);
  expect(names.includes('azure-cluster')).toBe(expected);
});

test.each([
  ['1.34.4', 'ok'],
  ['1.33.1', 'warning'],
])('preflight compares the version with the API server of today: %s', async (version, severity) => {
  machine.azure.serverVersion = version;
  const [report] = await reports(await machine.configOf({ kubernetes: { version: '1.34.2' } }));
  const checks = (report as { checks: { name: string; severity: string }[] }).checks;
  expect(checks.find(({ name }) => name === 'version-skew')?.severity).toBe(severity);
});

/** Errors are reported as warnings, because all checks are ignored. */
async function reports(config?: FlexConfig): Promise<unknown[]> {
  const written: string[] = [];
  const parts = await machine.parts(config === undefined ? {} : { config });
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
