/**
 * Collects a dump: all objects of kinds with few objects; of pods and their dependents only those that are unhealthy, on
 * unhealthy nodes, or in a named namespace; and what the cloud shows of instances that have not registered. Its size is
 * bounded by `bound-dump.ts`.
 */
import { NODES, type ResourceRef, resourceName } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import {
  type Evidence,
  EvidenceRecorder,
  isFound,
  isTrue,
  type ListFilter,
  type ObjectReader,
  type ReadObject,
  type Unread,
  withoutLogSecrets,
} from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';

import { urgentFirst } from '../evidence/claim-order.ts';
import { claimEvidence } from '../evidence/claims.ts';
import { readController } from '../evidence/controller.ts';
import type { GatherContext } from '../evidence/gather-context.ts';
import type { ClaimShape, NodeShape } from '../evidence/shapes.ts';
import { boundDump } from './bound-dump.ts';
import { DUMP_KIND, DUMP_VERSION, type Dump, type DumpedKind } from './dump.ts';
import { type DumpRow, KINDS, SETTINGS } from './dump-kinds.table.ts';
import { choosePods, readLogs } from './dump-pods.ts';
import { type Scrub, scrubber } from './scrub.ts';

export interface MakeDump {
  readonly reader: ObjectReader;
  /** The dump contains its node classes, and what it shows of instances that have not registered. */
  readonly cloud: CloudDiagnosis;
  /** The version of the program, for the reader of the dump. */
  readonly madeBy: string;
  /** Namespaces of which all pods are included. */
  readonly namespaces?: readonly string[];
  readonly maxBytes?: number;
}

export const MAX_BYTES = 64 * 1024 * 1024;

export async function makeDump(options: MakeDump): Promise<Dump> {
  const { reader, cloud, madeBy, namespaces = [], maxBytes = MAX_BYTES } = options;
  const scrub = scrubber(cloud.options.table);
  const classes = cloud.nodeClasses.map((resource): DumpRow => ({ resource }));
  const kinds: Record<string, DumpedKind> = {};
  const frame = {
    kind: DUMP_KIND,
    version: DUMP_VERSION,
    madeAt: new Date(reader.atMs).toISOString(),
    madeBy,
  } as const;
  for (const { resource, filter, partly } of [...KINDS, ...classes, ...SETTINGS]) {
    merge(kinds, resource, await dumpKind(reader, scrub, resource, filter, partly === true));
    if (isUnreachable(kinds)) return { ...frame, kinds, logs: {}, evidence: [], unread: [] };
  }
  const chosen = await choosePods(reader, scrub, kinds, namespaces);
  for (const [resource, kind] of chosen.kinds) merge(kinds, resource, kind);
  const { logs, cut: cutLogs } = await readLogs(reader, chosen.pods);
  const { evidence, unread } = await readCloud(reader, cloud, scrub, kinds);
  const cut = cutLogs === undefined ? {} : { cutLogs };
  return boundDump({ ...frame, kinds, logs, ...cut, evidence, unread }, maxBytes);
}

// ---------------------------------------------------------------------------------------------------

/** Each further kind of a cluster that does not answer would take a whole timeout. */
function isUnreachable(kinds: Readonly<Record<string, DumpedKind>>): boolean {
  const read = Object.values(kinds);
  return (
    read.length >= MAX_UNREACHABLE &&
    read.every(({ objects, unread }) => objects.length === 0 && unread?.why === 'unreachable')
  );
}

const MAX_UNREACHABLE = 2;

async function dumpKind(
  reader: ObjectReader,
  scrub: Scrub,
  resource: ResourceRef,
  filter: ListFilter | undefined,
  partly: boolean,
): Promise<DumpedKind> {
  const objects: ReadObject[] = [];
  for await (const page of reader.pages(resource, filter)) {
    if (!isFound(page)) return { objects, complete: false, unread: page };
    for (const object of page.found) objects.push(scrub(object));
  }
  return {
    objects,
    complete: filter === undefined && !partly,
    ...(isWholeNamespace(filter) && !partly ? { wholeNamespaces: [filter.namespace] } : {}),
  };
}

