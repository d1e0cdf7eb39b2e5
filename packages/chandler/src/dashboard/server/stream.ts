/**
 * The stream of changes as server-sent events. A reader gets what follows the number that it names, at most ten events a
 * second and no faster than it reads; who is too far behind is told to read the snapshot again. At rest there are only
 * heartbeats. Every event comes with the time of the cluster, because the reader's clock may be wrong or slower.
 */
import type { ServerResponse } from 'node:http';
import type { Clock, Timer } from '@chandler/kube';
import type { ChangeLog } from '../change-log.ts';
import type { ServerTime } from '../wire.ts';
import { SECURITY_HEADERS } from './headers.table.ts';
import type { Exchange } from './respond.ts';

export interface StreamStart {
  readonly epoch: string;
  readonly after: number;
}

/** Whether the reader may go on. What cannot be found out ends the stream, too. */
export interface StreamCheck {
  readonly everyMs: number;
  holds(): Promise<boolean>;
}

export class Streams {
  readonly #log: ChangeLog;
  readonly #clock: Clock;
  readonly #time: () => ServerTime;
  /** With who reads it. */
  readonly #open = new Map<Stream, string | undefined>();

  constructor(log: ChangeLog, clock: Clock, time: () => ServerTime) {
    this.#log = log;
    this.#clock = clock;
    this.#time = time;
  }

  /** For this reader, or for all. */
  isFull(reader?: string): boolean {
    if (this.#open.size >= MAX_STREAMS) return true;
    if (reader === undefined) return false;
    return [...this.#open.values()].filter((each) => each === reader).length >= MAX_OF_ONE;
  }

  get size(): number {
    return this.#open.size;
  }

  open(
    { response }: Exchange,
    start: StreamStart,
    { check, reader }: { readonly check?: StreamCheck; readonly reader?: string } = {},
  ): void {
    // Its end is the end of the connection.
    response.shouldKeepAlive = false;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      // A proxy must not hold it back.
      'x-accel-buffering': 'no',
    });
    response.flushHeaders();
    const stream = new Stream(response, { log: this.#log, clock: this.#clock, time: this.#time, start });
    if (stream.isEnded) return;
    this.#open.set(stream, reader);
    const stopChecking = check === undefined ? () => undefined : this.#check(stream, check);
    // Also of a reader that takes nothing any more, whose connection stays.
    stream.onEnd(() => {
      stopChecking();
      this.#open.delete(stream);
    });
    response.once('close', () => stream.end());
  }

  /** Again and again. Returns the function that stops it. */
  #check(stream: Stream, { everyMs, holds }: StreamCheck): () => void {
    let timer: Timer;
    const wait = () => {
      timer = this.#clock.after(everyMs, () => {
        const asking = holds().catch(() => false);
        void asking.then((mayGoOn) => {
          if (!mayGoOn) stream.end();
          else if (this.#open.has(stream)) wait();
        });
      });
    };
    wait();
    return () => timer.cancel();
  }

  /** To all of them, after the speed of the clock has changed. */
  sendTime(): void {
    for (const stream of this.#open.keys()) stream.sendTime();
  }

  /** Ends all of them, so that their readers connect again. */
  end(): void {
    for (const stream of [...this.#open.keys()]) stream.end();
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_STREAMS = 20;
/** Tabs of one person, where several people look. */
const MAX_OF_ONE = 10;
const INTERVAL_MS = 100;
const HEARTBEAT_MS = 15_000;

interface StreamParts {
  readonly log: ChangeLog;
  readonly clock: Clock;
  readonly time: () => ServerTime;
  readonly start: StreamStart;
}

class Stream {
  readonly #response: ServerResponse;
  readonly #log: ChangeLog;
  readonly #clock: Clock;
  readonly #time: () => ServerTime;
  readonly #unsubscribe: () => void;
  #sequence: number;
  #timer: Timer | undefined;
  #heartbeat: Timer | undefined;
  #isBlocked = false;
  #isEnded = false;
  #onEnd: () => void = () => undefined;

  constructor(response: ServerResponse, { log, clock, time, start }: StreamParts) {
    this.#response = response;
    this.#log = log;
    this.#clock = clock;
    this.#time = time;
    // A number of another run is behind everything.
    this.#sequence = start.epoch === log.epoch ? start.after : Number.NaN;
    this.#unsubscribe = log.subscribe(() => this.#wake());
    response.on('drain', () => {
      this.#isBlocked = false;
      this.#wake();
    });
    this.#beat();
    // Also where there is nothing to send yet.
    if (this.#send() === 'nothing') this.sendTime();
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  onEnd(call: () => void): void {
    this.#onEnd = call;
  }

  sendTime(): void {
    if (!this.#isBlocked) this.#write(this.#timeEvent());
  }

  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#unsubscribe();
    this.#timer?.cancel();
    this.#heartbeat?.cancel();
    this.#response.end();
    this.#onEnd();
  }

  #wake(): void {
    if (this.#timer !== undefined || this.#isBlocked || this.#isEnded) return;
    this.#timer = this.#clock.after(INTERVAL_MS, () => {
      this.#timer = undefined;
      this.#send();
    });
  }

  #send(): 'nothing' | undefined {
    const read = this.#log.after(this.#sequence);
    if (read === undefined) {
      this.#write(`event: reset\ndata: {}\n\n`);
      this.end();
      return undefined;
    }
    if (read.text === '') return 'nothing';
    this.#sequence = read.sequence;
    const changes = `id: ${this.#log.epoch}:${read.sequence}\nevent: changes\ndata: [${read.text}]\n\n`;
    this.#write(`${this.#timeEvent()}${changes}`);
    if (read.sequence < this.#log.sequence) this.#wake();
    return undefined;
  }

  #beat(): void {
    this.#heartbeat = this.#clock.after(HEARTBEAT_MS, () => {
      this.sendTime();
      this.#beat();
    });
  }

  #timeEvent(): string {
    return `event: time\ndata: ${JSON.stringify(this.#time())}\n\n`;
  }

  #write(text: string): void {
    if (!this.#isEnded && !this.#response.write(text)) this.#isBlocked = true;
  }
}
