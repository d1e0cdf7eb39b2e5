/** Decides what happens to a claim and to a volume. Pure. */
import type {
  NamedObject,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  Stored,
} from '@chandler/kube';
import { isTerminating, labelsOf, nameOf, namespaceOf } from './object-facts.ts';
import { amountOf } from './resources.ts';
import { SELECTED_NODE } from './scheduler/volume-binding.ts';
import { couldServe, NO_PROVISIONER, waitsForConsumer } from './scheduler/volumes.ts';

export interface StorageLookup {
  storageClass(name: string): Stored<StorageClass> | undefined;
  volume(name: string): Stored<PersistentVolume> | undefined;
  volumes(): Iterable<Stored<PersistentVolume>>;
  node(name: string): Stored<Node> | undefined;
  nodes(): Iterable<Stored<Node>>;
  /** Volumes of this driver belong to no zone. */
  isShared(driver: string): boolean;
}

export type ClaimPlan =
  | { readonly action: 'wait'; readonly phase: 'Pending' | 'Lost' }
  | { readonly action: 'bind'; readonly volume: Stored<PersistentVolume> }
  | { readonly action: 'provision'; readonly volume: PersistentVolume & NamedObject };

export function planClaim(claim: Stored<PersistentVolumeClaim>, lookup: StorageLookup): ClaimPlan {
  const { volumeName, storageClassName = '' } = claim.spec;
  if (volumeName) {
    const volume = lookup.volume(volumeName);
    if (!volume) return { action: 'wait', phase: claim.status?.phase === 'Bound' ? 'Lost' : 'Pending' };
    return isFreeFor(volume, claim) ? { action: 'bind', volume } : WAIT;
  }
  const storageClass = lookup.storageClass(storageClassName);
  const reserved = smallest(
    [...lookup.volumes()].filter((volume) => volume.spec.claimRef && couldServe(volume, claim)),
  );
  if (reserved) return { action: 'bind', volume: reserved };
  const selected = claim.metadata.annotations?.[SELECTED_NODE];
  const waits = waitsForConsumer(storageClass);
  if (waits && selected === undefined) return WAIT;
  const free = waits
    ? undefined
    : smallest([...lookup.volumes()].filter((volume) => couldServe(volume, claim)));
  if (free) return { action: 'bind', volume: free };
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return WAIT;
  if (lookup.isShared(storageClass.provisioner))
    return { action: 'provision', volume: newVolume(claim, storageClass, undefined) };
  const zone = waits
    ? labelsOf(lookup.node(selected ?? '') ?? { metadata: {} })[ZONE]
    : firstZone(storageClass, lookup.nodes());
  return { action: 'provision', volume: newVolume(claim, storageClass, zone) };
}

export interface VolumePlan {
  readonly phase?: 'Available' | 'Bound' | 'Released';
  readonly remove?: boolean;
  /** It is being deleted and is not in use. */
  readonly release?: boolean;
}

export function planVolume(
  volume: Stored<PersistentVolume>,
  claim: Stored<PersistentVolumeClaim> | undefined,
): VolumePlan {
  const { claimRef, persistentVolumeReclaimPolicy } = volume.spec;
  const ownClaim =
    claim && (claimRef?.uid === undefined || claim.metadata.uid === claimRef.uid) ? claim : undefined;
  const bound = ownClaim?.spec.volumeName === nameOf(volume);
  if (isTerminating(volume)) return { release: !bound };
  if (!claimRef) return { phase: 'Available' };
  if (bound) return { phase: 'Bound' };
  if (ownClaim || claimRef.uid === undefined) return { phase: 'Available' };
  // Reserved for a deleted claim. A volume that was never bound holds no data.
  if (persistentVolumeReclaimPolicy === 'Delete') return { remove: true };
  return { phase: 'Released' };
}

// ---------------------------------------------------------------------------------------------------

const ZONE = 'topology.kubernetes.io/zone';
const WAIT = { action: 'wait', phase: 'Pending' } as const;

function isFreeFor(volume: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): boolean {
  const { claimRef } = volume.spec;
  if (!claimRef) return true;
  if (claimRef.namespace !== namespaceOf(claim) || claimRef.name !== nameOf(claim)) return false;
  return claimRef.uid === undefined || claimRef.uid === claim.metadata.uid;
}

function smallest(volumes: readonly Stored<PersistentVolume>[]): Stored<PersistentVolume> | undefined {
  const size = (volume: Stored<PersistentVolume>) =>
    amountOf('storage', volume.spec.capacity?.['storage'] ?? 0);
  const order = (left: Stored<PersistentVolume>, right: Stored<PersistentVolume>) =>
    size(left) - size(right) || (nameOf(left) < nameOf(right) ? -1 : 1);
  return [...volumes].sort(order)[0];
}

function newVolume(
  claim: Stored<PersistentVolumeClaim>,
  storageClass: Stored<StorageClass>,
  zone: string | undefined,
): PersistentVolume & NamedObject {
  const name = `pvc-${claim.metadata.uid}`;
  const required = {
    nodeSelectorTerms: [{ matchExpressions: [{ key: ZONE, operator: 'In', values: [zone ?? ''] }] }],
  };
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name, annotations: { 'pv.kubernetes.io/provisioned-by': storageClass.provisioner } },
    spec: {
      capacity: { storage: claim.spec.resources?.requests?.['storage'] ?? '1Gi' },
      accessModes: claim.spec.accessModes ?? ['ReadWriteOnce'],
      persistentVolumeReclaimPolicy: storageClass.reclaimPolicy ?? 'Delete',
      storageClassName: nameOf(storageClass),
      volumeMode: claim.spec.volumeMode ?? 'Filesystem',
      csi: { driver: storageClass.provisioner, volumeHandle: name },
      claimRef: {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        namespace: namespaceOf(claim),
        name: nameOf(claim),
        uid: claim.metadata.uid,
      },
      ...(zone === undefined ? {} : { nodeAffinity: { required } }),
    },
  };
}

/** No node was selected: a zone that the class allows, or else the first zone. */
function firstZone(storageClass: Stored<StorageClass>, nodes: Iterable<Stored<Node>>): string | undefined {
  const allowed = (storageClass.allowedTopologies ?? [])
    .flatMap(({ matchLabelExpressions = [] }) => matchLabelExpressions)
    .filter(({ key }) => key === ZONE)
    .flatMap(({ values }) => values);
  const present = [...nodes].flatMap((node) => labelsOf(node)[ZONE] ?? []).sort();
  return allowed.length > 0 ? allowed[0] : present[0];
}
