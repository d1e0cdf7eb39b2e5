/**
 * The events that wait to be sent: which is next, and which is dropped when there are too many. Warnings come before
 * Normal events, which get every fifth turn; reasons take turns, so that many events of one reason do not delay those of another, and the events of
 * one object stay in order. What is worth publishing is the recorder's decision.
 */
import type { EventSpec } from './event-spec.ts';

export interface Waiting {
  readonly event: EventSpec;
  /** What the event is about. */
  readonly object: string;
  readonly atMs: number;
}

export class EventBuffer {
  readonly #limits: { readonly size: number; readonly expendable: number };
  /** By type and reason; the reason whose turn was last is at the end. */
  readonly #lanes: Readonly<Record<EventSpec['type'], Map<string, Set<Waiting>>>> = {
    Warning: new Map(),
    Normal: new Map(),
  };
  readonly #byObject = new Map<string, Waiting[]>();
  readonly #expendable = new Set<Waiting>();
  #size = 0;
  /** Warnings since a Normal event had its turn. */
  #warnings = 0;

  constructor(limits: { readonly size: number; readonly expendable: number }) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  /** Which event must be dropped before this one is added: undefined if none, `itself` if there is no room for it. */
  dropFor({ type, reason, expendable }: EventSpec): Waiting | 'itself' | undefined {
    if (expendable === true && this.#expendable.size >= this.#limits.expendable)
      return first(this.#expendable) ?? 'itself';
    if (this.#size < this.#limits.size) return undefined;
    const longest =
      longestOf(this.#lanes.Normal) ?? (type === 'Warning' ? longestOf(this.#lanes.Warning) : undefined);
    // Among events of the same reason those that came first are kept.
    if (longest === undefined || longest === this.#lanes[type].get(reason)) return 'itself';
    return first(longest) ?? 'itself';
  }

  add(waiting: Waiting): void {
    const { event, object } = waiting;
    const lanes = this.#lanes[event.type];
    const lane = lanes.get(event.reason);
    if (lane === undefined) lanes.set(event.reason, new Set([waiting]));
    else lane.add(waiting);
    const same = this.#byObject.get(object);
    if (same === undefined) this.#byObject.set(object, [waiting]);
    else same.push(waiting);
    if (event.expendable === true) this.#expendable.add(waiting);
    this.#size += 1;
  }

  remove(waiting: Waiting): void {
    const { event, object } = waiting;
    const lanes = this.#lanes[event.type];
    const lane = lanes.get(event.reason);
    if (lane?.delete(waiting) !== true) return;
    if (lane.size === 0) lanes.delete(event.reason);
    const same = (this.#byObject.get(object) ?? []).filter((each) => each !== waiting);
    if (same.length === 0) this.#byObject.delete(object);
    else this.#byObject.set(object, same);
    this.#expendable.delete(waiting);
    this.#size -= 1;
  }

  /** Removes and returns the next event about an object that is not busy. */
  take(busy: ReadonlySet<string>): Waiting | undefined {
    const { Warning, Normal } = this.#lanes;
    const isTurnOfNormal = this.#warnings >= WARNINGS_IN_A_ROW;
    for (const lanes of isTurnOfNormal ? [Normal, Warning] : [Warning, Normal]) {
      for (const [reason, lane] of lanes) {
        const next = firstOf(lane, ({ object }) => !busy.has(object));
        if (next === undefined) continue;
        lanes.delete(reason);
        lanes.set(reason, lane);
        // An event is sent after the earlier ones of its object, which therefore have its priority.
        const earliest = this.#byObject.get(next.object)?.[0] ?? next;
        this.remove(earliest);
        this.#warnings = lanes === Warning && !isTurnOfNormal ? this.#warnings + 1 : 0;
        return earliest;
      }
    }
    return undefined;
  }

  /** Removes all events and returns them. */
  clear(): readonly Waiting[] {
    const all = [...this.#byObject.values()].flat();
    for (const waiting of all) this.remove(waiting);
    return all;
  }
}

// ------------------------------------------------------------------------------------------------

/** Thousands of unschedulable pods repeat their Warnings for as long as they wait; other events must not wait with them. */
const WARNINGS_IN_A_ROW = 4;

function longestOf(lanes: ReadonlyMap<string, ReadonlySet<Waiting>>): ReadonlySet<Waiting> | undefined {
  let longest: ReadonlySet<Waiting> | undefined;
  for (const lane of lanes.values()) if (lane.size > (longest?.size ?? 0)) longest = lane;
  return longest;
}

function first(waiting: ReadonlySet<Waiting>): Waiting | undefined {
  return firstOf(waiting, () => true);
}

function firstOf(waiting: ReadonlySet<Waiting>, suits: (each: Waiting) => boolean): Waiting | undefined {
  for (const each of waiting) if (suits(each)) return each;
  return undefined;
}
