/** A machine whose kubelet keeps its state in another directory than the default. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';
import { OWN_STATE } from './tree.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
  mkdirSync(`${machine.root}/data`);
});
afterEach(() => machine.dispose());

const isThere = (path: string) => existsSync(machine.root + path);
const configOf = (tlsBootstrap: boolean) =>
  machine.configOf({ paths: { kubernetes: { kubeletDir: '/data/kubelet' } }, security: { tlsBootstrap } });

describe.each([true, false])('with paths.kubernetes.kubeletDir on another disk, tlsBootstrap %s', (tls) => {
  test('bootstrap completes, and the keys of the node are in that directory', async () => {
    const config = await configOf(tls);
    expect((await machine.bootstrap({ config })).error).toBeUndefined();
    expect(isThere('/data/kubelet/pki/kubelet.crt')).toBe(true);
    expect(isThere('/data/kubelet/pki/kubelet-client-current.pem')).toBe(tls);
    expect(isThere('/var/lib/kubelet/pki')).toBe(false);
    expect((await machine.bootstrap({ config })).changed).toBe(false);
  });

  test.each(['exists', 'does not exist'])(
    'unbootstrap removes all of it if /var/lib/kubelet %s',
    async (is) => {
      if (is === 'exists') {
        mkdirSync(`${machine.root}/var/lib/kubelet`);
        writeFileSync(`${machine.root}/var/lib/kubelet/of-others`, '');
      }
      const before = machine.tree(OWN_STATE);
      const config = await configOf(tls);
      expect((await machine.bootstrap({ config })).error).toBeUndefined();
      // Device plugins have one directory on every node.
      expect(isThere('/var/lib/kubelet/device-plugins/kubelet_internal_checkpoint')).toBe(true);
      expect((await machine.unbootstrap({ config })).leftovers).toEqual([]);
      expect(machine.tree(OWN_STATE)).toEqual(before);
    },
  );
});
