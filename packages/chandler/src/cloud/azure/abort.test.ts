import { expect, test } from 'vitest';
import { unlessAborted } from './abort.ts';

test('a shared call that fails after its caller was aborted is no unhandled rejection', async () => {
  const unhandled: unknown[] = [];
  const listen = (error: unknown) => unhandled.push(error);
  process.on('unhandledRejection', listen);
  try {
    const stop = new AbortController();
    stop.abort(new Error('stopped'));
    let fail: (error: Error) => void = () => undefined;
    const shared = new Promise<void>((_, reject) => {
      fail = reject;
    });
    await expect(unlessAborted(stop.signal, shared)).rejects.toThrow('stopped');
    fail(new Error('the connection was closed'));
    await new Promise((resolve) => setTimeout(resolve, 0));
    expect(unhandled).toEqual([]);
  } finally {
    process.off('unhandledRejection', listen);
  }
});
