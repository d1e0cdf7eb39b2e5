/** A config file that was edited or copied from another machine after bootstrap. */
import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFolderMachine, type FolderMachine } from './folder-machine.ts';

let machine: FolderMachine;
beforeEach(async () => {
  machine = createFolderMachine();
  expect((await machine.bootstrap()).error).toBeUndefined();
  // Another machine of the same cluster.
  machine.azure.machines.add('edge-02');
  machine.azure.nodes.add('edge-02');
});
afterEach(() => machine.dispose());

const COPIED = { agent: { nodeName: 'edge-02' }, azure: { arc: { machineName: 'edge-02' } } };

describe('a config file of another machine', () => {
  test('unbootstrap deletes nothing of that machine, and the error names both', async () => {
    const before = machine.tree();
    const config = await machine.configOf(COPIED);
    const { success, error } = await machine.unbootstrap({ config });
    expect(success).toBe(false);
    expect(error).toMatchObject({ class: 'config', code: 'config.other-identity' });
    expect(error?.message).toContain('azure.arc.machineName is edge-02, but edge-01 was bootstrapped');
    expect(error?.message).toContain('agent.nodeName is edge-02, but edge-01 was bootstrapped');
    expect([...machine.azure.machines].sort()).toEqual(['edge-01', 'edge-02']);
    expect([...machine.azure.nodes].sort()).toEqual(['edge-01', 'edge-02']);
    expect(machine.tree()).toEqual(before);
  });

  test('unbootstrap with the right config then removes this machine alone', async () => {
    await machine.unbootstrap({ config: await machine.configOf(COPIED) });
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect([...machine.azure.machines]).toEqual(['edge-02']);
    expect([...machine.azure.nodes]).toEqual(['edge-02']);
  });

  test('bootstrap changes nothing, and says to run unbootstrap first', async () => {
    const before = machine.tree();
    const { error, changed } = await machine.bootstrap({ config: await machine.configOf(COPIED) });
    expect(error).toMatchObject({ code: 'config.other-identity' });
    expect(error?.remedy).toContain('unbootstrap');
    expect(changed).toBe(false);
    expect(machine.tree()).toEqual(before);
  });

  test('paths that were changed in the file are not those that unbootstrap empties', async () => {
    const config = await machine.configOf({ paths: { kubernetes: { kubeletDir: '/srv/other' } } });
    expect((await machine.unbootstrap({ config })).leftovers).toEqual([]);
    expect(machine.tree().some((line) => line.startsWith('/var/lib/kubelet'))).toBe(false);
  });
});

test('unbootstrap of a copied disk restores the copy and keeps the objects of the original', async () => {
  writeFileSync(`${machine.root}/etc/machine-id`, `${'c'.repeat(32)}\n`);
  const { leftovers } = await machine.unbootstrap();
  expect(leftovers.map(({ what }) => what)).toEqual(
    expect.arrayContaining(['Node edge-01', expect.stringMatching(/^Arc machine .*\/edge-01$/)]),
  );
  for (const { why } of leftovers) expect(why).toContain('is a copy of it');
  expect([...machine.azure.machines].sort()).toEqual(['edge-01', 'edge-02']);
  expect([...machine.azure.nodes].sort()).toEqual(['edge-01', 'edge-02']);
  expect(machine.tree().some((line) => line.startsWith('/var/lib/kubelet'))).toBe(false);
  expect((await machine.unbootstrap()).leftovers).toEqual([]);
});

describe('bootstrap on a copied disk of a machine that is fully bootstrapped', () => {
  const original = () => ({ ...machine.azure.nodeInfo.get('edge-01') });
  const become = (file: string, id: string) => writeFileSync(`${machine.root}${file}`, `${id}\n`);
  const copies = [
    ['a new machine ID', '/etc/machine-id', 'c'.repeat(32)],
    ['other hardware', '/sys/class/dmi/id/product_uuid', '99999999-2222-3333-4444-555555555555'],
  ] as const;

  test.each(
    copies.flatMap(([what, file, id]) => [
      [what, 'is stopped', file, id] as const,
      [what, 'reports the same Node', file, id] as const,
    ]),
  )('with %s fails beside the original, also if the kubelet of the copy %s', async (_, kubelet, file, id) => {
    machine.azure.reportedElsewhere.set('edge-01', original());
    const bindings = [...machine.azure.bindings];
    become(file, id);
    if (kubelet === 'is stopped') machine.systemd.active.delete('kubelet.service');
    for (const _attempt of [1, 2]) {
      const { error } = await machine.bootstrap();
      expect(error).toMatchObject({ code: 'credentials.node-in-use' });
      expect(error?.message).toContain(original().machineId);
    }
    expect([...machine.azure.bindings]).toEqual(bindings);
    const { leftovers } = await machine.unbootstrap();
    expect(leftovers.map(({ what }) => what)).toContain('Node edge-01');
    expect(machine.azure.machines.has('edge-01')).toBe(true);
  });

  test.each(copies)('with %s takes over if the original is not Ready', async (_, file, id) => {
    become(file, id);
    machine.systemd.active.delete('kubelet.service');
    machine.wait(60_000);
    const { error, steps } = await machine.bootstrap();
    expect(error).toBeUndefined();
    expect(steps.filter(({ outcome }) => outcome === 'completed').map(({ step }) => step)).toEqual([
      'arc',
      'credentials',
      'start-services',
    ]);
    expect((await machine.bootstrap()).changed).toBe(false);
    // Now the objects are those of the copy.
    expect((await machine.unbootstrap()).leftovers).toEqual([]);
    expect([...machine.azure.nodes]).toEqual(['edge-02']);
  });
});

test('a first bootstrap that failed before it created anything can be repeated with another name', async () => {
  const fresh = createFolderMachine();
  try {
    const failed = await fresh.bootstrap({ only: ['directories'] });
    expect(failed.error).toBeUndefined();
    const config = await fresh.configOf(COPIED);
    expect((await fresh.bootstrap({ config })).error).toBeUndefined();
    expect([...fresh.azure.nodes]).toEqual(['edge-02']);
  } finally {
    fresh.dispose();
  }
});
