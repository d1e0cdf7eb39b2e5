import { TinyServer } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { type FetchServer, serveFetch } from './fetch-server.ts';
import { type Fault, type FaultyServer, runNoLoss } from './no-loss.ts';

function aFaultyServer(): FaultyServer {
  const tiny = new TinyServer();
  let socket: FetchServer | undefined;
  return {
    async start() {
      tiny.start();
      socket = await serveFetch(tiny.fetch);
      return socket.port;
    },
    async stop() {
      tiny.stop();
      await socket?.close();
    },
    async compact() {
      tiny.compact();
    },
    endpoint: (port) => ({ server: `http://127.0.0.1:${port}` }),
  };
}

describe('a reflector over a bad connection', () => {
  test.each<[string, Fault[]]>([
    ['nothing worse than a reader that is slow', ['slow reader']],
    ['resets', ['reset']],
    [
      'resets, compactions, slow reading and restarts of the server',
      ['reset', 'compact', 'slow reader', 'restart'],
    ],
  ])('loses nothing over 800 writes with %s', async (_, faults) => {
    const report = await runNoLoss({
      server: aFaultyServer(),
      writes: 800,
      seed: 7,
      namespace: 'a',
      faults,
    });
    expect(report).toMatchObject({ lost: [], disorder: [], differences: [] });
    expect(report.acknowledged).toBeGreaterThan(600);
    for (const fault of faults) expect(report.faults[fault]).toBeGreaterThan(0);
    // Without a compaction there is no reason to list again.
    if (!faults.includes('compact')) expect(report.lists).toBe(1);
    else expect(report.lists).toBeGreaterThan(1);
  });
});
