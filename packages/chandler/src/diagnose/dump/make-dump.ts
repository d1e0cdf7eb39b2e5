/**
 * Collects a dump: all of the kinds that are few, of pods and what belongs to them those that questions are asked about
 * (not well, on nodes in trouble, or in a namespace that is named), and what Azure shows of machines that have not
 * joined. Bounded in size: what is dropped first is what is longest.
 */
import type { KubeObject } from '@chandler/kube';
import { type ResourceRef, resourceName } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { type Evidence, isTrue, type Unread } from '../../causes/index.ts';

import type { Ask } from '../evidence/ask.ts';
import type { AzureEye } from '../evidence/azure-eye.ts';
import { claimEvidence } from '../evidence/claims.ts';
import { readController } from '../evidence/controller.ts';
import { Ledger } from '../evidence/ledger.ts';
import { readMachine } from '../evidence/machines.ts';
import type { ClaimShape } from '../evidence/shapes.ts';
import { readToken } from '../evidence/tokens.ts';
import { isFound, type ListFilter, type ObjectReader } from '../reader/reader.ts';
import { DUMP_KIND, DUMP_VERSION, type Dump, type DumpedKind } from './dump.ts';
import { KINDS, SETTINGS } from './dump-kinds.table.ts';
import { choosePods, readLogs } from './dump-pods.ts';
import { scrubbed } from './scrub.ts';

export interface MakeDump {
  readonly reader: ObjectReader;
  readonly azure?: AzureEye | undefined;
  /** Of the program, for the reader of the dump. */
  readonly madeBy: string;
  /** Namespaces whose pods go in whole. */
  readonly namespaces?: readonly string[];
  readonly mostBytes?: number;
}

export const MOST_BYTES = 64 * 1024 * 1024;

export async function makeDump(options: MakeDump): Promise<Dump> {
  const { reader, azure, madeBy, namespaces = [], mostBytes = MOST_BYTES } = options;
  const kinds: Record<string, DumpedKind> = {};
  for (const { resource, filter, partly } of [...KINDS, ...SETTINGS])
    merge(kinds, resource, await dumpKind(reader, resource, filter, partly === true));
  const chosen = await choosePods(reader, kinds, namespaces);
  for (const [resource, kind] of chosen.kinds) merge(kinds, resource, kind);
  const logs = await readLogs(reader, chosen.pods);
  const { evidence, unread } = await readElsewhere(reader, azure, kinds);
  const dump: Dump = {
    kind: DUMP_KIND,
    version: DUMP_VERSION,
    madeAt: new Date(reader.atMs).toISOString(),
    madeBy,
    kinds,
    logs,
    evidence,
    unread,
  };
  return bounded(dump, mostBytes);
}

// ---------------------------------------------------------------------------------------------------

async function dumpKind(
  reader: ObjectReader,
  resource: ResourceRef,
  filter: ListFilter | undefined,
  partly: boolean,
): Promise<DumpedKind> {
  const looked = await reader.list(resource, filter);
  if (!isFound(looked)) return { objects: [], complete: false, unread: looked };
  return { objects: looked.found.map(scrubbed), complete: filter === undefined && !partly };
}

function merge(kinds: Record<string, DumpedKind>, resource: ResourceRef, kind: DumpedKind): void {
  const name = resourceName(resource);
  const known = kinds[name];
  if (known === undefined) kinds[name] = kind;
  else if (kind.unread === undefined)
    kinds[name] = {
      objects: unique([...known.objects, ...kind.objects]),
      complete: known.complete || kind.complete,
    };
}

function unique(objects: readonly KubeObject[]): readonly KubeObject[] {
  const byKey = new Map(
    objects.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]),
  );
  return [...byKey.values()];
}

const MOST_MACHINES = 10;

/** The state of the token, of which the dump must not have the Secret; machines that have not joined. */
async function readElsewhere(
  reader: ObjectReader,
  azure: AzureEye | undefined,
  kinds: Readonly<Record<string, DumpedKind>>,
): Promise<{ readonly evidence: readonly Evidence[]; readonly unread: readonly Unread[] }> {
  const ledger = new Ledger(reader.from, reader.atMs);
  const ask: Ask = { reader, ledger, azure, planner: undefined };
  const claims = (kinds[resourceName(NODE_CLAIMS)]?.objects ?? []) as readonly ClaimShape[];
  const joining = claims.filter((claim) => {
    const evidence = claimEvidence(ask, claim);
    return isTrue(evidence, 'Launched') && !isTrue(evidence, 'Initialized');
  });
  const scratch: Ask = { ...ask, ledger: new Ledger(reader.from, reader.atMs) };
  if (joining.length > 0) await readToken(ask, await readController(scratch));
  for (const claim of joining.slice(0, MOST_MACHINES)) await readMachine(ask, claim);
  const { records, unread } = ledger.evidence();
  return { evidence: records.map(withoutSecretsIn), unread };
}

function withoutSecretsIn(record: Evidence): Evidence {
  return scrubbed({ metadata: {}, record } as KubeObject)['record'] as Evidence;
}

function sizeOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** Logs go first, then events, then pods; what was dropped makes its kind incomplete. */
function bounded(dump: Dump, mostBytes: number): Dump {
  let small = dump;
  let size = sizeOf(small);
  if (size <= mostBytes) return small;
  small = { ...small, logs: {} };
  for (const name of ['events', 'pods']) {
    size = sizeOf(small);
    if (size <= mostBytes) return small;
    const kind = small.kinds[name];
    if (kind === undefined) continue;
    const share = Math.max(0, 1 - (size - mostBytes) / Math.max(1, sizeOf(kind.objects)));
    const objects = kind.objects.slice(0, Math.floor(kind.objects.length * share * 0.95));
    small = { ...small, kinds: { ...small.kinds, [name]: { objects, complete: false } } };
  }
  return small;
}
