/** An unbootstrap that leaves something over, what the owner does then, and the unbootstrap after it. */
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { FlexError } from '../../packages/chandler/src/flexnode/index.ts';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';

let machine: FolderMachine;
beforeEach(() => {
  machine = createFolderMachine();
});
afterEach(() => machine.dispose());

const FORWARD = '/proc/sys/net/ipv4/ip_forward';
const put = (path: string, content: string) => {
  mkdirSync(dirname(machine.root + path), { recursive: true });
  writeFileSync(machine.root + path, content);
};
const read = (path: string) => readFileSync(machine.root + path, 'utf8');

/** A containerd of the distribution, which starts with the machine. */
function withContainerd(): void {
  const file = '/lib/systemd/system/containerd.service';
  put(file, '[Service]\nExecStart=/usr/bin/containerd\n');
  symlinkSync(file, `${machine.root}/etc/systemd/system/multi-user.target.wants/containerd.service`);
  put('/var/lib/containerd/images', 'layers');
  machine.systemd.active.add('containerd.service');
}

/** The first unbootstrap cannot list mounts, and cannot enable swap. */
async function undoneInPart(): Promise<void> {
  expect((await machine.bootstrap()).error).toBeUndefined();
  const { leftovers } = await machine.unbootstrap({
    onEffect: (kind, what) => {
      if (kind === 'command' && /^(?:findmnt|swapon)/.test(what))
        throw new FlexError({ class: 'step', code: 'test.broken', message: `${what} does not work` });
    },
  });
  expect(leftovers.length).toBeGreaterThanOrEqual(2);
}

describe('a second unbootstrap', () => {
  test('does not stop the containerd that the first one restored', async () => {
    withContainerd();
    await undoneInPart();
    expect(machine.systemd.active.has('containerd.service')).toBe(true);
    machine.systemd.acts.length = 0;
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(machine.systemd.acts.filter((act) => /^(?:stop|disable) /.test(act))).toEqual([]);
    expect(machine.systemd.active.has('containerd.service')).toBe(true);
  });

  test('does not reset a kernel setting that the owner has changed since', async () => {
    expect(read(FORWARD).trim()).toBe('0');
    await undoneInPart();
    expect(read(FORWARD).trim()).toBe('0');
    put(FORWARD, '1\n');
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(read(FORWARD).trim()).toBe('1');
  });

  test('a bootstrap in between notes the services as they are then', async () => {
    await undoneInPart();
    withContainerd();
    expect((await machine.bootstrap()).error).toBeUndefined();
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect(machine.systemd.active.has('containerd.service')).toBe(true);
  });
});
