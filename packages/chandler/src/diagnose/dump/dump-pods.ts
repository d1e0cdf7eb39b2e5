/** Which pods go into a dump, with their events, volumes, services, budgets and logs. */
import {
  ENDPOINT_SLICES,
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  POD_DISRUPTION_BUDGETS,
  PODS,
  type ResourceRef,
  SERVICES,
  withoutSecrets,
} from '@chandler/kube';
import {
  badContainers,
  EvidenceRecorder,
  isFound,
  type ListFilter,
  type LookupFailure,
  type ObjectReader,
  type ReadObject,
} from '../../causes/index.ts';
import { podEvidence } from '../evidence/pods.ts';
import { conditionsOf, type PodShape } from '../evidence/shapes.ts';
import { type DumpedKind, logKey } from './dump.ts';
import type { Scrub } from './scrub.ts';

export interface ChosenPods {
  readonly pods: readonly PodShape[];
  readonly kinds: readonly (readonly [ResourceRef, DumpedKind])[];
}

const MAX_PODS = 2000;
const MAX_NAMESPACES = 30;
const MAX_LOGS = 60;

export async function choosePods(
  reader: ObjectReader,
  scrub: Scrub,
  kinds: Readonly<Record<string, DumpedKind>>,
  named: readonly string[],
): Promise<ChosenPods> {
  const unhealthyNodes = unhealthyNodesIn(kinds['nodes']?.objects ?? []);
  // The first are the last to be left out.
  const wanted: readonly PodShape[][] = [[], [], []];
  let count = 0;
  let unread: LookupFailure | undefined;
  let isWhole = true;
  for await (const page of reader.pages(PODS)) {
    if (!isFound(page)) {
      unread = page;
      break;
    }
    for (const pod of page.found as readonly PodShape[]) {
      const rank = rankOf(pod, named, unhealthyNodes);
      if (rank === undefined) {
        isWhole = false;
        continue;
      }
      count++;
      if (wanted[rank]!.length < MAX_PODS) wanted[rank]!.push(scrub(pod));
    }
  }
  const pods = wanted.flat().slice(0, MAX_PODS);
  const isCut = pods.length < count;
  const dumped: DumpedKind = {
    objects: pods,
    complete: isWhole && !isCut && unread === undefined,
    ...(isCut
      ? {
          cut: `of ${count} pods that belong into the dump, ${pods.length} are in it; name namespaces with -n`,
        }
      : {}),
    ...(unread === undefined ? {} : { unread }),
  };
  const spaces = [...new Set([...named, ...pods.map(({ metadata }) => metadata.namespace ?? '')])].slice(
    0,
    MAX_NAMESPACES,
  );
  const around = await Promise.all(
    AROUND.map(async (resource) => [resource, await inNamespaces(reader, scrub, resource, spaces)] as const),
  );
  return {
    pods,
    kinds: [
      [PODS, dumped],
      ...around,
      [PERSISTENT_VOLUMES, await inNamespaces(reader, scrub, PERSISTENT_VOLUMES, [undefined])],
    ],
  };
}

/** The last log lines of unhealthy containers. */
export async function readLogs(
  reader: ObjectReader,
  pods: readonly PodShape[],
): Promise<Readonly<Record<string, string>>> {
  const recorder = new EvidenceRecorder(reader.from, reader.atMs);
  const logs: Record<string, string> = {};
  let count = 0;
  for (const pod of pods) {
    const { namespace = '', name } = pod.metadata;
    for (const { name: container, restarts, started, terminated } of badContainers(
      podEvidence({ recorder }, pod),
    )) {
      if (restarts === 0 && !started && terminated === undefined) continue;
      for (const previous of restarts > 0 ? [false, true] : [false]) {
        if (count >= MAX_LOGS) return logs;
        const looked = await reader.log({ namespace, name }, container, previous);
        if (!isFound(looked)) continue;
        count++;
        logs[logKey(namespace, name, container, previous)] = withoutSecrets(looked.found);
      }
    }
  }
  return logs;
}

// ---------------------------------------------------------------------------------------------------

const AROUND: readonly ResourceRef[] = [
  EVENTS,
  PERSISTENT_VOLUME_CLAIMS,
  SERVICES,
  ENDPOINT_SLICES,
  POD_DISRUPTION_BUDGETS,
];

/** Undefined: it stays out. */
function rankOf(
  pod: PodShape,
  named: readonly string[],
  unhealthyNodes: ReadonlySet<string>,
): 0 | 1 | 2 | undefined {
  if (named.includes(pod.metadata.namespace ?? '')) return 0;
  if (pod.spec.nodeName !== undefined && unhealthyNodes.has(pod.spec.nodeName)) return 1;
  return isWell(pod) ? undefined : 2;
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
  return new Set(
    nodes
      .filter(
        (node) =>
          node.metadata.deletionTimestamp !== undefined ||
          !conditionsOf(node).some(({ type, status }) => type === 'Ready' && status === 'True'),
      )
      .map(({ metadata }) => metadata.name),
  );
}

async function inNamespaces(
  reader: ObjectReader,
  scrub: Scrub,
  resource: ResourceRef,
  spaces: readonly (string | undefined)[],
): Promise<DumpedKind> {
  const objects: ReadObject[] = [];
  let unread: DumpedKind['unread'];
  for (const namespace of spaces) {
    const filter: ListFilter = namespace === undefined ? {} : { namespace };
    for await (const page of reader.pages(resource, filter)) {
      if (!isFound(page)) unread = page;
      else for (const object of page.found) objects.push(scrub(object));
    }
  }
  return unread === undefined
    ? { objects, complete: spaces.includes(undefined) }
    : { objects, complete: false, unread };
}
