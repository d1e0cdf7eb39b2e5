/** How many volumes nodes can attach by their instance type: which drivers have limits, and the type of an existing node. */
import type { Labels } from '@chandler/kube';
import { KarpenterLabel, KubernetesLabel } from '../../api/index.ts';
import type { InstanceType, SchedulingInput } from '../model.ts';

/** The lists of the pools, by the name of the pool. */
export function typeListsOf({
  pools,
  catalogues = {},
}: SchedulingInput): Map<string, readonly InstanceType[]> {
  const lists = new Map<string, readonly InstanceType[]>();
  for (const { nodePool, instanceTypes } of pools) {
    const list =
      typeof instanceTypes !== 'string'
        ? instanceTypes
        : Object.hasOwn(catalogues, instanceTypes)
          ? catalogues[instanceTypes]
          : undefined;
    if (Array.isArray(list)) lists.set(nodePool.metadata.name ?? '', list);
  }
  return lists;
}

/** Drivers for which a type of these lists has a limit, sorted. */
export function limitedDrivers(lists: Iterable<readonly InstanceType[]>): string[] {
  const drivers = new Set<string>();
  for (const list of new Set(lists)) for (const driver of driversOf(list)) drivers.add(driver);
  return [...drivers].sort();
}

export function typeFinder(
  lists: ReadonlyMap<string, readonly InstanceType[]>,
): (labels: Labels) => InstanceType | undefined {
  return (labels) => {
    const list = lists.get(labels[KarpenterLabel.nodePool] ?? '');
    return list === undefined ? undefined : byName(list).get(labels[KubernetesLabel.instanceType] ?? '');
  };
}

// ---------------------------------------------------------------------------------------------------------------

const drivers = new WeakMap<readonly InstanceType[], readonly string[]>();
const names = new WeakMap<readonly InstanceType[], ReadonlyMap<string, InstanceType>>();

/** Lists of types are never modified. */
function driversOf(list: readonly InstanceType[]): readonly string[] {
  let found = drivers.get(list);
  if (found === undefined) {
    found = [
      ...new Set(list.flatMap(({ volumeAttachmentLimits = {} }) => Object.keys(volumeAttachmentLimits))),
    ];
    drivers.set(list, found);
  }
  return found;
}

function byName(list: readonly InstanceType[]): ReadonlyMap<string, InstanceType> {
  let found = names.get(list);
  if (found === undefined) {
    found = new Map(list.map((type) => [type.name, type]));
    names.set(list, found);
  }
  return found;
}
