/**
 * What happened while the page ran, for the timeline: kept here, because objects do not show it once they are gone, and sent with
 * the stream, once. Bounded: the newest are kept. And that NodeClaims went on, which rows do not show.
 */
import { type Clock, type ConfigMap, conditionOf, type StoreChange, type Stored } from '@chandler/kube';
import { ChandlerAnnotation, type NodeClaim } from '../api/index.ts';
import {
  KEPT_COMMANDS_NAME,
  KEPT_JOURNEYS_NAME,
  type ReadEvent,
  readKept,
  readKeptCommands,
} from '../diagnose/index.ts';
import { happenedOf, lifeOf, ofCommand, ofFailure } from './happened.ts';
import { happenedKey } from './happened-key.ts';
import type { PagePod } from './page-pods.ts';
import { PendingPods } from './pending-pods.ts';
import type { Change, Happened } from './wire.ts';

export class History {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #entries = new Map<string, Happened>();
  readonly #pods = new PendingPods();
  #unsent: Happened[] = [];
  #isCut = false;
  #isClaimsDue = false;

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
  }

  /** Oldest first, as they were seen. */
  all(): Iterable<Happened> {
    return this.#entries.values();
  }

  /** Whether there is something to send. */
  get isDue(): boolean {
    return this.#unsent.length > 0 || this.#isCut || this.#isClaimsDue || this.dueInMs() === 0;
  }

  /** In how many ms pods have been pending for long enough to be told; undefined: there are none. */
  dueInMs(): number | undefined {
    return this.#pods.dueInMs(this.#clock.now());
  }

  /** What was seen so far is kept and not sent: the first answer has it. */
  start(): void {
    for (const entry of this.#pods.take(this.#clock.now(), Number.NEGATIVE_INFINITY)) this.#keep(entry);
    this.take();
  }

  /** What has not been sent yet. */
  take(): readonly Change[] {
    for (const entry of this.#pods.take(this.#clock.now())) this.#note(entry);
    const [unsent, isCut, isClaimsDue] = [this.#unsent, this.#isCut, this.#isClaimsDue];
    this.#unsent = [];
    this.#isCut = false;
    this.#isClaimsDue = false;
    return [
      ...unsent.map((each): Change => ['happened', each]),
      ...(isCut ? [['happened-cut'] as const] : []),
      ...(isClaimsDue ? [['claims'] as const] : []),
    ];
  }

  /** Of no object: what somebody did on the page. */
  note(entry: Happened): void {
    this.#note(entry);
  }

  eventChanged(event: ReadEvent): void {
    this.#note(happenedOf(event));
  }

  /** What a claim that exists shows by itself is sent only; of one that is gone it is kept. */
  claimChanged({ type, object, before }: StoreChange<NodeClaim>): void {
    if (type === 'updated' && before !== undefined && progressOf(before) !== progressOf(object))
      this.#isClaimsDue = true;
    const known = new Set((before === undefined ? [] : lifeOf(before)).map(happenedKey));
    for (const entry of lifeOf(object)) {
      if (!known.has(happenedKey(entry))) this.#send(entry);
      if (type === 'deleted') this.#keep(entry);
    }
    if (type === 'deleted') this.#note(removed(object.metadata.name, this.#clock.now()));
  }

  /** A ConfigMap with commands of disruption, or with NodeClaims that failed. */
  keptChanged({ type, object, before }: StoreChange<ConfigMap>): void {
    if (type === 'deleted') return;
    const known = before?.data ?? {};
    const added = Object.entries(object.data ?? {}).filter(([name, text]) => known[name] !== text);
    // Of a claim that failed it is kept here; its row may have gone before.
    if (object.metadata.name === KEPT_JOURNEYS_NAME && added.length > 0) this.#isClaimsDue = true;
    for (const entry of entriesOf(object, Object.fromEntries(added))) this.#note(entry);
  }

  podChanged(before: PagePod | undefined, now: PagePod | undefined): void {
    this.#pods.changed(before, now, this.#clock.now());
  }

  #note(entry: Happened): void {
    if (this.#keep(entry)) this.#send(entry);
  }

  /** False: it is known. */
  #keep(entry: Happened): boolean {
    const key = happenedKey(entry);
    if (this.#entries.has(key)) return false;
    this.#entries.set(key, entry);
    if (this.#entries.size > MAX_ENTRIES) this.#entries.delete(this.#entries.keys().next().value!);
    return true;
  }

  #send(entry: Happened): void {
    if (this.#unsent.length < MAX_UNSENT) this.#unsent.push(entry);
    else this.#isCut = true;
  }
}

// ---------------------------------------------------------------------------------------------------

const MAX_ENTRIES = 5_000;
/** Between two flushes: readers are sent a mark that there is more to ask for. */
const MAX_UNSENT = 200;
const LIFECYCLE = ['Launched', 'Registered', 'Initialized'] as const;

/** How far a claim is, and what keeps it: its row shows neither the stages nor why a launch is tried again. */
function progressOf(claim: Stored<NodeClaim>): string {
  const conditions = LIFECYCLE.map((type) => conditionOf(claim, type));
  return JSON.stringify([claim.metadata.annotations?.[ChandlerAnnotation.journey], conditions]);
}

function removed(name: string, atMs: number): Happened {
  const text = `NodeClaim ${name} was removed`;
  return { atMs, what: 'removed', subject: `NodeClaim/${name}`, reason: 'Removed', text, warning: false };
}

function entriesOf(
  { metadata }: Stored<ConfigMap>,
  data: Readonly<Record<string, string>>,
): readonly Happened[] {
  if (metadata.name === KEPT_COMMANDS_NAME) return readKeptCommands(data).map(ofCommand);
  return Object.values(data)
    .flatMap((text) => readKept(text) ?? [])
    .map(ofFailure);
}
