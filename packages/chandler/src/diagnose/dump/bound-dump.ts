/**
 * Keeps a dump within its maximum size. What answers the fewest questions is left out first: events of healthy objects,
 * healthy NodeClaims and Nodes without a pod of the dump, then other events, logs, and at last the largest kinds.
 */
import { EVENTS, NODES, PODS, resourceName } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import type { ReadObject } from '../../causes/index.ts';
import type { ClaimShape, PodShape } from '../evidence/shapes.ts';
import type { Dump, DumpedKind } from './dump.ts';
import { isHealthy } from './healthy.ts';

export function boundDump(dump: Dump, maxBytes: number): Dump {
  const shrinking = new ShrinkingDump(dump, maxBytes);
  if (shrinking.fits()) return dump;
  const isSpare = spareIn(dump);
  for (const name of [EVENT, CLAIM, NODE]) shrinking.leaveOut(name, (object) => isSpare(name, object));
  shrinking.leaveOut(EVENT, () => true);
  shrinking.leaveOutLogs();
  shrinking.levelKinds();
  return shrinking.dump();
}

// ---------------------------------------------------------------------------------------------------

const [EVENT, CLAIM, NODE, POD] = [EVENTS, NODE_CLAIMS, NODES, PODS].map(resourceName) as [
  string,
  string,
  string,
  string,
];

/** A comma and a line break. */
const SEPARATOR_BYTES = 2;
/** For the header of a kind, and the sentence about what was left out of it. */
const KIND_BYTES = 400;

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

function frameOf({ kinds, ...rest }: Dump): number {
  const headers = Object.values(kinds).map(({ objects: _, ...kind }) => sizeOf(kind) + KIND_BYTES);
  return headers.reduce((sum, size) => sum + size, sizeOf(rest) + KIND_BYTES);
}

/** Whether it is a healthy node on which no pod of the dump is, its healthy NodeClaim, or an event about one of them. */
function spareIn({ kinds }: Dump): (name: string, object: ReadObject) => boolean {
  const used = new Set(
    ((kinds[POD]?.objects ?? []) as readonly PodShape[]).map(({ spec }) => spec?.nodeName ?? ''),
  );
  const spareNodes = namesOf(kinds[NODE], (node) => isHealthy(node) && !used.has(node.metadata.name));
  const spareClaims = namesOf(
    kinds[CLAIM],
    (claim) => isHealthy(claim) && spareNodes.has((claim as ClaimShape).status?.nodeName ?? ''),
  );
  const ofKind: Readonly<Record<string, ReadonlySet<string>>> = { Node: spareNodes, NodeClaim: spareClaims };
  return (name, object) => {
    if (name === NODE) return spareNodes.has(object.metadata.name);
    if (name === CLAIM) return spareClaims.has(object.metadata.name);
    const about = (object as { involvedObject?: { kind?: string; name?: string } }).involvedObject;
    return ofKind[about?.kind ?? '']?.has(about?.name ?? '') === true;
  };
}

function namesOf(kind: DumpedKind | undefined, wanted: (object: ReadObject) => boolean): ReadonlySet<string> {
  return new Set((kind?.objects ?? []).filter(wanted).map(({ metadata }) => metadata.name));
}

function cutText(what: string, before: number, now: number): string {
  const more = now === 0 ? '; set --max-size' : '';
  return `of ${before} ${what}, ${now} are in the dump because of its maximum size${more}`;
}

/** What is at the end of a kind is left out first, so the first pods are those that matter most. */
class ShrinkingDump {
  readonly #whole: Dump;
  readonly #sizes = new Map<ReadObject, number>();
  readonly #kinds: Record<string, DumpedKind>;
  readonly #logs: [string, string][];
  #excess: number;

  constructor(whole: Dump, maxBytes: number) {
    this.#whole = whole;
    this.#kinds = { ...whole.kinds };
    this.#logs = Object.entries(whole.logs);
    this.#excess = frameOf(whole) - maxBytes;
    for (const { objects } of Object.values(whole.kinds))
      for (const object of objects) {
        const size = sizeOf(object) + SEPARATOR_BYTES;
        this.#sizes.set(object, size);
        this.#excess += size;
      }
  }

  fits(): boolean {
    return this.#excess <= 0;
  }

  leaveOut(name: string, isSpare: (object: ReadObject) => boolean): void {
    const kept = (this.#kinds[name]?.objects ?? []).toReversed().filter((object) => {
      if (this.fits() || !isSpare(object)) return true;
      this.#excess -= this.#sizes.get(object)!;
      return false;
    });
    this.#keep(name, kept.reverse());
  }

  leaveOutLogs(): void {
    while (!this.fits() && this.#logs.length > 0) this.#excess -= sizeOf(this.#logs.pop());
  }

  /** Leaves out of the kind that is the largest until all fit: kinds of few objects stay whole. */
  levelKinds(): void {
    const lists = Object.entries(this.#kinds).map(([name, { objects }]) => ({
      name,
      kept: [...objects],
      bytes: objects.reduce((sum, object) => sum + this.#sizes.get(object)!, 0),
    }));
    while (!this.fits()) {
      const largest = lists.reduce((one, other) => (other.bytes > one.bytes ? other : one));
      const last = largest.kept.pop();
      if (last === undefined) break;
      largest.bytes -= this.#sizes.get(last)!;
      this.#excess -= this.#sizes.get(last)!;
    }
    for (const { name, kept } of lists) this.#keep(name, kept);
  }

  dump(): Dump {
    const before = Object.keys(this.#whole.logs).length;
    const now = this.#logs.length;
    const { cutLogs: earlier } = this.#whole;
    const cut = cutText('logs', before, now);
    return {
      ...this.#whole,
      kinds: this.#kinds,
      logs: Object.fromEntries(this.#logs),
      ...(now === before ? {} : { cutLogs: earlier === undefined ? cut : `${earlier}; ${cut}` }),
    };
  }

  #keep(name: string, objects: readonly ReadObject[]): void {
    if (objects.length === (this.#kinds[name]?.objects.length ?? 0)) return;
    const { wholeNamespaces: _, ...kind } = this.#kinds[name]!;
    const { cut: earlier, objects: all } = this.#whole.kinds[name]!;
    const cut = cutText(name, all.length, objects.length);
    this.#kinds[name] = {
      ...kind,
      objects,
      complete: false,
      cut: earlier === undefined ? cut : `${earlier}; ${cut}`,
    };
  }
}
