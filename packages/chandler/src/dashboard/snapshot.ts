/**
 * The first picture of the page: everything that the stream changes afterwards. It is encoded in pieces, so that no turn of the
 * event loop is long, and kept compressed for those who ask next: it is small then, and the log has what changed since.
 */
import { pipeline } from 'node:stream/promises';
import { type Clock, turnsOf } from '@chandler/kube';
import type { ReadModel } from './read-model.ts';
import type { Snapshot } from './wire.ts';

export class Snapshots {
  readonly #model: ReadModel;
  readonly #clock: Clock;
  #kept: Kept | undefined;
  #making: Promise<Kept> | undefined;

  constructor(model: ReadModel, clock: Clock) {
    this.#model = model;
    this.#clock = clock;
  }

  /** Compressed with gzip; at most seconds old. */
  async compressed(): Promise<Uint8Array> {
    const { log } = this.#model;
    const kept = this.#kept;
    if (kept !== undefined && log.reaches(kept.sequence)) {
      const isRecent = this.#clock.monotonic() - kept.atMs < MAX_AGE_MS;
      if (isRecent || kept.sequence === log.sequence) return kept.bytes;
    }
    this.#making ??= this.#make().finally(() => {
      this.#making = undefined;
    });
    this.#kept = await this.#making;
    return this.#kept.bytes;
  }

  /** As text, piece by piece. */
  async *pieces(): AsyncGenerator<string> {
    const model = this.#model;
    const head = {
      version: 1,
      epoch: model.log.epoch,
      sequence: model.log.sequence,
      atMs: this.#clock.now(),
      totals: model.totals,
      freezes: model.freezes,
      missing: model.missing,
    };
    yield JSON.stringify(head).slice(0, -1);
    yield* this.#rows('nodes', model.nodeTexts());
    yield* this.#rows('pools', model.poolTexts());
    yield* this.#rows('pods', model.podTexts());
    yield '}';
  }

  async *#rows(name: string, texts: Iterable<string>): AsyncGenerator<string> {
    const turns = turnsOf(this.#clock);
    let piece = `,"${name}":[`;
    let [rows, isFirst] = [0, true];
    for (const text of texts) {
      piece += isFirst ? text : `,${text}`;
      isFirst = false;
      rows += 1;
      if (rows % PIECE === 0) {
        yield piece;
        piece = '';
      }
      if (rows % LOOK === 0) await turns.pass();
    }
    yield `${piece}]`;
  }

  async #make(): Promise<Kept> {
    // Imported here because commands that serve nothing load this module, too.
    const { createGzip } = await import('node:zlib');
    const { sequence } = this.#model.log;
    const atMs = this.#clock.monotonic();
    const chunks: Uint8Array[] = [];
    await pipeline(this.pieces(), createGzip({ level: 1 }), async (compressed) => {
      for await (const chunk of compressed) chunks.push(chunk as Uint8Array);
    });
    return { sequence, atMs, bytes: Buffer.concat(chunks) };
  }
}

/** The whole of it, for who keeps it in memory. */
export async function snapshotOf(model: ReadModel, clock: Clock): Promise<Snapshot> {
  let text = '';
  for await (const piece of new Snapshots(model, clock).pieces()) text += piece;
  return JSON.parse(text) as Snapshot;
}

// ---------------------------------------------------------------------------------------------------

interface Kept {
  /** What follows it is in the log. */
  readonly sequence: number;
  readonly atMs: number;
  readonly bytes: Uint8Array;
}

const MAX_AGE_MS = 2_000;
/** Rows that are sent together. */
const PIECE = 1_000;
/** Rows between two looks at the length of the turn. */
const LOOK = 100;
