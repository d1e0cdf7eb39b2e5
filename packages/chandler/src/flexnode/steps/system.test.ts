import { mkdirSync, writeFileSync } from 'node:fs';
import { rm, stat, symlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FolderMachine, folderMachine } from '../../../../../test/flexnode/machine/folder-context.ts';
import { SYSCTLS } from './kernel.ts';
import { isSwapOff } from './swap.ts';
import { system } from './system.ts';

const FSTAB = `# <file system> <mount point> <type> <options>
UUID=0a1b / ext4 errors=remount-ro 0 1
/swap.img\tnone\tswap\tsw\t0\t0
# /dev/sdb1 none swap sw 0 0
UUID=2c3d /srv/swap-backup ext4 defaults 0 2
`;
const SWAPS =
  'Filename\tType\tSize\tUsed\tPriority\n/swap.img file 2097148 0 -2\n/dev/zram\\0400 partition 1 0 5\n';

let machine: FolderMachine;
beforeEach(async () => {
  machine = await folderMachine();
  await machine.put('/proc/filesystems', 'nodev\tsysfs\n\text4\n');
  await machine.put('/proc/swaps', SWAPS);
  await machine.put('/etc/fstab', FSTAB);
  await machine.put('/proc/sys/net/ipv4/ip_forward', '0\n');
  await machine.put('/proc/sys/vm/overcommit_memory', '1\n');
  machine.answers = kernel;
});
afterEach(() => machine.close());

/** Does what swapoff, modprobe and sysctl do to /proc. */
function kernel({ argv }: { argv: readonly string[] }): undefined {
  const [path, text] = EFFECTS[argv.slice(0, 2).join(' ')] ?? [];
  if (path === undefined || text === undefined) return;
  mkdirSync(dirname(machine.root + path), { recursive: true });
  writeFileSync(machine.root + path, text);
}

const EFFECTS: Readonly<Record<string, readonly [string, string]>> = {
  'swapoff -a': ['/proc/swaps', SWAPS.split('\n')[0]!],
  'modprobe overlay': ['/proc/filesystems', 'nodev\tsysfs\n\text4\nnodev\toverlay\n'],
  'modprobe br_netfilter': ['/proc/sys/net/bridge/bridge-nf-call-iptables', '1\n'],
  'sysctl -p': ['/proc/sys/net/ipv4/ip_forward', '1\n'],
};

test('all six settings that a kubelet with protectKernelDefaults requires are set', () => {
  expect(SYSCTLS).toMatchObject({
    'vm.overcommit_memory': '1',
    'vm.panic_on_oom': '0',
    'kernel.panic': '10',
    'kernel.panic_on_oops': '1',
    'kernel.keys.root_maxkeys': '1000000',
    'kernel.keys.root_maxbytes': '25000000',
  });
});

describe('[004-checklist] Step 4: swapoff -a + fstab', () => {
  test('swap is switched off', async () => {
    await system.execute(machine.context());
    expect(machine.changes).toContain('swapoff -a');
  });

  test('lines of fstab that mount swap are commented out, with a mark, and no others', async () => {
    await system.execute(machine.context());
    expect(await machine.read('/etc/fstab')).toBe(
      FSTAB.replace('/swap.img\t', '#chandler-flexnode# /swap.img\t'),
    );
    expect(machine.changes).toContain('systemctl daemon-reload');
  });

  test('an fstab that is a link keeps the mode of its target', async () => {
    await machine.put('/data/fstab', FSTAB, 0o644);
    await rm(`${machine.root}/etc/fstab`);
    await symlink('../data/fstab', `${machine.root}/etc/fstab`);
    await system.execute(machine.context());
    expect((await stat(`${machine.root}/etc/fstab`)).mode & 0o777).toBe(0o644);
    expect(await machine.read('/etc/fstab')).toContain('#chandler-flexnode# /swap.img');
  });

  test('without swap nothing of it is touched', async () => {
    await machine.put('/proc/swaps', SWAPS.split('\n')[0]!);
    await machine.put('/etc/fstab', '# nothing\n');
    await system.execute(machine.context());
    expect(machine.changes).not.toContain('swapoff -a');
    expect(machine.effects).not.toContain('write /etc/fstab');
  });

  test('with failSwapOn false swap stays as it is, and the step is completed', async () => {
    const context = machine.context({ node: { kubelet: { extraConfig: { failSwapOn: false } } } });
    await system.execute(context);
    expect(machine.changes.filter((line) => line.startsWith('swap'))).toEqual([]);
    expect(await machine.read('/etc/fstab')).toBe(FSTAB);
    expect(machine.facts.has('swap.active-before')).toBe(false);
  });

  test('swap that does not come from fstab stays off after a reboot: swap.target is masked', async () => {
    await system.execute(machine.context());
    expect(await machine.host.lstat('/etc/systemd/system/swap.target')).toMatchObject({
      kind: 'symlink',
      target: '/dev/null',
    });
    await machine.host.remove('/etc/systemd/system/swap.target');
    expect(await isSwapOff(machine.context())).toBe(false);
  });

  test('a service that sets up compressed swap is disabled, and enabled again by undo', async () => {
    machine.units['zramswap'] = { active: true, enabled: true };
    const context = machine.context();
    await system.execute(context);
    expect(machine.changes).toContain('systemctl disable --now zramswap.service');
    expect(machine.changes).not.toContain('systemctl disable --now zram-config.service');
    await system.undo(context);
    expect(machine.changes).toContain('systemctl enable --now zramswap.service');
  });

  test('undoing switches the same swap on again, by name', async () => {
    const context = machine.context();
    await system.execute(context);
    machine.changes.length = 0;
    expect(await system.undo(context)).toEqual([]);
    expect(machine.changes).toEqual(expect.arrayContaining(['swapon /swap.img', 'swapon /dev/zram 0']));
  });

  test('swap that cannot be switched on again is named', async () => {
    const context = machine.context();
    await system.execute(context);
    machine.answers = ({ argv }) => (argv[0] === 'swapon' ? { exitCode: 1, stderr: 'gone' } : undefined);
    expect((await system.undo(context)).map(({ finish }) => finish)).toEqual([
      ['swapon /swap.img'],
      ['swapon /dev/zram 0'],
    ]);
  });

  test('swap that cannot be switched off ends the run with a way out', async () => {
    machine.answers = ({ argv }) =>
      argv[0] === 'swapoff'
        ? { exitCode: 1, stderr: 'swapoff: /swap.img: Cannot allocate memory' }
        : undefined;
    await expect(system.execute(machine.context())).rejects.toMatchObject({
      facts: { code: 'system.swap', message: expect.stringContaining('Cannot allocate memory') },
    });
  });
});

