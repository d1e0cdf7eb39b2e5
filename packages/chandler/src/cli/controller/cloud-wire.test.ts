import type { Fetch } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { cloudWire } from './cloud-wire.ts';

const NO_CA = { path: '', flag: 'arm-ca-file' };

/** An Azure that never answers. */
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

describe('the connection to the cloud', () => {
  test('does not keep the process alive once closed: calls in flight are aborted, new ones are rejected', async () => {
    const { fetch, calls } = silence();
    const wire = cloudWire(fetch, NO_CA);
    const call = wire.fetch('https://management.azure.com/');
    await wire.close();
    await expect(call).rejects.toThrow('the connection to the cloud is closed');
    await expect(wire.fetch('https://management.azure.com/')).rejects.toThrow(
      'the connection to the cloud is closed',
    );
    expect(calls).toHaveLength(1);
  });

  test('lets a caller abort its own call', async () => {
    const wire = cloudWire(silence().fetch, NO_CA);
    const own = new AbortController();
    const call = wire.fetch('https://management.azure.com/', { signal: own.signal });
    own.abort(new Error('timeout of 60 s'));
    await expect(call).rejects.toThrow('timeout of 60 s');
    await wire.close();
  });
});
