/** Logs of a live cluster, from a server that answers as the kubelet does: the tail first, and of that the first bytes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { KubeClient, undiciTransport } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { liveReader } from './live-reader.ts';

const KIB = 1024;
const line = (index: number, length: number) =>
  `${String(index).padStart(6, '0')} ${'x'.repeat(length - 8)}\n`;
const linesOf = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => line(index, length)).join('');

/** What `why` gets of this log, and how many requests it took. */
async function readOf(log: string) {
  const asked: number[] = [];
  const server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://kubelet');
    const tailLines = Number(searchParams.get('tailLines') ?? Number.POSITIVE_INFINITY);
    const limitBytes = Number(searchParams.get('limitBytes') ?? Number.POSITIVE_INFINITY);
    asked.push(tailLines);
    const lines = log.split(/(?<=\n)/);
    const tail = lines.slice(Math.max(0, lines.length - tailLines)).join('');
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end(Buffer.from(tail).subarray(0, limitBytes));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const { send, close } = undiciTransport({ server: `http://127.0.0.1:${port}` });
  try {
    const reader = liveReader({ client: new KubeClient({ transport: send }), clock: virtualWorld().clock });
    const read = await reader.log({ namespace: 'shop', name: 'web' }, 'app', false);
    if (!('found' in read)) throw new Error(read.message ?? read.why);
    return { text: read.found, asked };
  } finally {
    await close();
    server.close();
  }
}

test('a short log is read whole, with one request', async () => {
  const log = linesOf(50, 80);
  expect(await readOf(log)).toEqual({ text: log, asked: [200] });
});

test('of a long log the last 200 lines are read', async () => {
  expect(await readOf(linesOf(1000, 80))).toEqual({ text: linesOf(1000, 80).slice(-200 * 80), asked: [200] });
});

test.each([
  ['lines of 1 KiB', KIB],
  ['lines of 16 KiB, the longest that a container runtime writes', 16 * KIB],
])('a log with %s has its end', async (_, length) => {
  const log = `${linesOf(400, length)}panic: the reason\n`;
  const { text } = await readOf(log);
  expect(log.endsWith(text)).toBe(true);
  expect(text.endsWith('panic: the reason\n')).toBe(true);
  expect(Buffer.byteLength(text)).toBeGreaterThanOrEqual(16 * KIB);
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(64 * KIB);
});

test('a log in another script has its end', async () => {
  const log = `${`${'ж'.repeat(2000)}\n`.repeat(100)}конец\n`;
  const { text } = await readOf(log);
  expect(log.endsWith(text)).toBe(true);
});

test('a single line that is too long is read as far as the limit', async () => {
  const { text, asked } = await readOf(line(1, 200 * KIB));
  expect(text).toBe(line(1, 200 * KIB).slice(0, 64 * KIB));
  expect(asked.at(-1)).toBe(1);
});
