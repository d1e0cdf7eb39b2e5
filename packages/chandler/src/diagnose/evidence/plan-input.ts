/**
 * Reads the input of a plan for one pod from the cluster: pools, daemons, the volumes of the pod, and for spreads and
 * affinities the pods of its namespace with their nodes. Free capacity of existing nodes is not read: events of the
 * scheduler report on it, and reading every pod of a large cluster would take long.
 */
import type { ResourceRef } from '@chandler/kube';
import {
  DAEMON_SETS,
  NAMESPACES,
  NODES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
} from '@chandler/kube';
import { isFound, type LookupFailure, listOr, type ReadObject } from '../../causes/index.ts';
import type {
  DaemonSet,
  ExistingNode,
  InstanceType,
  Namespace,
  PersistentVolume,
  Pod,
  SchedulingInput,
  StorageClass,
  VolumeClaim,
  VolumeFacts,
} from '../../scheduling/index.ts';

import type { GatherContext } from './gather-context.ts';
import { type NodeShape, type PodShape, type PoolShape, volumeClaimNames } from './shapes.ts';

export interface PoolTypes {
  readonly pool: PoolShape;
  readonly types: readonly InstanceType[];
}

/** Everything but the pools. */
export type AroundPod = Omit<SchedulingInput, 'pools'>;

/** Undefined: a volume of the pod cannot be read, so that a plan would take it for missing. */
export async function readAround(context: GatherContext, pod: PodShape): Promise<AroundPod | undefined> {
  const [daemonSets, namespaces, volumes, affinityPods] = await Promise.all([
    listed<DaemonSet & ReadObject>(context, DAEMON_SETS),
    listed(context, NAMESPACES),
    volumesOf(context, pod),
    hasPodAffinity(pod) ? podsForAffinity(context, pod) : { nodes: [], boundPods: [] },
  ]);
  if (volumes === undefined) return undefined;
  return {
    pods: [pod as unknown as Pod],
    daemonSets,
    namespaces: namespaces.map(
      ({ metadata }): Namespace => ({ name: metadata.name, labels: metadata.labels ?? {} }),
    ),
    volumes,
    ...affinityPods,
  };
}

// ---------------------------------------------------------------------------------------------------

const MAX_PODS = 5000;

async function listed<T extends ReadObject>(
  { reader, recorder }: GatherContext,
  resource: ResourceRef,
): Promise<readonly T[]> {
  return listOr(await reader.list(resource), (unseen) =>
    recorder.addUnread('plan', resource.plural, unseen),
  ) as readonly T[];
}

/** The pod's place depends on where other pods are. */
function hasPodAffinity({ spec }: PodShape): boolean {
  const { affinity, topologySpreadConstraints = [] } = spec;
  return (
    topologySpreadConstraints.length > 0 ||
    affinity?.podAffinity !== undefined ||
    affinity?.podAntiAffinity !== undefined
  );
}

async function podsForAffinity(
  context: GatherContext,
  pod: PodShape,
): Promise<Pick<AroundPod, 'nodes' | 'boundPods'>> {
  const { reader, recorder } = context;
  const namespace = pod.metadata.namespace ?? '';
  const pods = listOr(await reader.list(PODS, { namespace, atMost: MAX_PODS }), (unseen) =>
    recorder.addUnread('plan', `pods in ${namespace}`, unseen),
  ) as readonly PodShape[];
  const bound = pods.filter(
    ({ spec, status }) =>
      Boolean(spec.nodeName) && status?.phase !== 'Succeeded' && status?.phase !== 'Failed',
  );
  const nodes = (await listed<NodeShape>(context, NODES)) as readonly NodeShape[];
  const known = new Set(nodes.map(({ metadata }) => metadata.name));
  return {
    boundPods: bound.filter(
      ({ spec }) => spec.nodeName !== undefined && known.has(spec.nodeName),
    ) as unknown as Pod[],
    // Without capacity: the nodes only define the domains and the pods in them.
    nodes: nodes.map(
      ({ metadata, spec }): ExistingNode => ({
        name: metadata.name,
        labels: { 'kubernetes.io/hostname': metadata.name, ...metadata.labels },
        taints: spec?.taints ?? [],
        allocatable: {},
      }),
    ),
  };
}

async function volumesOf(context: GatherContext, pod: PodShape): Promise<VolumeFacts | undefined> {
  const { reader, recorder } = context;
  let isComplete = true;
  const unread = (what: string, unseen: LookupFailure) => {
    isComplete = false;
    recorder.addUnread('plan', what, unseen);
  };
  const namespace = pod.metadata.namespace ?? '';
  const names = volumeClaimNames(pod);
  if (names.length === 0) return {};
  const claims: VolumeClaim[] = [];
  const volumes: PersistentVolume[] = [];
  for (const name of names) {
    const claim = await reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name });
    if (!isFound(claim)) {
      if (claim.why !== 'notFound') unread(`PersistentVolumeClaim ${namespace}/${name}`, claim);
      continue;
    }
    const typed = claim.found as unknown as VolumeClaim;
    claims.push(typed);
    const { volumeName } = typed.spec ?? {};
    if (!volumeName) continue;
    const volume = await reader.get(PERSISTENT_VOLUMES, { name: volumeName });
    if (isFound(volume)) volumes.push(volume.found as unknown as PersistentVolume);
    else if (volume.why !== 'notFound') unread(`PersistentVolume ${volumeName}`, volume);
  }
  // Only a claim that is not bound depends on its class.
  const classes = await reader.list(STORAGE_CLASSES);
  if (!isFound(classes) && claims.some(({ spec }) => !spec?.volumeName))
    unread(STORAGE_CLASSES.plural, classes);
  if (!isComplete) return undefined;
  return { claims, volumes, classes: listOr(classes) as readonly (StorageClass & ReadObject)[] };
}
