/** The bindings of a node over its whole life, in both modes; `npm run test:flexnode` asks a real API server about them. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const bindings = () => [...machine.azure.bindings.keys()].sort();
const bootstrap = async (tlsBootstrap: boolean) => {
  const config = await machine.configOf({ security: { tlsBootstrap } });
  const { error } = await machine.bootstrap({ config });
  expect(error).toBeUndefined();
  return config;
};
const RENEWAL = 'chandler-flexnode:edge-01:renewal';

describe('the bindings of a node', () => {
  test('by default only the renewal of its certificate is left when the Node is Ready', async () => {
    const config = await bootstrap(true);
    expect(bindings()).toEqual([RENEWAL]);
    expect((await machine.bootstrap({ config })).changed).toBe(false);
    expect((await machine.unbootstrap({ config })).leftovers).toEqual([]);
    expect(bindings()).toEqual([]);
  });

  test('a node that used the Arc token changes to a certificate, and back', async () => {
    await bootstrap(false);
    expect(bindings()).toEqual(['chandler-flexnode:edge-01']);
    await bootstrap(true);
    expect(bindings()).toEqual([RENEWAL]);
    const kubeconfig = () => readFileSync(`${machine.root}/var/lib/kubelet/kubeconfig`, 'utf8');
    expect(kubeconfig()).not.toContain('arc-user');
    const config = await bootstrap(false);
    expect(bindings()).toEqual(['chandler-flexnode:edge-01']);
    expect(kubeconfig()).toContain('arc-user');
    const { leftovers } = await machine.unbootstrap({ config });
    expect(leftovers).toEqual([]);
    expect(bindings()).toEqual([]);
  });

  test('a change that fails before the Node is Ready leaves the old bindings, so that the old mode works again', async () => {
    await bootstrap(false);
    const stop = new AbortController();
    const config = await machine.configOf({ security: { tlsBootstrap: true } });
    const run = await machine.bootstrap({
      config,
      signal: stop.signal,
      onEffect: (kind, what) => {
        if (kind === 'command' && what.includes('start kubelet')) stop.abort(new Error('stopped'));
      },
    });
    expect(run.success).toBe(false);
    expect(bindings()).toContain('chandler-flexnode:edge-01');
    const undone = await machine.unbootstrap({ config });
    expect(undone.leftovers).toEqual([]);
    expect(bindings()).toEqual([]);
  });
});
