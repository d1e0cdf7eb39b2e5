/**
 * Turns an inventory into the input of the planner. It decides which pods are scheduled and which are bound
 * already, which nodes are used, and what is assumed where the inventory has no value; every assumption becomes
 * a note of the report. Which pools launch nodes is decided by `usable-pools.ts`.
 */
import { conditionOf, type KubeObject, type ObjectMeta, type TopologySpreadConstraint } from '@chandler/kube';
import type { NodeOverlay } from '../../api/index.ts';
import {
  type CsiNode,
  type DaemonSet,
  defaultStorageClass,
  type Overlay,
  type PersistentVolume,
  type Pod,
  type SchedulingInput,
  type SchedulingOptions,
  type StorageClass,
  type VolumeClaim,
} from '../../scheduling/index.ts';

import type { Catalogues } from './catalogues.ts';
import { defaultSpreadOf } from './default-spread.ts';
import { expandWorkloads } from './expand.ts';
import type { Inventory } from './inventory.ts';
import { checkToPlace, type SimulationLimits } from './limits.ts';
import { readNodes } from './nodes.ts';
import { type LimitRange, type PriorityClass, withPodDefaults } from './pod-defaults.ts';
import { sortPods } from './sort-pods.ts';
import { usablePools } from './usable-pools.ts';

export interface Prepared {
  readonly input: SchedulingInput;
  /** What was assumed or left out, in sentences. */
  readonly notes: readonly string[];
}

export interface PrepareOptions {
  /** Use only these pools; empty for all. */
  readonly pools: readonly string[];
  readonly options: Partial<SchedulingOptions>;
  /** For pods without constraints of their own. Default: none. */
  readonly defaultConstraints?: readonly TopologySpreadConstraint[];
  /** False: the feature gate NodeOverlay is off. Default: those of files count, and those that a controller has looked at. */
  readonly overlays?: boolean;
  /** Default: as much as a simulation can have. */
  readonly limits?: Pick<SimulationLimits, 'maxPods' | 'maxPreferences'> | undefined;
}

export function toInput(
  inventory: Inventory,
  catalogues: Catalogues,
  { pools: chosen, options, defaultConstraints = [], overlays = true, limits }: PrepareOptions,
): Prepared {
  const notes: string[] = [];
  const classes = storageClassesOf(inventory, catalogues.storageClasses);
  const defaults = {
    priorities: inventory.objects<PriorityClass>('PriorityClass'),
    limitRanges: inventory.objects<LimitRange>('LimitRange'),
  };
  const expanded = expandWorkloads(inventory, limits?.maxPods);
  const { nodes, leaving } = readNodes(inventory);
  const all = [...inventory.objects<Pod>('Pod'), ...withUniqueNames(expanded.pods, inventory)];
  const removed = new Set(leaving.map(({ name }) => name));
  const sorted = sortPods(all, removed);
  if (limits !== undefined) checkToPlace(sorted.pending, limits);
  notes.push(...sorted.notes);
  const input: SchedulingInput = {
    pools: usablePools(inventory, chosen, notes).map((nodePool) => ({
      nodePool,
      instanceTypes: catalogues.nameFor(nodePool),
    })),
    catalogues: catalogues.lists,
    nodes,
    pods: sorted.pending.map((pod) => withPodDefaults(pod, defaults)),
    boundPods: sorted.bound,
    leavingNodes: leaving,
    leavingPods: all.filter(({ spec }) => removed.has(spec.nodeName ?? '')),
    daemonSets: daemonSetsOf(inventory, sorted.bound),
    namespaces: namespacesOf(inventory, all),
    volumes: {
      claims: claimsOf(inventory, classes, expanded.claims),
      volumes: inventory.objects<PersistentVolume>('PersistentVolume'),
      classes,
      csiNodes: inventory.objects<CsiNode>('CSINode'),
      checkClaims: true,
    },
    overlays: overlays ? overlaysOf(inventory, notes) : [],
    wellKnownLabels: catalogues.wellKnownLabels,
    ...(catalogues.reservationLabel === undefined ? {} : { reservationLabel: catalogues.reservationLabel }),
    ...(defaultConstraints.length === 0
      ? {}
      : { defaultSpread: defaultSpreadOf(inventory, defaultConstraints) }),
    options,
  };
  return { input, notes };
}

// ---------------------------------------------------------------------------------------------------------------

