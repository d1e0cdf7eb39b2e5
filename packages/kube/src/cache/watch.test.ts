import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { collect } from '../testing/collect.ts';
import { decodeWatch } from './watch.ts';

const EVENTS = Array.from({ length: 5 }, (_, index) => ({
  type: 'MODIFIED',
  object: {
    metadata: { name: `n-${index}`, resourceVersion: String(index) },
    data: { text: `grüße 🚀 ${index}` },
  },
}));
const BYTES = Buffer.from(EVENTS.map((event) => `${JSON.stringify(event)}\n`).join(''));

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncGenerator<Uint8Array> {
  let from = 0;
  for (const cut of [...cuts].sort((left, right) => left - right)) {
    yield new Uint8Array(bytes.subarray(from, cut));
    from = cut;
  }
  yield new Uint8Array(bytes.subarray(from));
}

async function decode(chunks: AsyncIterable<Uint8Array>, options?: { maxLineBytes?: number }) {
  return (await collect(decodeWatch(chunks, options))).flat();
}

describe('decoding a watch', () => {
  test('gives the same events wherever the chunks are cut, also inside a character', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: BYTES.length }), { maxLength: 40 }),
        async (cuts) => {
          expect(await decode(pieces(BYTES, cuts))).toEqual(EVENTS);
        },
      ),
    );
  });

  test('gives all events of a chunk at once', async () => {
    expect(await collect(decodeWatch(pieces(BYTES, [])))).toHaveLength(1);
  });

  test('accepts a last event without a newline and drops a partial one', async () => {
    const text = BYTES.toString().trimEnd();
    expect(await decode(pieces(Buffer.from(text), []))).toHaveLength(5);
    expect(await decode(pieces(Buffer.from(text.slice(0, -10)), []))).toHaveLength(4);
  });

  test('handles empty lines and reused memory', async () => {
    const shared = new Uint8Array(BYTES.length);
    async function* reused() {
      for (const half of [BYTES.subarray(0, 50), BYTES.subarray(50)]) {
        shared.set(half);
        yield shared.subarray(0, half.length);
      }
      yield Buffer.from('\n\n');
    }
    expect(await decode(reused())).toEqual(EVENTS);
  });

  test('rejects malformed events, and lines without end', async () => {
    await expect(decode(pieces(Buffer.from('<html>\n'), []))).rejects.toMatchObject({ kind: 'malformed' });
    await expect(decode(pieces(Buffer.from('{"kind":"Pod"}\n'), []))).rejects.toMatchObject({
      kind: 'malformed',
    });
    await expect(decode(pieces(BYTES.subarray(0, 60), [20, 40]), { maxLineBytes: 30 })).rejects.toThrow(
      '30 bytes',
    );
  });
});
