/**
 * Reads the input of a plan for one pod from the cluster: daemons, the volumes of the pod, and for spreads and affinities
 * the pods that they count (`counted-pods.ts`). Free capacity of existing nodes is not read: events of the
 * scheduler report on it, and reading every pod of a large cluster would take long.
 */
import {
  DAEMON_SETS,
  NAMESPACES,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  STORAGE_CLASSES,
} from '@chandler/kube';
import {
  isFound,
  type LookupFailure,
  type LookupResult,
  listOr,
  type ReadObject,
} from '../../causes/index.ts';
import type {
  DaemonSet,
  InstanceType,
  Namespace,
  PersistentVolume,
  Pod,
  SchedulingInput,
  StorageClass,
  VolumeClaim,
  VolumeFacts,
} from '../../scheduling/index.ts';

import { CountedPodsReader, wholeListFailure } from './counted-pods.ts';
import type { GatherContext } from './gather-context.ts';
import { type PodShape, type PoolShape, volumeClaimNames } from './shapes.ts';

export interface PoolTypes {
  readonly pool: PoolShape;
  readonly types: readonly InstanceType[];
}

export interface PoolWithClass {
  readonly pool: PoolShape;
  /** Undefined: there is none. */
  readonly nodeClass: ReadObject | undefined;
  /** Nobody knows what it launches: zones, disks and images are in the class. */
  readonly isClassUnread?: true;
}

/** Everything but the pools. */
export type AroundPod = Omit<SchedulingInput, 'pools'>;

/** Reads it for pods of one question: what is the same for all of them, once. */
export class AroundReader {
  readonly #context: GatherContext;
  readonly #counted: CountedPodsReader;
  #same: Promise<SameForAll> | undefined;

  constructor(context: GatherContext) {
    this.#context = context;
    this.#counted = new CountedPodsReader(context);
  }

  /** Undefined: a volume of the pod, or pods that it counts, cannot be read, so that a plan would take them for missing. */
  async read(pod: PodShape): Promise<AroundPod | undefined> {
    this.#same ??= sameForAll(this.#context);
    const { namespaces, daemonSets } = await this.#same;
    const [volumes, counted] = await Promise.all([
      volumesOf(this.#context, pod),
      this.#counted.read(pod, namespaces),
    ]);
    if (volumes === undefined || counted === undefined) return undefined;
    return {
      pods: [pod as unknown as Pod],
      daemonSets,
      namespaces: listOr(namespaces).map(
        ({ metadata }): Namespace => ({ name: metadata.name, labels: metadata.labels ?? {} }),
      ),
      volumes,
      ...counted,
    };
  }
}

/** The volume claims of the pod, with their volumes and classes. Undefined: not all of them can be read, which is recorded. */
export async function volumesOf(context: GatherContext, pod: PodShape): Promise<VolumeFacts | undefined> {
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
  const failure = wholeListFailure(classes);
  if (failure !== undefined && claims.some(({ spec }) => !spec?.volumeName))
    unread(STORAGE_CLASSES.plural, failure);
  if (!isComplete) return undefined;
  return { claims, volumes, classes: listOr(classes) as readonly (StorageClass & ReadObject)[] };
}

// ---------------------------------------------------------------------------------------------------

interface SameForAll {
  /** Pods that select namespaces by labels need them, which is recorded there. */
  readonly namespaces: LookupResult<readonly ReadObject[]>;
  readonly daemonSets: readonly (DaemonSet & ReadObject)[];
}

async function sameForAll({ reader, recorder }: GatherContext): Promise<SameForAll> {
  const [namespaces, daemonSets] = await Promise.all([reader.list(NAMESPACES), reader.list(DAEMON_SETS)]);
  const lacking = wholeListFailure(daemonSets);
  if (lacking !== undefined) recorder.addUnread('plan', DAEMON_SETS.plural, lacking);
  return { namespaces, daemonSets: listOr(daemonSets) as readonly (DaemonSet & ReadObject)[] };
}
