import { chmod, mkdir, stat, symlink } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { directories } from './directories.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = await folderMachine();
});
afterEach(() => machine.close());

test('[004-checklist] Step 3: the eight directories', async () => {
  const context = machine.context();
  await run(context);
  const eight = [
    '/etc/kubernetes',
    '/etc/kubernetes/manifests',
    '/etc/cni/net.d',
    '/opt/cni/bin',
    '/var/lib/kubelet',
    '/var/lib/kubelet/pods',
    '/var/log/pods',
    '/etc/containerd',
  ];
  for (const path of eight) expect((await machine.host.lstat(path))?.kind).toBe('directory');
  expect((await machine.host.lstat('/var/lib/kubelet'))?.mode).toBe(0o750);
  expect((await machine.host.lstat('/etc/kubernetes'))?.mode).toBe(0o755);
  expect(await directories.isCompleted(context)).toBe(true);
});

test('[004-S3] what is there already is not written again', async () => {
  const context = machine.context();
  await run(context);
  machine.effects.length = 0;
  await directories.execute(context);
  expect(machine.effects).toEqual([]);
});

test('[004-SEC-15] a folder with another mode keeps its content', async () => {
  await machine.put('/etc/kubernetes/keep', 'mine');
  await chmod(`${machine.root}/etc/kubernetes`, 0o700);
  await machine.put('/var/lib/kubelet/pods/p/volume/data', 'data');
  await chmod(`${machine.root}/var/lib/kubelet`, 0o777);
  await run(machine.context());
  expect(await machine.read('/etc/kubernetes/keep')).toBe('mine');
  expect(await machine.read('/var/lib/kubelet/pods/p/volume/data')).toBe('data');
  expect(machine.effects.filter((effect) => effect.startsWith('remove'))).toEqual([]);
});

test('[004-S3] the mode of an existing folder is not changed, and one that is too open is named', async () => {
  await mkdir(`${machine.root}/etc/kubernetes`, { recursive: true });
  await chmod(`${machine.root}/etc/kubernetes`, 0o700);
  await mkdir(`${machine.root}/var/lib/kubelet`, { recursive: true });
  await chmod(`${machine.root}/var/lib/kubelet`, 0o755);
  await run(machine.context());
  expect((await machine.host.lstat('/etc/kubernetes'))?.mode).toBe(0o700);
  expect((await machine.host.lstat('/var/lib/kubelet'))?.mode).toBe(0o755);
  expect(machine.said).toEqual([expect.stringContaining('/var/lib/kubelet')]);
  expect(await directories.isCompleted(machine.context())).toBe(true);
});

test('[004-S3] a folder with files of others is refused as the folder of the kubelet', async () => {
  await machine.put('/srv/data/photos/1.jpg', 'jpg');
  const context = machine.context({ paths: { kubernetes: { kubeletDir: '/srv/data' } } });
  await expect(directories.validate(context)).rejects.toMatchObject({
    facts: {
      code: 'directories.not-of-the-kubelet',
      where: '/srv/data',
      message: expect.stringContaining('photos'),
    },
  });
});

test.each([
  ['an empty disk', ['lost+found/x']],
  ['the folder of the Debian package', ['.kubelet-keep']],
  ['the folder of an earlier kubelet', ['pki/kubelet.crt', 'cpu_manager_state', 'my-notes.txt']],
])('[004-S3] %s is accepted as the folder of the kubelet', async (_, files) => {
  for (const file of files) await machine.put(`/var/lib/kubelet/${file}`, '');
  await run(machine.context());
  expect((await machine.host.lstat('/var/lib/kubelet/pods'))?.kind).toBe('directory');
});

test('[004-S3] folders that others will fill are claimed before they are made', async () => {
  await run(machine.context());
  expect(machine.claims).toEqual(
    expect.arrayContaining(['/var/lib/kubelet', '/opt/cni/bin', '/etc/cni/net.d', '/var/log/pods']),
  );
});

test('[004-S3] paths of the config are used', async () => {
  await run(machine.context({ paths: { kubernetes: { kubeletDir: '/data/kubelet' } } }));
  expect((await machine.host.lstat('/data/kubelet/pods'))?.kind).toBe('directory');
  expect(await machine.host.list('/var/lib/kubelet')).toEqual(['device-plugins']);
});

test('[004-S3] a link to a folder on another disk is respected', async () => {
  await mkdir(`${machine.root}/data/kubelet`, { recursive: true });
  await mkdir(`${machine.root}/var/lib`, { recursive: true });
  await symlink('../../data/kubelet', `${machine.root}/var/lib/kubelet`);
  await run(machine.context());
  expect((await machine.host.lstat('/var/lib/kubelet'))?.kind).toBe('symlink');
  expect((await stat(`${machine.root}/data/kubelet/pods`)).isDirectory()).toBe(true);
});

test('[004-S3] a file in the place of a folder is refused before anything is done', async () => {
  await machine.put('/opt/cni/bin', 'a file');
  await expect(directories.validate(machine.context())).rejects.toMatchObject({
    facts: { code: 'directories.not-a-directory', where: '/opt/cni/bin' },
  });
});

async function run(context: Parameters<typeof directories.execute>[0]): Promise<void> {
  await directories.validate(context);
  await directories.execute(context);
}
