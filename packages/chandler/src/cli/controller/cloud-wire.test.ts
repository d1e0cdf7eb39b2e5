import type { Fetch } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { cloudWire } from './cloud-wire.ts';

const NO_CA = { path: '', flag: 'arm-ca-file' };

/** Azure that takes every call and never answers. */
function silence() {
  const calls: AbortSignal[] = [];
  const fetch: Fetch = (_, init) =>
    new Promise((_resolve, reject) => {
      const signal = init!.signal!;
      calls.push(signal);
      signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    });
  return { fetch, calls };
}

describe('the way to the cloud', () => {
  test('once closed keeps no process alive: a call without an answer is given up, a new one is not made', async () => {
    const { fetch, calls } = silence();
    const wire = cloudWire(fetch, NO_CA);
    const call = wire.fetch('https://management.azure.com/');
    await wire.close();
    await expect(call).rejects.toThrow('the way to the cloud was closed');
    await expect(wire.fetch('https://management.azure.com/')).rejects.toThrow(
      'the way to the cloud was closed',
    );
    expect(calls).toHaveLength(1);
  });

  test('lets a caller give up its own call', async () => {
    const wire = cloudWire(silence().fetch, NO_CA);
    const own = new AbortController();
    const call = wire.fetch('https://management.azure.com/', { signal: own.signal });
    own.abort(new Error('60 s are over'));
    await expect(call).rejects.toThrow('60 s are over');
    await wire.close();
  });
});