describe('[004-checklist] Step 4: modules overlay and br_netfilter', () => {
  test('are loaded now and at every start', async () => {
    await system.execute(machine.context());
    expect(machine.changes).toEqual(expect.arrayContaining(['modprobe overlay', 'modprobe br_netfilter']));
    expect(await machine.read('/etc/modules-load.d/chandler-flexnode.conf')).toMatch(
      /^overlay\nbr_netfilter$/m,
    );
  });

  test('are not loaded again when the kernel has them', async () => {
    await machine.put('/proc/filesystems', 'nodev\toverlay\n');
    await machine.put('/proc/sys/net/bridge/bridge-nf-call-iptables', '1\n');
    const context = machine.context();
    await system.execute(context);
    expect(machine.changes.filter((line) => line.startsWith('modprobe'))).toEqual([]);
    await system.undo(context);
    expect(machine.changes.filter((line) => line.startsWith('modprobe'))).toEqual([]);
  });

  test('that cannot be loaded end the run before any setting', async () => {
    machine.answers = ({ argv }) =>
      argv[0] === 'modprobe' ? { exitCode: 1, stderr: 'Module overlay not found' } : undefined;
    await expect(system.execute(machine.context())).rejects.toMatchObject({
      facts: { code: 'system.module' },
    });
    expect(await machine.read('/etc/sysctl.d/999-sysctl-aks.conf')).toBeUndefined();
  });
});

describe('[004-S4] settings of the kernel', () => {
  test('are written and applied, ours alone', async () => {
    await system.execute(machine.context());
    expect(machine.changes).toContain('sysctl -p /etc/sysctl.d/999-sysctl-aks.conf');
    expect(machine.changes.join('\n')).not.toContain('--system');
  });

  test('are put back to what they were', async () => {
    const context = machine.context();
    await system.execute(context);
    machine.changes.length = 0;
    await system.undo(context);
    expect(machine.changes.filter((line) => line.startsWith('sysctl'))).toEqual([
      'sysctl -w net.ipv4.ip_forward=0',
    ]);
  });

  test('that cannot be set end the run with the key', async () => {
    machine.answers = ({ argv }) =>
      argv[0] === 'sysctl' ? { exitCode: 1, stderr: 'permission denied' } : undefined;
    await expect(system.execute(machine.context())).rejects.toMatchObject({
      facts: { code: 'system.sysctl', message: expect.stringContaining('net.ipv4.ip_forward') },
    });
  });
});

describe('[004-S4] resolv.conf', () => {
  const real = 'nameserver 10.1.1.1\n';

  test("that names this machine's own resolver leads to the name servers themselves", async () => {
    await machine.put('/run/systemd/resolve/resolv.conf', real);
    await machine.put('/etc/resolv.conf', 'nameserver 127.0.0.53\n');
    const context = machine.context();
    await system.execute(context);
    expect((await machine.host.lstat('/etc/resolv.conf'))?.target).toBe('/run/systemd/resolve/resolv.conf');
  });

  test('that is fine as it is stays', async () => {
    await machine.put('/run/systemd/resolve/resolv.conf', real);
    await machine.put('/etc/resolv.conf', real);
    await system.execute(machine.context());
    expect((await machine.host.lstat('/etc/resolv.conf'))?.kind).toBe('file');
  });

  test('stays where there is no systemd-resolved', async () => {
    await machine.put('/etc/resolv.conf', 'nameserver 127.0.0.53\n');
    await system.execute(machine.context());
    expect((await machine.host.lstat('/etc/resolv.conf'))?.kind).toBe('file');
  });
});

test('[004-S4] the step sees for itself whether it is done', async () => {
  const context = machine.context();
  expect(await system.isCompleted(context)).toBe(false);
  await system.execute(context);
  expect(await system.isCompleted(context)).toBe(true);
  machine.effects.length = 0;
  await system.execute(context);
  expect(machine.effects).toEqual([]);
  await machine.put('/proc/swaps', SWAPS);
  expect(await system.isCompleted(context)).toBe(false);
  await rm(`${machine.root}/proc/swaps`);
  await machine.put('/etc/sysctl.d/999-sysctl-aks.conf', 'net.ipv4.ip_forward = 0\n');
  expect(await system.isCompleted(context)).toBe(false);
});
