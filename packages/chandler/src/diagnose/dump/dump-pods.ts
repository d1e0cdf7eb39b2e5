/** Which pods go into a dump, with their events, volumes, services, budgets and logs. */
import {
  CRON_JOBS,
  CSI_NODES,
  DEPLOYMENTS,
  ENDPOINT_SLICES,
  EVENTS,
  JOBS,
  ownerOf,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  REPLICA_SETS,
  type ResourceRef,
  SERVICES,
  STATEFUL_SETS,
} from '@chandler/kube';
import {
  badContainers,
  EvidenceRecorder,
  isFound,
  type LookupFailure,
  type ObjectReader,
  type ReadObject,
  withoutLogSecrets,
} from '../../causes/index.ts';
import type { GatherContext } from '../evidence/gather-context.ts';
import { isReadyForNow, podEvidence } from '../evidence/pods.ts';
import { conditionsOf, type PodShape, volumeClaimNames } from '../evidence/shapes.ts';
import { type DumpedKind, logKey } from './dump.ts';
import { isHealthy } from './healthy.ts';
import type { Scrub } from './scrub.ts';

export interface ChosenPods {
  readonly pods: readonly PodShape[];
  readonly kinds: readonly (readonly [ResourceRef, DumpedKind])[];
}

const MAX_PODS = 2000;
const MAX_NAMESPACES = 30;
const MAX_LOGS = 60;
const MAX_OF_OWNER = 5;

export async function choosePods(
  reader: ObjectReader,
  scrub: Scrub,
  kinds: Readonly<Record<string, DumpedKind>>,
  named: readonly string[],
): Promise<ChosenPods> {
  const unhealthyNodes = unhealthyNodesIn(kinds['nodes']?.objects ?? []);
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  // The first are the last to be left out.
  const wanted: readonly PodShape[][] = [[], [], [], []];
  let count = 0;
  let unread: LookupFailure | undefined;
  let isWhole = true;
  for await (const page of reader.pages(PODS)) {
    if (!isFound(page)) {
      unread = page;
      break;
    }
    for (const pod of page.found as readonly PodShape[]) {
      const rank = rankOf({ recorder }, pod, named, unhealthyNodes);
      if (rank === undefined) {
        isWhole = false;
        continue;
      }
      count++;
      if (wanted[rank]!.length < MAX_PODS) wanted[rank]!.push(scrub(pod));
    }
  }
  const pods = wanted.flatMap(inTurns).slice(0, MAX_PODS);
  const isCut = pods.length < count;
  const dumped: DumpedKind = {
    objects: pods,
    complete: isWhole && !isCut && unread === undefined,
    ...(isCut || unread !== undefined ? {} : { wholeNamespaces: named }),
    ...(isCut
      ? {
          cut: `of ${count} pods that belong into the dump, ${pods.length} are in it; name namespaces with -n`,
        }
      : {}),
    ...(unread === undefined ? {} : { unread }),
  };
  const all = [...new Set([...named, ...pods.map(({ metadata }) => metadata.namespace ?? '')])];
  const spaces = all.slice(0, MAX_NAMESPACES);
  const around = await Promise.all(
    AROUND.map(async (resource) => [resource, await inNamespaces(reader, scrub, resource, spaces)] as const),
  );
  const claims = around.find(([resource]) => resource === PERSISTENT_VOLUME_CLAIMS)![1].objects;
  const nodes = new Set([...unhealthyNodes, ...pods.map(({ spec }) => spec.nodeName ?? '')]);
  return {
    pods,
    kinds: [
      [PODS, dumped],
      ...around.map(
        ([resource, kind]) => [resource, resource === EVENTS ? withCut(kind, all) : kind] as const,
      ),
      [PERSISTENT_VOLUMES, await withNames(reader, scrub, PERSISTENT_VOLUMES, volumesOf(pods, claims))],
      [CSI_NODES, await withNames(reader, scrub, CSI_NODES, nodes)],
    ],
  };
}

/** `cut`: how many were left out because of a limit, as a sentence. */
export interface ReadLogs {
  readonly logs: Readonly<Record<string, string>>;
  readonly cut?: string;
}

/** The last log lines of unhealthy containers. */
export async function readLogs(reader: ObjectReader, pods: readonly PodShape[]): Promise<ReadLogs> {
  const logs: Record<string, string> = {};
  // Each log of a node that does not answer would take a whole timeout.
  const unreachable = new Set<string>();
  const wanted = pods.flatMap((each) => logsOf(reader, each));
  let attempts = 0;
  let left = 0;
  for (const { pod, nodeName, container, previous } of wanted) {
    if (unreachable.has(nodeName)) continue;
    if (attempts >= MAX_LOGS) {
      left++;
      continue;
    }
    attempts++;
    const looked = await reader.log(pod, container, previous);
    if (isFound(looked))
      logs[logKey(pod.namespace, pod.name, container, previous)] = withoutLogSecrets(looked.found);
    else if (looked.why === 'unreachable') unreachable.add(nodeName);
  }
  if (left === 0) return { logs };
  return {
    logs,
    cut: `of ${attempts + left} logs of unhealthy containers, ${attempts} were read; name namespaces with -n`,
  };
}

// ---------------------------------------------------------------------------------------------------

