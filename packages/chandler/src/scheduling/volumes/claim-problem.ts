/**
 * Whether the volume of a claim is ready for a new node: bound, or bound when a pod is scheduled. The controller leaves pods
 * with other claims alone, because no new node would help them yet.
 */
import type { StorageClass } from '@chandler/kube';
import type { PersistentVolume, VolumeClaim } from '../model.ts';

export type VolumeProblem =
  | 'missing'
  | 'deleting'
  | 'lost'
  | 'volume missing'
  | 'volume deleting'
  | 'not yet bound'
  | 'no storage class'
  | 'storage class missing'
  | 'binds at once';

export interface ClaimProblem {
  readonly problem: VolumeProblem;
  /** The volume or storage class concerned. */
  readonly name?: string;
}

export interface VolumeLookup {
  readonly volume: (name: string) => Pick<PersistentVolume, 'metadata'> | undefined;
  readonly storageClass: (name: string) => Pick<StorageClass, 'volumeBindingMode'> | undefined;
}

export function problemOfClaim(
  claim: VolumeClaim | undefined,
  lookup: VolumeLookup,
): ClaimProblem | undefined {
  if (claim === undefined) return { problem: 'missing' };
  if (claim.metadata.deletionTimestamp !== undefined) return { problem: 'deleting' };
  if (claim.status?.phase === 'Lost') return { problem: 'lost' };
  const { volumeName, storageClassName } = claim.spec;
  if (volumeName) {
    const volume = lookup.volume(volumeName);
    if (volume === undefined) return { problem: 'volume missing', name: volumeName };
    if (volume.metadata.deletionTimestamp !== undefined)
      return { problem: 'volume deleting', name: volumeName };
    const isBound = claim.metadata.annotations?.['pv.kubernetes.io/bind-completed'] !== undefined;
    return isBound ? undefined : { problem: 'not yet bound', name: volumeName };
  }
  if (!storageClassName) return { problem: 'no storage class' };
  const storageClass = lookup.storageClass(storageClassName);
  if (storageClass === undefined) return { problem: 'storage class missing', name: storageClassName };
  return storageClass.volumeBindingMode === 'WaitForFirstConsumer'
    ? undefined
    : { problem: 'binds at once', name: storageClassName };
}

export function claimProblemText(claim: string, { problem, name }: ClaimProblem): string {
  return `PersistentVolumeClaim ${claim}: ${problem}${name === undefined ? '' : ` (${name})`}`;
}
