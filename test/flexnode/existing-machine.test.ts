import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const put = (path: string, content: string, mode = 0o644) => {
  mkdirSync(dirname(machine.root + path), { recursive: true });
  writeFileSync(machine.root + path, content);
  chmodSync(machine.root + path, mode);
};
const enable = (unit: string, file: string) =>
  symlinkSync(file, `${machine.root}/etc/systemd/system/multi-user.target.wants/${unit}`);

/** A machine that was a node of something else, with a runtime of its distribution. */
function useMachine(): void {
  put('/lib/systemd/system/containerd.service', '[Service]\nExecStart=/usr/bin/containerd\n');
  enable('containerd.service', '/lib/systemd/system/containerd.service');
  put('/etc/containerd/config.toml', 'version = 2\n# ours\n', 0o600);
  put('/etc/systemd/system/kubelet.service', '[Service]\nExecStart=/usr/bin/kubelet\n');
  enable('kubelet.service', '/etc/systemd/system/kubelet.service');
  put('/etc/default/kubelet', 'KUBELET_EXTRA_ARGS=\n');
  put('/etc/kubernetes/pki/ca.crt', 'authority', 0o600);
  chmodSync(`${machine.root}/etc/kubernetes`, 0o700);
  put('/usr/local/sbin/runc', 'runc version v1.0.0\n', 0o755);
  put('/etc/cni/net.d/10-flannel.conflist', '{}');
  put('/var/lib/containerd/images', 'layers');
  machine.systemd.active.add('containerd.service').add('kubelet.service');
}

describe('a machine that somebody lived in', () => {
  test('[004-SEC-15] gets everything back: files, modes, services that ran and started with it', async () => {
    useMachine();
    const before = machine.tree();
    const up = await machine.bootstrap();
    expect(up.error).toBeUndefined();
    expect(readFileSync(`${machine.root}/usr/local/sbin/runc`, 'utf8')).toContain('1.1.12');
    expect(readFileSync(`${machine.root}/etc/cni/net.d/10-flannel.conflist`, 'utf8')).toBe('{}');
    const down = await machine.unbootstrap();
    expect(down.leftovers).toEqual([]);
    expect([...machine.systemd.active].sort()).toEqual([
      'containerd.service',
      'kubelet.service',
      'ssh.service',
    ]);
    expect(machine.tree().filter((line) => !NOISE.test(line))).toEqual(
      before.filter((line) => !NOISE.test(line)),
    );
  });

  test('keeps an existing Arc agent, and loses one that bootstrap installed', async () => {
    put('/opt/azcmagent/bin/azcmagent', 'azcmagent version 1.59\n', 0o755);
    const before = machine.tree();
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect(machine.commands.some(({ argv }) => argv[0] === 'dpkg')).toBe(false);
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(machine.tree().filter((line) => !AGENT_STATE.test(line))).toEqual(before);
  });
});

/** What services that run leave where they were running before already. */
const NOISE =
  /^\/(?:var\/lib\/(?:containerd|kubelet)|run\/containerd|opt\/containerd|var\/log\/(?:pods|containers)|proc\/mounts)/;
const AGENT_STATE = /^\/var\/opt\//;
