import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FlexError, openJournal } from '../../packages/chandler/src/flexnode/index.ts';
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

  test('gets the kubeconfig and the certificate of an earlier kubelet back', async () => {
    useMachine();
    const folder = '/var/lib/kubelet';
    const earlier = 'clusters: [{cluster: {server: "https://earlier.example"}}]\n';
    put(`${folder}/kubeconfig`, earlier, 0o600);
    put(`${folder}/pki/kubelet-client-2025.pem`, 'of the earlier cluster', 0o600);
    symlinkSync('kubelet-client-2025.pem', `${machine.root}${folder}/pki/kubelet-client-current.pem`);
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect(readFileSync(`${machine.root}${folder}/kubeconfig`, 'utf8')).not.toBe(earlier);
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(readFileSync(`${machine.root}${folder}/kubeconfig`, 'utf8')).toBe(earlier);
    expect(readFileSync(`${machine.root}${folder}/pki/kubelet-client-current.pem`, 'utf8')).toBe(
      'of the earlier cluster',
    );
  });

  test('a former node of kubeadm joins with a certificate of the new cluster, and gets the old one back', async () => {
    const pki = '/var/lib/kubelet/pki';
    put(`${pki}/kubelet-client-2025.pem`, 'of the earlier cluster', 0o600);
    symlinkSync(`${pki}/kubelet-client-2025.pem`, `${machine.root}${pki}/kubelet-client-current.pem`);
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect(readlinkSync(`${machine.root}${pki}/kubelet-client-current.pem`)).not.toContain('2025');
    expect((await machine.bootstrap()).changed).toBe(false);
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(readlinkSync(`${machine.root}${pki}/kubelet-client-current.pem`)).toContain('2025');
  });

  test('keeps containers and images that others have put into containerd since', async () => {
    expect((await machine.bootstrap()).error).toBeUndefined();
    machine.namespaces.set('moby', ['docker.io/theirs:1']);
    const { leftovers } = await machine.unbootstrap();
    expect(leftovers.map(({ what }) => what).sort()).toEqual(['/run/containerd', '/var/lib/containerd']);
    for (const { why } of leftovers) expect(why).toContain('moby');
    const kept = () => machine.tree().some((line) => line.startsWith('/var/lib/containerd/'));
    expect(kept()).toBe(true);
    // Containerd is gone now, and its namespaces can no longer be listed.
    expect((await machine.unbootstrap()).leftovers).toHaveLength(2);
    expect(kept()).toBe(true);
    for (const { what } of leftovers) rmSync(machine.root + what, { recursive: true });
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
  });

  test('empty namespaces of others do not keep the data of containerd', async () => {
    expect((await machine.bootstrap()).error).toBeUndefined();
    machine.namespaces.set('default', []);
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(machine.tree().some((line) => line.startsWith('/var/lib/containerd'))).toBe(false);
  });

  test('the data of containerd stays if its namespaces cannot be listed', async () => {
    expect((await machine.bootstrap()).error).toBeUndefined();
    const { leftovers } = await machine.unbootstrap({
      onEffect: (kind, what) => {
        if (kind === 'command' && what.includes('namespaces'))
          throw new FlexError({ class: 'step', code: 'test.broken', message: 'ctr does not work' });
      },
    });
    expect(leftovers.map(({ what }) => what)).toContain('/var/lib/containerd');
  });

  test('an fstab that gained a line keeps it, and loses only our marks', async () => {
    const before = readFileSync(`${machine.root}/etc/fstab`, 'utf8');
    const line = 'UUID=77 /srv ext4 defaults 0 2\n';
    expect((await machine.bootstrap()).error).toBeUndefined();
    appendFileSync(`${machine.root}/etc/fstab`, line);
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(readFileSync(`${machine.root}/etc/fstab`, 'utf8')).toBe(before + line);
  });

  test('mounts below a kubelet folder that is a link to another disk are unmounted', async () => {
    mkdirSync(`${machine.root}/data/kubelet`, { recursive: true });
    symlinkSync('../../data/kubelet', `${machine.root}/var/lib/kubelet`);
    const mounts = () => readFileSync(`${machine.root}/proc/mounts`, 'utf8');
    const before = mounts();
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect(mounts()).toContain(' /data/kubelet/pods/1111/volumes ');
    await machine.unbootstrap();
    expect(mounts()).toBe(before);
  });

  test('a disk of the owner behind a link in place of the kubelet folder stays mounted', async () => {
    mkdirSync(`${machine.root}/data/kubelet`, { recursive: true });
    symlinkSync('../../data/kubelet', `${machine.root}/var/lib/kubelet`);
    appendFileSync(`${machine.root}/proc/mounts`, '/dev/sdb1 /data/kubelet ext4 rw 0 0\n');
    expect((await machine.bootstrap()).error).toBeUndefined();
    await machine.unbootstrap();
    expect(readFileSync(`${machine.root}/proc/mounts`, 'utf8')).toContain(' /data/kubelet ');
  });

  describe('a folder of volumes that is a link to a disk of the owner', () => {
    const mounts = () =>
      readFileSync(`${machine.root}/proc/mounts`, 'utf8')
        .split('\n')
        .map((line) => line.split(' ')[1])
        .filter((path) => path !== undefined);
    beforeEach(() => {
      for (const folder of ['/data/disk/backup', '/var/lib/kubelet'])
        mkdirSync(machine.root + folder, { recursive: true });
      symlinkSync('../../../data/disk', `${machine.root}/var/lib/kubelet/pods`);
      for (const path of ['/data/disk', '/data/disk/backup'])
        appendFileSync(`${machine.root}/proc/mounts`, `/dev/sdb1 ${path} ext4 rw 0 0\n`);
    });

    test('the disk and what is mounted on it stay mounted, and volumes of pods do not', async () => {
      const before = mounts();
      expect((await machine.bootstrap()).error).toBeUndefined();
      expect(mounts()).toContain('/data/disk/1111/volumes');
      await machine.unbootstrap();
      expect(mounts()).toEqual(before);
    });

    test('also if an earlier version recorded the mounts', async () => {
      const before = mounts();
      expect((await machine.bootstrap()).error).toBeUndefined();
      await recordMounts('[]');
      await machine.unbootstrap();
      expect(mounts()).toEqual(before);
    });
  });

  test('a disk behind a link stays mounted also if an earlier version recorded the mounts', async () => {
    mkdirSync(`${machine.root}/data/kubelet`, { recursive: true });
    symlinkSync('../../data/kubelet', `${machine.root}/var/lib/kubelet`);
    appendFileSync(`${machine.root}/proc/mounts`, '/dev/sdb1 /data/kubelet ext4 rw 0 0\n');
    expect((await machine.bootstrap()).error).toBeUndefined();
    await recordMounts('[]');
    await machine.unbootstrap();
    const mounts = readFileSync(`${machine.root}/proc/mounts`, 'utf8');
    expect(mounts).toContain(' /data/kubelet ');
    expect(mounts).not.toContain(' /data/kubelet/pods/1111/volumes ');
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

async function recordMounts(record: string): Promise<void> {
  const { host } = await machine.parts();
  await (await openJournal(host)).facts.set('mounts.kubelet-before', record);
}

/** What services that run leave where they were running before already. */
const NOISE =
  /^\/(?:var\/lib\/(?:containerd|kubelet)|run\/containerd|opt\/containerd|var\/log\/(?:pods|containers)|proc\/mounts)/;
const AGENT_STATE = /^\/var\/opt\//;
