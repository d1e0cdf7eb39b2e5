/** The volume claims of a pending pod that keep it from being scheduled, and why. */
import { PERSISTENT_VOLUME_CLAIMS, STORAGE_CLASSES } from '@chandler/kube';
import { isFound, type PodEvidence, type ReadObject, type RefusalFact } from '../../causes/index.ts';

import { aboutPod, findEvents, type ReadEvent } from './events.ts';
import type { GatherContext } from './gather-context.ts';
import { type PodShape, timeMs, volumeClaimNames } from './shapes.ts';

export async function unboundVolumeClaims(
  context: GatherContext,
  pod: PodShape,
): Promise<PodEvidence['unboundVolumes']> {
  const namespace = pod.metadata.namespace ?? '';
  const problems: { claim: string; problem: string }[] = [];
  for (const name of volumeClaimNames(pod)) {
    const looked = await context.reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name });
    const claim = `${namespace}/${name}`;
    if (!isFound(looked)) {
      // The planner reports a claim that does not exist, with more facts.
      if (looked.why !== 'notFound')
        context.recorder.addUnread('pod', `PersistentVolumeClaim ${claim}`, looked);
      continue;
    }
    const problem = await problemOfClaim(context, looked.found as VolumeClaimShape, pod);
    if (problem !== undefined) problems.push({ claim, problem });
  }
  return problems;
}

/** As the planner reports volume claims that do not exist; for pods that are not planned. */
export async function missingVolumeClaims(
  { reader }: GatherContext,
  pod: PodShape,
): Promise<readonly RefusalFact[]> {
  const namespace = pod.metadata.namespace ?? '';
  const missing: RefusalFact[] = [];
  for (const name of volumeClaimNames(pod)) {
    const looked = await reader.get(PERSISTENT_VOLUME_CLAIMS, { namespace, name });
    if (isFound(looked) || looked.why !== 'notFound') continue;
    const claim = `${namespace}/${name}`;
    const text = `discovering persistent volume claim, "${claim}" not found`;
    missing.push({ code: 'VolumeClaimMissing', facts: { claim }, text });
  }
  return missing;
}

// ---------------------------------------------------------------------------------------------------

interface VolumeClaimShape extends ReadObject {
  readonly spec?: { readonly storageClassName?: string; readonly volumeName?: string };
  readonly status?: { readonly phase?: string };
}

/** A volume is created within this time. */
const PROVISIONED_MS = 2 * 60_000;
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
/** What a provisioner, or the controller of volumes, says of a claim that it cannot bind. */
const NOT_BOUND: ReadonlySet<string> = new Set(['ProvisioningFailed', 'FailedBinding']);
/** The controller of volumes waits for a provisioner, which may not run; or the provisioner has begun. */
const WAITING = 'ExternalProvisioning';
const BEGUN: ReadonlySet<string> = new Set([WAITING, 'Provisioning']);
/** kube-scheduler has chosen a node, and has waited for the volumes of the pod as long as it does. */
const BINDING_LATE = /binding volumes: .*(?:deadline exceeded|timed out)/;

/** Why a volume claim keeps a pod from being scheduled. */
async function problemOfClaim(
  context: GatherContext,
  { metadata, spec = {}, status = {} }: VolumeClaimShape,
  pod: PodShape,
): Promise<string | undefined> {
  const { storageClassName = '', volumeName = '' } = spec;
  if (metadata.deletionTimestamp !== undefined) return 'it is being deleted';
  if (status.phase === 'Lost') return 'its volume is lost';
  if (status.phase !== 'Pending') return undefined;
  const { name, namespace, uid } = metadata;
  const events = (await findEvents(context, { kind: 'PersistentVolumeClaim', name, namespace, uid })) ?? [];
  const last = events.findLast(({ reason }) => NOT_BOUND.has(reason) || reason === 'ProvisioningSucceeded');
  const refused = last !== undefined && NOT_BOUND.has(last.reason) ? `: ${last.message}` : '';
  if (volumeName !== '') return `it is waiting for the volume ${volumeName}${refused}`;
  // A node was chosen, and the volume is created for it.
  const chosen = metadata.annotations?.[SELECTED_NODE];
  const isRefused = chosen !== undefined && last?.reason === 'ProvisioningFailed';
  const isLate = await isLateFor(context, pod, chosen, events);
  const { isOnDemand, provisioner } = await storageClassOf(context, storageClassName);
  if (!isRefused && !isLate && isOnDemand) return undefined;
  if (storageClassName === '') return `it has no storage class, and no volume matches${refused}`;
  const where = isLate && chosen !== undefined ? ` for node ${chosen}` : '';
  const by = isLate && provisioner !== '' ? ` (${provisioner})` : '';
  const waiting = events.findLast(({ reason }) => reason === WAITING)?.message;
  const said = refused === '' && isLate && waiting !== undefined ? `: ${waiting}` : refused;
  return `StorageClass ${storageClassName}${by} has not provisioned a volume${where} yet${said}`;
}

/** The scheduler does not bind the pod before the volume for the node that it has chosen exists. */
async function isLateFor(
  context: GatherContext,
  pod: PodShape,
  chosen: string | undefined,
  events: readonly ReadEvent[],
): Promise<boolean> {
  const { recorder } = context;
  if (chosen !== undefined) {
    const begun = events.filter(({ reason }) => BEGUN.has(reason)).map(({ firstMs }) => firstMs);
    if (begun.length > 0) {
      if (recorder.atMs - Math.min(...begun) > PROVISIONED_MS) return true;
    } else if (chosen === pod.status?.nominatedNodeName) {
      // Nothing says since when: at most since the pod was created.
      if (recorder.atMs - (timeMs(pod.metadata.creationTimestamp) ?? 0) > PROVISIONED_MS) return true;
    }
  }
  const ofPod = (await findEvents(context, aboutPod(pod))) ?? [];
  const newest = ofPod.findLast(({ reason }) => reason === 'FailedScheduling');
  return newest !== undefined && BINDING_LATE.test(newest.message);
}

interface StorageClassFacts {
  /** Claims of it are bound once the pod has a node: that they are not is no obstacle. */
  readonly isOnDemand: boolean;
  /** Empty: not known. */
  readonly provisioner: string;
}

async function storageClassOf(context: GatherContext, name: string): Promise<StorageClassFacts> {
  if (name === '') return { isOnDemand: false, provisioner: '' };
  const looked = await context.reader.get(STORAGE_CLASSES, { name });
  if (!isFound(looked)) return { isOnDemand: looked.why !== 'notFound', provisioner: '' };
  const { volumeBindingMode, provisioner } = looked.found as ReadObject & { provisioner?: string };
  return { isOnDemand: volumeBindingMode === 'WaitForFirstConsumer', provisioner: provisioner ?? '' };
}
