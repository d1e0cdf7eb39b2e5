import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { DiskSetCache, REMEMBERED_MS } from './disk-set-cache.ts';

describe('the disk encryption set of a VM', () => {
  test('is read once in half a day', async () => {
    const { clock } = virtualWorld();
    const memory = new DiskSetCache(clock);
    let reads = 0;
    const read = async () => ({ id: `set-${++reads}` });
    expect(await memory.of('a', read)).toEqual({ id: 'set-1' });
    await clock.advance(REMEMBERED_MS - 1);
    expect(await memory.of('a', read)).toEqual({ id: 'set-1' });
    await clock.advance(1);
    expect(await memory.of('a', read)).toEqual({ id: 'set-2' });
    expect(memory.size).toBe(1);
  });

  test('that could not be read is read again', async () => {
    const memory = new DiskSetCache(virtualWorld().clock);
    await expect(memory.of('a', () => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
    expect(await memory.of('a', async () => 'ofAks' as const)).toBe('ofAks');
  });

  test('of deleted VMs is dropped', async () => {
    const { clock } = virtualWorld();
    const memory = new DiskSetCache(clock);
    for (const machine of ['a', 'b', 'c']) await memory.of(machine, async () => ({ id: undefined }));
    await clock.advance(REMEMBERED_MS);
    await memory.of('d', async () => ({ id: undefined }));
    expect(memory.size).toBe(1);
  });
});
