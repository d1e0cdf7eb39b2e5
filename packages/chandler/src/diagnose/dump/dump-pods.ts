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
  const looked = await reader.list(PODS);
  if (!isFound(looked)) {
    const kind: DumpedKind = { objects: [], complete: false, unread: looked };
    return { pods: [], kinds: [[PODS, kind]] };
  }
  const wanted = (looked.found as readonly PodShape[]).filter(
    (pod) =>
      named.includes(pod.metadata.namespace ?? '') ||
      !isWell(pod) ||
      (pod.spec.nodeName !== undefined && unhealthyNodes.has(pod.spec.nodeName)),
  );
  const pods = wanted.slice(0, MAX_PODS);
  const complete = pods.length === looked.found.length;
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
      [PODS, { objects: pods.map(scrub), complete }],
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
    const looked = await reader.list(resource, filter);
    if (isFound(looked)) objects.push(...looked.found.map(scrub));
    else unread = looked;
  }
  return objects.length === 0 && unread !== undefined
    ? { objects, complete: false, unread }
    : { objects, complete: spaces.includes(undefined) };
}
