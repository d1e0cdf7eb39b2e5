/**
 * A standard queue of SQS: at least once, in no order. A received message is invisible until its timeout ends or it is
 * deleted with the handle of its last delivery.
 */
import { createHash } from 'node:crypto';
import type { Random, Timer } from '@chandler/kube';
import type { Schedule } from '../../schedule.ts';
import type { PolicyDocument } from '../iam/policy.ts';

export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly url: string;
  visibilityTimeoutMs: number;
  retentionMs: number;
  readonly createdMs: number;
}

export interface Message {
  readonly id: string;
  readonly body: string;
  readonly md5: string;
  readonly sentMs: number;
  firstReceivedMs: number | undefined;
  visibleMs: number;
  receives: number;
  receipt: string | undefined;
}

export class Queue {
  readonly settings: QueueSettings;
  readonly #schedule: Schedule;
  readonly #random: Random;
  readonly #now: () => number;
  readonly #messages = new Map<string, Message>();
  readonly #waiting = new Set<() => void>();
  /** Of the queue itself. */
  policy: PolicyDocument | undefined;
  /** The key that encrypts messages; undefined: that of SQS. */
  kmsKeyId: string | undefined;
  /** Whether SQS encrypts messages with a key of its own, where there is no other key. */
  managedEncryption = true;
  tags: Readonly<Record<string, string>> = {};
  /** Whether a deleted message is delivered again. */
  deliversAgain: (message: Message) => boolean = () => false;

  constructor(settings: QueueSettings, schedule: Schedule, random: Random, now: () => number) {
    this.settings = settings;
    this.#schedule = schedule;
    this.#random = random;
    this.#now = now;
  }

  get size(): number {
    return this.#messages.size;
  }

  /** For tests: what is in the queue, received or not. */
  list(): readonly Message[] {
    this.#expire();
    return [...this.#messages.values()];
  }

  counts(): { readonly visible: number; readonly inFlight: number } {
    this.#expire();
    const nowMs = this.#now();
    const visible = [...this.#messages.values()].filter(({ visibleMs }) => visibleMs <= nowMs).length;
    return { visible, inFlight: this.#messages.size - visible };
  }

  send(body: string, delayMs = 0): Message {
    const nowMs = this.#now();
    const message: Message = {
      id: this.#random.uuid(),
      body,
      md5: createHash('md5').update(body).digest('hex'),
      sentMs: nowMs,
      firstReceivedMs: undefined,
      visibleMs: nowMs + delayMs,
      receives: 0,
      receipt: undefined,
    };
    this.#messages.set(message.id, message);
    this.#wakeAfter(delayMs);
    return message;
  }

  /** Resolves with up to `max` messages, as soon as there is one or the wait ends. */
  receive(
    max: number,
    options: {
      readonly waitMs: number;
      readonly visibilityMs?: number | undefined;
      readonly signal?: AbortSignal | undefined;
    },
  ): Promise<readonly Message[]> {
    const ready = this.#take(max, options.visibilityMs);
    if (ready.length > 0 || options.waitMs <= 0) return Promise.resolve(ready);
    return new Promise((resolve) => {
      let timer: Timer | undefined;
      const done = (messages: readonly Message[]) => {
        this.#waiting.delete(wake);
        timer?.cancel();
        options.signal?.removeEventListener('abort', leave);
        resolve(messages);
      };
      const leave = () => done([]);
      const wake = () => {
        const messages = this.#take(max, options.visibilityMs);
        if (messages.length > 0) done(messages);
      };
      this.#waiting.add(wake);
      timer = this.#schedule.after(options.waitMs, leave);
      options.signal?.addEventListener('abort', leave, { once: true });
    });
  }

  /** False: the handle was never given out. */
  delete(receipt: string): boolean {
    const id = messageIdOf(receipt);
    if (id === undefined) return false;
    const message = this.#messages.get(id);
    // A message that is gone, or was received again since, is no error.
    if (message === undefined || message.receipt !== receipt) return true;
    if (this.deliversAgain(message)) {
      message.visibleMs = this.#now();
      this.#wakeAfter(0);
    } else this.#messages.delete(id);
    return true;
  }

  purge(): void {
    this.#messages.clear();
  }

  #take(max: number, visibilityMs = this.settings.visibilityTimeoutMs): readonly Message[] {
    this.#expire();
    const nowMs = this.#now();
    const ready = [...this.#messages.values()].filter((each) => each.visibleMs <= nowMs).slice(0, max);
    for (const message of ready) {
      message.visibleMs = nowMs + visibilityMs;
      message.receives += 1;
      message.firstReceivedMs ??= nowMs;
      message.receipt = Buffer.from(`${message.id} ${this.#random.uuid()}`).toString('base64');
      this.#wakeAfter(visibilityMs);
    }
    return ready;
  }

  #wakeAfter(delayMs: number): void {
    this.#schedule.after(delayMs, () => {
      for (const wake of [...this.#waiting]) wake();
    });
  }

  #expire(): void {
    const oldestMs = this.#now() - this.settings.retentionMs;
    for (const { id, sentMs } of this.#messages.values()) if (sentMs < oldestMs) this.#messages.delete(id);
  }
}

// ---------------------------------------------------------------------------------------------------

function messageIdOf(receipt: string): string | undefined {
  return /^([0-9a-f-]{36}) [0-9a-f-]{36}$/.exec(Buffer.from(receipt, 'base64').toString())?.[1];
}
