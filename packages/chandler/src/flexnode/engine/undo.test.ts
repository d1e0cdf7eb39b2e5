import {
  appendFileSync,
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import {
  collected,
  never,
  type SmallMachine,
  smallMachine,
  smallSteps,
} from '../../../../../test/flexnode/small-steps.ts';
import { treeOf } from '../../../../../test/flexnode/tree.ts';
import { FlexError } from '../flex-error.ts';
import { JOURNAL_PATH } from './parts.ts';
import { runBootstrap } from './run.ts';
import { runUnbootstrap, type UndoParts } from './undo.ts';

let machine: SmallMachine;
let before: string[];
beforeEach(() => {
  machine = smallMachine();
  before = treeOf(machine.root);
});
afterEach(() => machine.dispose());

const up = (options: Parameters<SmallMachine['parts']>[0] = {}) =>
  runBootstrap(machine.parts(options), { signal: never, on: () => undefined });
const down = (change: Partial<UndoParts> = {}) =>
  runUnbootstrap({ ...machine.parts(), ...change }, { signal: never, on: () => undefined });
const real = (path: string) => machine.root + path;

describe('unbootstrap', () => {
  test('puts everything back, in reverse order, and forgets', async () => {
    await up();
    expect(treeOf(machine.root)).not.toEqual(before);
    const result = await down();
    expect(result).toMatchObject({ success: true, leftovers: [], changed: true });
    expect(machine.undone).toEqual(['start-services', 'kubelet', 'containerd', 'directories']);
    expect(machine.service).toBe('stopped');
    expect(treeOf(machine.root)).toEqual(before);
  });

  test('does nothing where there was no bootstrap', async () => {
    expect(await down()).toMatchObject({ success: true, changed: false, leftovers: [] });
    expect(treeOf(machine.root)).toEqual(before);
  });

  test('can be followed by a new bootstrap, and that by another unbootstrap', async () => {
    for (let round = 0; round < 2; round++) {
      expect((await up()).success).toBe(true);
      expect((await down()).success).toBe(true);
      expect(treeOf(machine.root)).toEqual(before);
    }
  });

  test('removes a place that other programs filled, if it is of our making', async () => {
    await up();
    mkdirSync(real('/var/lib/containerd/deep'), { recursive: true });
    writeFileSync(real('/var/lib/containerd/deep/layer'), 'data');
    expect((await down()).success).toBe(true);
    expect(treeOf(machine.root)).toEqual(before);
  });

  test('leaves such a place alone if it was there before', async () => {
    mkdirSync(real('/var/lib/containerd'));
    await up();
    writeFileSync(real('/var/lib/containerd/layer'), 'data');
    expect((await down()).success).toBe(true);
    expect(readFileSync(real('/var/lib/containerd/layer'), 'utf8')).toBe('data');
  });

  test('unmounts below a claimed place before it removes it', async () => {
    await up();
    mkdirSync(real('/var/lib/containerd/a b'), { recursive: true });
    let mounted = ['/', '/var/lib/containerd', '/var/lib/containerd/a\\x20b'];
    const parts = machine.parts({
      host: {
        commands: async ({ argv }) => {
          machine.commands.push(argv.join(' '));
          if (argv[0] === 'umount')
            mounted = mounted.filter((line) => line.replace('\\x20', ' ') !== argv.at(-1));
          return { exitCode: 0, stdout: mounted.join('\n'), stderr: '' };
        },
      },
    });
    expect((await down({ host: parts.host })).success).toBe(true);
    expect(machine.commands.filter((line) => line.startsWith('umount'))).toEqual([
      'umount /var/lib/containerd/a b',
      'umount /var/lib/containerd',
    ]);
  });

  test('a mount of the owner in a directory of the kubelet is not unmounted but reported', async () => {
    await up();
    mkdirSync(real('/var/lib/kubelet/backup'), { recursive: true });
    const mounted = [real('/var/lib/kubelet/backup')];
    const parts = machine.parts({
      host: {
        mountPoints: async () => mounted,
        commands: async ({ argv }) => {
          machine.commands.push(argv.join(' '));
          return { exitCode: 0, stdout: '/\n/var/lib/kubelet/backup\n', stderr: '' };
        },
      },
    });
    const result = await down({ host: parts.host });
    expect(machine.commands.filter((line) => line.startsWith('umount'))).toEqual([]);
    expect(result.leftovers).toMatchObject([{ what: '/var/lib/kubelet' }]);
    expect(result.leftovers[0]?.why).toContain('/var/lib/kubelet/backup is still mounted');
    // A command that removes the folder would remove what is on the mount.
    expect(result.leftovers[0]?.finish?.join()).not.toContain('rm ');
  });

  test('never removes across a mount point that it could not unmount', async () => {
    await up();
    mkdirSync(real('/var/lib/containerd/volume'), { recursive: true });
    writeFileSync(real('/var/lib/containerd/volume/precious'), 'data');
    const parts = machine.parts({
      host: { mountPoints: async () => [real('/var/lib/containerd/volume')] },
    });
    const result = await down({ host: parts.host });
    expect(result.leftovers).toMatchObject([{ what: '/var/lib/containerd' }]);
    expect(result.leftovers[0]?.why).toContain('/var/lib/containerd/volume is still mounted');
    expect(readFileSync(real('/var/lib/containerd/volume/precious'), 'utf8')).toBe('data');
  });
});

describe('what somebody else did in between', () => {
  test('a changed file is not overwritten: it is named, with the commands that finish the work', async () => {
    await up();
    writeFileSync(real('/etc/fstab'), 'my own disks\n');
    const { events, on } = collected();
    const result = await runUnbootstrap(machine.parts(), { signal: never, on });
    expect(result.success).toBe(false);
    expect(readFileSync(real('/etc/fstab'), 'utf8')).toBe('my own disks\n');
    const [leftover] = result.leftovers;
    expect(leftover?.what).toBe('/etc/fstab');
    expect(leftover?.finish?.[0]).toMatch(/^diff .*backup\/[0-9a-f]{64} \/etc\/fstab$/);
    expect(leftover?.finish?.[1]).toMatch(
      /^install -m 644 .*backup\/[0-9a-f]{64} \/etc\/fstab # discards what diff shows$/,
    );
    expect(events.filter((event) => event.type === 'leftover')).toHaveLength(1);
  });

  test('once finished by hand, the next unbootstrap has nothing left to say', async () => {
    await up();
    const fstab = readFileSync(real('/etc/fstab'), 'utf8');
    writeFileSync(real('/etc/default/kubelet'), 'mine');
    expect((await down()).success).toBe(false);
    rmSync(real('/etc/default/kubelet'));
    expect((await down()).leftovers).toEqual([]);
    expect(treeOf(machine.root)).toEqual(before);
    expect(fstab).toBe('# no swap\n');
  });

  test('a foreign file in a directory of ours keeps the directory', async () => {
    await up();
    writeFileSync(real('/etc/cni/net.d/10-calico.conflist'), '{}');
    const result = await down();
    expect(result.leftovers.map((leftover) => leftover.what)).toEqual(['/etc/cni/net.d', '/etc/cni']);
    expect(result.leftovers[0]?.why).toContain('10-calico.conflist');
    expect(readFileSync(real('/etc/cni/net.d/10-calico.conflist'), 'utf8')).toBe('{}');
  });

  test('a version of theirs that a second bootstrap put aside is handed over', async () => {
    await up();
    writeFileSync(real('/etc/default/kubelet'), 'mine');
    await up();
    const result = await down();
    expect(result.success).toBe(false);
    expect(result.leftovers).toMatchObject([{ why: expect.stringContaining('/etc/default/kubelet') }]);
    expect(readFileSync(real(result.leftovers[0]!.what), 'utf8')).toBe('mine');
  });

  test('what they removed stays removed, or comes back as it was before us', async () => {
    await up();
    rmSync(real('/etc/default/kubelet'));
    rmSync(real('/etc/resolv.conf'));
    expect((await down()).success).toBe(true);
    expect(treeOf(machine.root)).toEqual(before);
  });
});

describe('a failure on the way', () => {
  test('[004-SEC-19] does not keep the rest from being undone, and is listed with what finishes it', async () => {
    await up();
    const steps = smallSteps(machine).map((step) =>
      step.id === 'start-services'
        ? {
            ...step,
            undo: async () => {
              throw new FlexError({ class: 'auth', code: 'x', message: 'no login', remedy: 'az login' });
            },
          }
        : step,
    );
    const result = await down({ steps });
    expect(result.leftovers).toEqual([
      {
        what: 'Do start-services',
        why: 'ServicesEnabled: no login (az login)',
        finish: ['/usr/bin/chandler flexnode unbootstrap'],
      },
    ]);
    expect(
      treeOf(machine.root, { without: ['/var/lib/chandler-flexnode', '/run/chandler-flexnode'] }),
    ).toEqual(before);
    machine.undone.length = 0;
    expect((await down()).success).toBe(true);
    expect(machine.undone).toEqual(['start-services']);
  });

  test('a file that cannot be written is reported with its remedy, and the next run retries', async () => {
    await up();
    const onEffect = (kind: string, what: string) => {
      if (kind === 'write' && what === '/etc/fstab')
        throw Object.assign(new Error('full'), { code: 'EROFS' });
    };
    const result = await down({ host: machine.parts({ host: { onEffect } }).host });
    expect(result.leftovers).toMatchObject([
      { what: '/etc/fstab', why: expect.stringContaining('read-only') },
    ]);
    expect((await down()).success).toBe(true);
    expect(treeOf(machine.root)).toEqual(before);
  });
});

describe('a damaged memory', () => {
  test('a torn last line is as if it had never been written', async () => {
    await up();
    appendFileSync(real(JOURNAL_PATH), 'deadbeef {"kind":"path","step":"kub');
    expect((await up()).success).toBe(true);
    expect((await down()).success).toBe(true);
    expect(treeOf(machine.root)).toEqual(before);
  });

  test('a damaged line in the middle is reported, and everything else is undone', async () => {
    await up();
    const lines = readFileSync(real(JOURNAL_PATH), 'utf8').split('\n');
    const at = lines.findIndex((line) => line.includes('"/etc/default/kubelet"'));
    lines[at] = lines[at]!.replace('absent', 'obscene');
    writeFileSync(real(JOURNAL_PATH), lines.join('\n'));
    const result = await down();
    expect(result.leftovers).toMatchObject([
      { what: JOURNAL_PATH, why: expect.stringContaining('1 lines are damaged') },
    ]);
    expect(readFileSync(real('/etc/fstab'), 'utf8')).toContain('swap');
  });

  test('without a journal nothing is touched, and copies from before are not thrown away', async () => {
    await up();
    rmSync(real(JOURNAL_PATH));
    const after = treeOf(machine.root, { without: ['/run/chandler-flexnode'] });
    const result = await down();
    expect(result.leftovers[0]?.why).toContain('the journal is missing');
    expect(treeOf(machine.root, { without: ['/run/chandler-flexnode'] })).toEqual(after);
  });

  test('a copy that was tampered with is not put back', async () => {
    await up();
    const backups = `${machine.root}/var/lib/chandler-flexnode/backup`;
    for (const line of treeOf(backups).slice(1)) {
      chmodSync(backups + line.split(' ')[0], 0o600);
      writeFileSync(backups + line.split(' ')[0], 'evil');
    }
    const result = await down();
    expect(result.leftovers.find(({ what }) => what === '/etc/fstab')?.why).toContain('damaged');
    expect(readFileSync(real('/etc/fstab'), 'utf8')).toBe('# no swap\n');
  });
});

describe('without a configuration', () => {
  test('files are put back, and what needed it is named', async () => {
    await up();
    const result = await down({ config: undefined });
    expect(result.leftovers.map(({ what }) => what)).toContain('Do start-services');
    expect(readFileSync(real('/etc/fstab'), 'utf8')).toContain('swap');
  });
});

test.runIf(process.getuid?.() === 0)('a file that belonged to somebody else is theirs again', async () => {
  chownSync(real('/etc/fstab'), 1234, 4321);
  await up();
  expect((await down()).leftovers).toEqual([]);
  const { uid, gid } = lstatSync(real('/etc/fstab'));
  expect([uid, gid]).toEqual([1234, 4321]);
});

describe('a path that is a link', () => {
  test('stays a link where an operator moved a directory to another disk', async () => {
    mkdirSync(real('/data/kubelet'), { recursive: true });
    symlinkSync('/data/kubelet', real('/var/lib/kubelet'));
    const linked = treeOf(machine.root);
    await up();
    expect(treeOf(machine.root)).toContain('/var/lib/kubelet -> /data/kubelet');
    expect((await down()).success).toBe(true);
    expect(treeOf(machine.root).filter((line) => !line.startsWith('/data'))).toEqual(
      linked.filter((line) => !line.startsWith('/data')),
    );
  });
});
