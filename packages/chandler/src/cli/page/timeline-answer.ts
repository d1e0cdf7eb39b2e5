/** The timeline: events, launches, disruptions and failures of the last hours, and what the nodes cost. */
import { type Clock, type Stored, turnsOf } from '@chandler/kube';
import type { NodeClaim } from '../../api/index.ts';
import { happenedOf, inOrder, lifeOf, ofCommand, ofFailure, type wire } from '../../dashboard/index.ts';
import { eventMs, type KeptClaim, type KeptCommand, toEvent } from '../../diagnose/index.ts';

export interface TimelineParts {
  readonly fromMs: number;
  readonly toMs: number;
  readonly events: Iterable<Stored>;
  readonly claims: Iterable<Stored<NodeClaim>>;
  readonly commands: readonly KeptCommand[];
  readonly failed: readonly KeptClaim[];
  /** What was seen while the page ran: no object may show it any more. */
  readonly seen: Iterable<wire.Happened>;
  readonly prices: wire.TimelineAnswer['prices'];
}

/** In turns: there may be tens of thousands of events. */
export async function timelineAnswer(parts: TimelineParts, clock: Clock): Promise<wire.TimelineAnswer> {
  const { fromMs, toMs, prices } = parts;
  const turns = turnsOf(clock);
  const newest = new Newest(fromMs, toMs);
  for (const event of parts.events) {
    newest.add(timeOf(event), event);
    await turns.pass();
  }
  const { kept, cutBeforeMs } = newest.take();
  const entries: wire.Happened[] = [];
  for (const event of kept) {
    entries.push(happenedOf(toEvent(event)));
    await turns.pass();
  }
  for (const claim of parts.claims) {
    entries.push(...lifeOf(claim));
    await turns.pass();
  }
  for (const command of parts.commands) entries.push(ofCommand(command));
  for (const claim of parts.failed) entries.push(ofFailure(claim));
  for (const entry of parts.seen) entries.push(entry);
  await turns.pass();
  const firstMs = Math.max(fromMs, cutBeforeMs ?? fromMs);
  const happened = inOrder(entries.filter(({ atMs }) => atMs >= firstMs && atMs <= toMs));
  const sent = happened.slice(-MAX_HAPPENED);
  const isCut = sent.length < happened.length || cutBeforeMs !== undefined;
  return { fromMs, toMs, happened: sent, prices, ...(isCut ? { cutBeforeMs: sent[0]!.atMs } : {}) };
}

// ---------------------------------------------------------------------------------------------------

/** The newest of them. */
const MAX_HAPPENED = 2_000;
/** Some are the same as others. */
const MAX_EVENTS = 2 * MAX_HAPPENED;

/** Events of a range, of which the newest are kept. */
class Newest {
  readonly #fromMs: number;
  readonly #toMs: number;
  #events: { readonly atMs: number; readonly event: Stored }[] = [];
  #cutBeforeMs: number | undefined;

  constructor(fromMs: number, toMs: number) {
    this.#fromMs = fromMs;
    this.#toMs = toMs;
  }

  add(atMs: number, event: Stored): void {
    if (atMs < Math.max(this.#fromMs, this.#cutBeforeMs ?? this.#fromMs) || atMs > this.#toMs) return;
    this.#events.push({ atMs, event });
    if (this.#events.length >= 2 * MAX_EVENTS) this.#cut();
  }

  /** @returns from when on they are complete; undefined: they are. */
  take(): { readonly kept: readonly Stored[]; readonly cutBeforeMs: number | undefined } {
    if (this.#events.length > MAX_EVENTS) this.#cut();
    return { kept: this.#events.map(({ event }) => event), cutBeforeMs: this.#cutBeforeMs };
  }

  #cut(): void {
    this.#events.sort((one, other) => one.atMs - other.atMs);
    this.#events = this.#events.slice(-MAX_EVENTS);
    this.#cutBeforeMs = this.#events[0]!.atMs;
  }
}

/** Stored objects do not change: a time is read once. */
const times = new WeakMap<Stored, number>();

function timeOf(event: Stored): number {
  let atMs = times.get(event);
  if (atMs === undefined) {
    atMs = eventMs(event);
    times.set(event, atMs);
  }
  return atMs;
}
