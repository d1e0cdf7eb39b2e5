/**
 * Volumes of a pod against nodes: bound ones must be reachable from the node, unbound ones that wait for their first
 * consumer must be possible there, and a driver attaches only so many. Binding itself is left to
 * `volume-binding.ts` and the volume stand-in.
 */
import type { PersistentVolume, PersistentVolumeClaim, Pod, StorageClass, Stored } from '@chandler/kube';
import { isEmptySelector, matchesSelector } from '../label-selector.ts';
import { isTerminating, nameOf, namespaceOf } from '../object-facts.ts';
import { amountOf } from '../resources.ts';
import type { ClusterSnapshot, NodeInfo } from './cluster-snapshot.ts';
import { type Blocked, type Filter, resolvable, unresolvable } from './filter.ts';
import { matchesNodeSelector } from './node-affinity.ts';

export const volumeFilter: Filter = (pod, snapshot) => {
  const names = claimNames(pod);
  if (names.length === 0) return undefined;
  const found = sortClaims(pod, names, snapshot);
  if ('blocked' in found) return found;
  return (node) => {
    if (found.missingVolume) return MISSING_VOLUME;
    const unreachable = found.bound.some((volume) => !reaches(volume, node));
    const impossible = chooseVolumes(found.delayed, snapshot, node) === undefined;
    if (!unreachable && !impossible) return undefined;
    return {
      reasons: [...(unreachable ? [UNREACHABLE] : []), ...(impossible ? [NOTHING_TO_BIND] : [])],
      resolvable: false,
    };
  };
};

export const volumeZoneFilter: Filter = (pod, snapshot) => {
  const zones = claimNames(pod)
    .map((name) => snapshot.lookup.claim(namespaceOf(pod), name)?.spec.volumeName)
    .map((name) => (name ? snapshot.lookup.volume(name) : undefined))
    .flatMap((volume) => (volume ? zoneLabels(volume) : []));
  if (zones.length === 0) return undefined;
  return (node) => {
    if (!ZONE_LABELS.some((label) => node.labels[label] !== undefined)) return undefined;
    return zones.every(({ key, values }) => values.includes(node.labels[key] ?? '')) ? undefined : OTHER_ZONE;
  };
};

/** A claim for one pod only is taken wherever that pod is. */
export const singlePodClaimFilter: Filter = (pod, snapshot) => {
  const exclusive = claimNames(pod).filter((name) =>
    snapshot.lookup.claim(namespaceOf(pod), name)?.spec.accessModes?.includes('ReadWriteOncePod'),
  );
  if (exclusive.length === 0) return undefined;
  for (const placed of snapshot.podsIn(namespaceOf(pod))) {
    if (claimNames(placed.pod).some((name) => exclusive.includes(name))) return () => IN_USE;
  }
  return undefined;
};

/** For each claim that waits for its first consumer: a volume that is there, or undefined where one would be made. */
export function chooseVolumes(
  claims: readonly Stored<PersistentVolumeClaim>[],
  snapshot: ClusterSnapshot,
  node: NodeInfo,
): Map<Stored<PersistentVolumeClaim>, Stored<PersistentVolume> | undefined> | undefined {
  const chosen = new Map<Stored<PersistentVolumeClaim>, Stored<PersistentVolume> | undefined>();
  const taken = new Set<string>();
  const bySize = [...claims].sort((left, right) => sizeOf(left) - sizeOf(right));
  for (const claim of bySize) {
    const volume = findVolume(claim, snapshot, node, taken);
    if (volume) taken.add(nameOf(volume));
    else if (!canProvision(claim, snapshot, node)) return undefined;
    chosen.set(claim, volume);
  }
  return chosen;
}

export function claimNames(pod: Stored<Pod>): string[] {
  const names: string[] = [];
  for (const volume of pod.spec.volumes ?? []) {
    if (volume.persistentVolumeClaim) names.push(volume.persistentVolumeClaim.claimName);
    else if (volume.ephemeral) names.push(`${nameOf(pod)}-${volume.name}`);
  }
  return names;
}

export function isBound(claim: Stored<PersistentVolumeClaim>): boolean {
  return Boolean(claim.spec.volumeName) && claim.metadata.annotations?.[BIND_COMPLETED] !== undefined;
}

/** Volumes that fit a claim, but for the node. */
export function couldServe(volume: Stored<PersistentVolume>, claim: Stored<PersistentVolumeClaim>): boolean {
  const { claimRef, storageClassName = '', accessModes = [], capacity } = volume.spec;
  if (claimRef && !(claimRef.name === nameOf(claim) && claimRef.namespace === namespaceOf(claim)))
    return false;
  if (claimRef?.uid !== undefined && claimRef.uid !== claim.metadata.uid) return false;
  if (isTerminating(volume) || storageClassName !== (claim.spec.storageClassName ?? '')) return false;
  if ((volume.spec['volumeMode'] ?? 'Filesystem') !== (claim.spec.volumeMode ?? 'Filesystem')) return false;
  const { selector } = claim.spec;
  if (selector && !isEmptySelector(selector) && !matchesSelector(selector, volume.metadata.labels ?? {}))
    return false;
  if (!(claim.spec.accessModes ?? []).every((mode) => accessModes.includes(mode))) return false;
  return amountOf('storage', capacity?.['storage'] ?? 0) >= sizeOf(claim);
}