const AROUND: readonly ResourceRef[] = [
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  SERVICES,
  ENDPOINT_SLICES,
  POD_DISRUPTION_BUDGETS,
  // What creates pods: a question may be about it.
  DEPLOYMENTS,
  REPLICA_SETS,
  STATEFUL_SETS,
  JOBS,
  CRON_JOBS,
];

interface ContainerLog {
  readonly pod: { readonly namespace: string; readonly name: string };
  readonly nodeName: string;
  readonly container: string;
  readonly previous: boolean;
}

/** First a few pods of each owner: what keeps one of them down keeps the others down as well. */
function inTurns(pods: readonly PodShape[]): readonly PodShape[] {
  const counts = new Map<string, number>();
  const first: PodShape[] = [];
  const rest: PodShape[] = [];
  for (const pod of pods) {
    const owner = ownerOf(pod)?.uid;
    const count = owner === undefined ? 0 : (counts.get(owner) ?? 0);
    if (owner !== undefined) counts.set(owner, count + 1);
    (count < MAX_OF_OWNER ? first : rest).push(pod);
  }
  return [...first, ...rest];
}

/** Of containers that ran: what they wrote, and what they wrote before they were restarted. */
function logsOf(reader: ObjectReader, pod: PodShape): readonly ContainerLog[] {
  const { namespace = '', name } = pod.metadata;
  const { nodeName = '' } = pod.spec;
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  return badContainers(podEvidence({ recorder }, pod))
    .filter(
      ({ restarts, running, started, terminated }) =>
        restarts > 0 || running || started || terminated !== undefined,
    )
    .flatMap(({ name: container, restarts }) =>
      (restarts > 0 ? [false, true] : [false]).map((previous) => ({
        pod: { namespace, name },
        nodeName,
        container,
        previous,
      })),
    );
}

/** Undefined: it stays out. */
function rankOf(
  context: Pick<GatherContext, 'recorder'>,
  pod: PodShape,
  named: readonly string[],
  unhealthyNodes: ReadonlySet<string>,
): 0 | 1 | 2 | 3 | undefined {
  if (named.includes(pod.metadata.namespace ?? '')) return 0;
  if (pod.spec.nodeName !== undefined && unhealthyNodes.has(pod.spec.nodeName)) return 1;
  if (!isWell(pod)) return 2;
  // Large clusters nearly always have many of these: an agent on every node. What is down comes first.
  return isReadyForNow(context, pod) ? 3 : undefined;
}

function isWell(pod: PodShape): boolean {
  const { phase } = pod.status ?? {};
  if (pod.metadata.deletionTimestamp !== undefined) return false;
  if (phase === 'Succeeded') return true;
  return (
    phase === 'Running' && conditionsOf(pod).some(({ type, status }) => type === 'Ready' && status === 'True')
  );
}

function unhealthyNodesIn(nodes: readonly ReadObject[]): ReadonlySet<string> {
  return new Set(nodes.filter((node) => !isHealthy(node)).map(({ metadata }) => metadata.name));
}

function withCut(kind: DumpedKind, namespaces: readonly string[]): DumpedKind {
  if (namespaces.length <= MAX_NAMESPACES) return kind;
  const has = `it has events, volume claims, services and budgets of ${MAX_NAMESPACES}`;
  const cut = `of ${namespaces.length} namespaces with pods in the dump, ${has}; name others with -n`;
  return { ...kind, cut };
}

async function inNamespaces(
  reader: ObjectReader,
  scrub: Scrub,
  resource: ResourceRef,
  spaces: readonly string[],
): Promise<DumpedKind> {
  const objects: ReadObject[] = [];
  const wholeNamespaces: string[] = [];
  let unread: DumpedKind['unread'];
  for (const namespace of spaces) {
    let isWhole = true;
    for await (const page of reader.pages(resource, { namespace })) {
      if (isFound(page)) for (const object of page.found) objects.push(scrub(object));
      else {
        unread = page;
        isWhole = false;
      }
    }
    if (isWhole) wholeNamespaces.push(namespace);
  }
  return { objects, complete: false, wholeNamespaces, ...(unread === undefined ? {} : { unread }) };
}

/** Of a kind without namespaces: the objects with these names. A large cluster has many others. */
async function withNames(
  reader: ObjectReader,
  scrub: Scrub,
  resource: ResourceRef,
  names: ReadonlySet<string>,
): Promise<DumpedKind> {
  const objects: ReadObject[] = [];
  for await (const page of reader.pages(resource)) {
    if (!isFound(page)) return { objects, complete: false, unread: page };
    for (const object of page.found) if (names.has(object.metadata.name)) objects.push(scrub(object));
  }
  const found = new Set(objects.map(({ metadata }) => metadata.name));
  return { objects, complete: false, absent: [...names].filter((name) => name !== '' && !found.has(name)) };
}

interface BoundClaim extends ReadObject {
  readonly spec?: { readonly volumeName?: string };
}

/** The names of the volumes to which claims of these pods are bound. */
function volumesOf(pods: readonly PodShape[], claims: readonly ReadObject[]): ReadonlySet<string> {
  const used = new Set(
    pods.flatMap((pod) => volumeClaimNames(pod).map((name) => `${pod.metadata.namespace}/${name}`)),
  );
  return new Set(
    claims
      .filter(({ metadata }) => used.has(`${metadata.namespace}/${metadata.name}`))
      .map((claim) => (claim as BoundClaim).spec?.volumeName ?? ''),
  );
}