/** A controller whose gate is off sets no condition. */
export function overlaysOf(inventory: Inventory, notes: string[]): Overlay[] {
  return inventory.objects<Overlay & NodeOverlay>('NodeOverlay').filter((overlay) => {
    const counts = !inventory.isLive(overlay) || conditionOf(overlay, 'Ready') !== undefined;
    if (!counts)
      notes.push(
        `NodeOverlay ${overlay.metadata.name} is ignored: no controller has set its condition Ready. ` +
          'The feature gate NodeOverlay may be off.',
      );
    return counts;
  });
}

/** A Deployment and a StatefulSet of one name would give pods of one name. */
function withUniqueNames(pods: readonly Pod[], inventory: Inventory): Pod[] {
  const taken = new Set(
    inventory.objects<Pod>('Pod').map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
  );
  return pods.map((pod) => {
    const { name = '', namespace } = pod.metadata;
    let free = name;
    for (let number = 2; taken.has(`${namespace}/${free}`); number++) free = `${name}.${number}`;
    taken.add(`${namespace}/${free}`);
    return free === name ? pod : { ...pod, metadata: { ...pod.metadata, name: free } };
  });
}

/** With the newest pod of each, since an admission plugin may have changed what it asks for. */
function daemonSetsOf(inventory: Inventory, bound: readonly Pod[]): DaemonSet[] {
  const newest = new Map<string, Pod>();
  for (const pod of bound) {
    const owner = pod.metadata.ownerReferences?.find(({ kind }) => kind === 'DaemonSet');
    if (owner === undefined) continue;
    const key = `${pod.metadata.namespace}/${owner.name}`;
    const other = newest.get(key)?.metadata.creationTimestamp ?? '';
    if (!newest.has(key) || (pod.metadata.creationTimestamp ?? '') > other) newest.set(key, pod);
  }
  return inventory.objects<DaemonSet>('DaemonSet').map((daemonSet) => {
    const pod = newest.get(`${daemonSet.metadata.namespace}/${daemonSet.metadata.name}`);
    // A file has changed what the pods of the cluster ask for.
    const isChanged = pod !== undefined && inventory.isLive(pod) && !inventory.isLive(daemonSet);
    return pod === undefined || isChanged ? daemonSet : { ...daemonSet, pod };
  });
}

/** A namespace that only pods mention has the label that every namespace has. */
function namespacesOf(inventory: Inventory, pods: readonly Pod[]) {
  const labels = new Map<string, Record<string, string>>();
  for (const { metadata } of pods) labels.set(metadata.namespace ?? 'default', {});
  for (const { metadata } of inventory.objects<KubeObject>('Namespace')) {
    labels.set(metadata.name ?? '', metadata.labels ?? {});
  }
  return [...labels].map(([name, own]) => ({
    name,
    labels: { 'kubernetes.io/metadata.name': name, ...own },
  }));
}

/** Classes of the input replace built-in ones of the same name; a default class of the input replaces the built-in default. */
function storageClassesOf(inventory: Inventory, builtIn: readonly StorageClass[]): readonly StorageClass[] {
  const own = inventory.objects<StorageClass>('StorageClass');
  const names = new Set(own.map(({ metadata }) => metadata.name));
  const added = builtIn.filter(({ metadata }) => !names.has(metadata.name));
  if (defaultStorageClass(own) === undefined) return [...own, ...added];
  const unmarked = added.map((each) => ({ ...each, metadata: { ...each.metadata, annotations: {} } }));
  return [...own, ...unmarked];
}

/** A claim without a class gets the default one, as from the API server. */
function claimsOf(
  inventory: Inventory,
  classes: readonly StorageClass[],
  generated: readonly VolumeClaim[],
): VolumeClaim[] {
  const fallback = defaultStorageClass(classes);
  const named = inventory.objects<VolumeClaim>('PersistentVolumeClaim');
  const key = ({ namespace, name }: ObjectMeta) => `${namespace}/${name}`;
  const known = new Set(named.map(({ metadata }) => key(metadata)));
  const all = [...named, ...generated.filter(({ metadata }) => !known.has(key(metadata)))];
  return all.map((claim) =>
    claim.spec.storageClassName === undefined && !claim.spec.volumeName && fallback !== undefined
      ? { ...claim, spec: { ...claim.spec, storageClassName: fallback } }
      : claim,
  );
}