export function reaches(volume: Stored<PersistentVolume>, node: NodeInfo): boolean {
  const required = volume.spec.nodeAffinity?.required;
  return required === undefined || matchesNodeSelector(required, node);
}

export const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';
export const NO_PROVISIONER = 'kubernetes.io/no-provisioner';

/** What a claim is waiting for. */
export function sortClaims(
  pod: Stored<Pod>,
  names: readonly string[],
  snapshot: ClusterSnapshot,
):
  | Blocked
  | { bound: Stored<PersistentVolume>[]; delayed: Stored<PersistentVolumeClaim>[]; missingVolume: boolean } {
  const bound: Stored<PersistentVolume>[] = [];
  const delayed: Stored<PersistentVolumeClaim>[] = [];
  let missingVolume = false;
  let immediate = false;
  for (const name of names) {
    const claim = snapshot.lookup.claim(namespaceOf(pod), name);
    const problem = problemOf(pod, name, claim);
    if (problem !== undefined || claim === undefined) return { blocked: problem ?? '' };
    if (isBound(claim)) {
      const volume = snapshot.lookup.volume(claim.spec.volumeName!);
      if (volume) bound.push(volume);
      else missingVolume = true;
      continue;
    }
    const className = claim.spec.storageClassName ?? '';
    const storageClass = className === '' ? undefined : snapshot.lookup.storageClass(className);
    if (className !== '' && !storageClass)
      return { blocked: `storageclass.storage.k8s.io "${className}" not found` };
    if (waitsForConsumer(storageClass) && !claim.spec.volumeName) delayed.push(claim);
    else immediate = true;
  }
  return immediate ? { blocked: UNBOUND_IMMEDIATE } : { bound, delayed, missingVolume };
}

export function waitsForConsumer(storageClass: Stored<StorageClass> | undefined): boolean {
  return storageClass?.volumeBindingMode === 'WaitForFirstConsumer';
}

// ---------------------------------------------------------------------------------------------------

const UNBOUND_IMMEDIATE = 'pod has unbound immediate PersistentVolumeClaims';
const UNREACHABLE = "node(s) didn't match PersistentVolume's node affinity";
const NOTHING_TO_BIND = "node(s) didn't find available persistent volumes to bind";
const MISSING_VOLUME = unresolvable(
  'node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)',
);
const OTHER_ZONE = unresolvable('node(s) had no available volume zone');
const IN_USE = resolvable(
  'node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode already in-use by another pod',
);
const ZONE_LABELS = ['topology.kubernetes.io/zone', 'topology.kubernetes.io/region'];

function problemOf(
  pod: Stored<Pod>,
  name: string,
  claim: Stored<PersistentVolumeClaim> | undefined,
): string | undefined {
  if (!claim) {
    const ephemeral = (pod.spec.volumes ?? []).some(
      (volume) => volume.ephemeral && `${nameOf(pod)}-${volume.name}` === name,
    );
    return ephemeral
      ? `waiting for ephemeral volume controller to create the persistentvolumeclaim "${name}"`
      : `persistentvolumeclaim "${name}" not found`;
  }
  if (claim.status?.phase === 'Lost') {
    return `persistentvolumeclaim "${name}" bound to non-existent persistentvolume "${claim.spec.volumeName ?? ''}"`;
  }
  return isTerminating(claim) ? `persistentvolumeclaim "${name}" is being deleted` : undefined;
}

/** The smallest that fits and reaches the node; one that already names the claim goes first. */
function findVolume(
  claim: Stored<PersistentVolumeClaim>,
  snapshot: ClusterSnapshot,
  node: NodeInfo,
  taken: ReadonlySet<string>,
): Stored<PersistentVolume> | undefined {
  let best: Stored<PersistentVolume> | undefined;
  for (const volume of snapshot.lookup.volumes()) {
    if (taken.has(nameOf(volume)) || !couldServe(volume, claim) || !reaches(volume, node)) continue;
    if (volume.spec.claimRef) return volume;
    if (volume.status?.phase !== 'Available' && volume.status?.phase !== undefined) continue;
    if (!best || volumeSize(volume) < volumeSize(best)) best = volume;
  }
  return best;
}

function canProvision(
  claim: Stored<PersistentVolumeClaim>,
  snapshot: ClusterSnapshot,
  node: NodeInfo,
): boolean {
  const storageClass = snapshot.lookup.storageClass(claim.spec.storageClassName ?? '');
  if (!storageClass || storageClass.provisioner === NO_PROVISIONER) return false;
  const terms = storageClass.allowedTopologies ?? [];
  if (terms.length === 0) return true;
  return terms.some(({ matchLabelExpressions = [] }) =>
    matchLabelExpressions.every(({ key, values }) => values.includes(node.labels[key] ?? '')),
  );
}

function sizeOf(claim: Stored<PersistentVolumeClaim>): number {
  return amountOf('storage', claim.spec.resources?.requests?.['storage'] ?? 0);
}

function volumeSize(volume: Stored<PersistentVolume>): number {
  return amountOf('storage', volume.spec.capacity?.['storage'] ?? 0);
}

/** A label may name several zones, joined by two underscores. */
function zoneLabels(volume: Stored<PersistentVolume>): { key: string; values: string[] }[] {
  return ZONE_LABELS.flatMap((key) => {
    const value = volume.metadata.labels?.[key];
    return value === undefined ? [] : [{ key, values: value.split('__') }];
  });
}
