/**
 * Keeps a dump within its maximum size. What answers the fewest questions is left out first: events of healthy objects,
 * healthy NodeClaims and Nodes without a pod of the dump, then other events, logs, pods, and at last any kind.
 */
import { EVENTS, NODES, PODS, resourceName } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import type { ReadObject } from '../../causes/index.ts';
import type { ClaimShape, PodShape } from '../evidence/shapes.ts';
import type { Dump, DumpedKind } from './dump.ts';
import { isHealthy } from './healthy.ts';

/** What is at the end of a kind is left out first, so the first pods are those that matter most. */
export function boundDump(dump: Dump, maxBytes: number): Dump {
  const sizes = new Map<ReadObject, number>();
  for (const { objects } of Object.values(dump.kinds))
    for (const object of objects) sizes.set(object, sizeOf(object) + SEPARATOR_BYTES);
  let excess = frameOf(dump) - maxBytes;
  for (const size of sizes.values()) excess += size;
  if (excess <= 0) return dump;
  const kinds: Record<string, DumpedKind> = { ...dump.kinds };
  const leaveOut = (name: string, isSpare: (object: ReadObject) => boolean) => {
    const kind = kinds[name];
    if (kind === undefined || excess <= 0) return;
    const kept: ReadObject[] = [];
    for (const object of kind.objects.toReversed())
      if (excess > 0 && isSpare(object)) excess -= sizes.get(object)!;
      else kept.push(object);
    if (kept.length === kind.objects.length) return;
    kinds[name] = { ...kind, objects: kept.reverse(), complete: false };
  };
  const isSpare = spareIn(dump);
  for (const name of [EVENT, CLAIM, NODE]) leaveOut(name, (object) => isSpare(name, object));
  leaveOut(EVENT, () => true);
  const logs = Object.entries(dump.logs);
  const logCount = logs.length;
  while (excess > 0 && logs.length > 0) excess -= sizeOf(logs.pop()!);
  const rest = Object.keys(kinds).filter((name) => name !== POD && name !== NODE);
  for (const name of [POD, ...rest, NODE]) leaveOut(name, () => true);
  return {
    ...dump,
    kinds: Object.fromEntries(
      Object.entries(kinds).map(([name, kind]) => [name, withCut(name, kind, dump.kinds[name]!)]),
    ),
    logs: Object.fromEntries(logs),
    ...(logs.length === logCount ? {} : { cutLogs: cutText('logs', logCount, logs.length) }),
  };
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

function withCut(name: string, kind: DumpedKind, before: DumpedKind): DumpedKind {
  if (kind === before) return kind;
  const cut = cutText(name, before.objects.length, kind.objects.length);
  return { ...kind, cut: before.cut === undefined ? cut : `${before.cut}; ${cut}` };
}

function cutText(what: string, before: number, now: number): string {
  const more = now === 0 ? '; set --max-size' : '';
  return `of ${before} ${what}, ${now} are in the dump because of its maximum size${more}`;
}