function isWholeNamespace(
  filter: ListFilter | undefined,
): filter is ListFilter & { readonly namespace: string } {
  return filter?.namespace !== undefined && Object.keys(filter).length === 1;
}

function merge(kinds: Record<string, DumpedKind>, resource: ResourceRef, kind: DumpedKind): void {
  const name = resourceName(resource);
  const known = kinds[name];
  if (known === undefined) {
    kinds[name] = kind;
    return;
  }
  const unread = known.unread ?? kind.unread;
  const cut = known.cut ?? kind.cut;
  const absent = known.absent ?? kind.absent;
  const wholeNamespaces = [...new Set([...(known.wholeNamespaces ?? []), ...(kind.wholeNamespaces ?? [])])];
  kinds[name] = {
    objects: unique([...known.objects, ...kind.objects]),
    complete: known.complete || kind.complete,
    ...(cut === undefined ? {} : { cut }),
    ...(absent === undefined ? {} : { absent }),
    ...(wholeNamespaces.length === 0 ? {} : { wholeNamespaces }),
    ...(unread === undefined ? {} : { unread }),
  };
}

function unique(objects: readonly ReadObject[]): readonly ReadObject[] {
  const byKey = new Map(
    objects.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]),
  );
  return [...byKey.values()];
}

const MAX_INSTANCES = 10;

/** The state of the bootstrap token, because its Secret is not in the dump; instances that have not registered. */
async function readCloud(
  reader: ObjectReader,
  cloud: CloudDiagnosis,
  scrub: Scrub,
  kinds: Readonly<Record<string, DumpedKind>>,
): Promise<{ readonly evidence: readonly Evidence[]; readonly unread: readonly Unread[] }> {
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  const context: GatherContext = { reader, recorder, cloud, planner: undefined, expectsCustomerKey: false };
  const claims = (kinds[resourceName(NODE_CLAIMS)]?.objects ?? []) as readonly ClaimShape[];
  const unready = unreadyNodes((kinds[resourceName(NODES)]?.objects ?? []) as readonly NodeShape[]);
  const joining = claims.filter((claim) => {
    const evidence = claimEvidence(context, claim);
    if (!isTrue(evidence, 'Launched')) return false;
    return !isTrue(evidence, 'Initialized') || unready.has(evidence.nodeName ?? '');
  });
  const scratch: GatherContext = { ...context, recorder: new EvidenceRecorder(reader.from, reader.atMs) };
  const controller = joining.length === 0 ? undefined : await readController(scratch);
  if (joining.length > 0) await cloud.evidence.readJoinCredentials(context, controller);
  const isBroken = ({ status }: ClaimShape) => unready.has(status?.nodeName ?? '');
  for (const claim of urgentFirst(joining, reader.atMs, isBroken).slice(0, MAX_INSTANCES)) {
    const evidence = claimEvidence(context, claim);
    const isUnready = unready.has(evidence.nodeName ?? '');
    await cloud.evidence.readInstance(context, evidence, controller, { isUnready });
  }
  const { records, unread } = recorder.evidence();
  return { evidence: records.map((record) => withoutSecretsIn(scrub, record)), unread };
}

/** The VM of a node that is not Ready says whether it still runs. */
function unreadyNodes(nodes: readonly NodeShape[]): ReadonlySet<string> {
  const unready = nodes.filter(
    ({ status }) => !status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True'),
  );
  return new Set(unready.map(({ metadata }) => metadata.name));
}

/** The recorder has searched the logs of VMs; an extension reports what the same script printed. */
function withoutSecretsIn(scrub: Scrub, record: Evidence): Evidence {
  const safe =
    record.kind === 'extension' ? { ...record, message: withoutLogSecrets(record.message) } : record;
  return scrub({ metadata: {}, record: safe }).record;
}
