/**
 * The zones and the region of the generic catalogue: those that the inventory names, so that the requirements of
 * its pools, nodes and volumes can be met; otherwise three example zones.
 */
import type { ObjectMeta } from '@chandler/kube';
import { KubernetesLabel, type NodePool } from '../../api/index.ts';
import { GENERIC_REGION, GENERIC_ZONES, type Places } from '../../cloud/index.ts';
import type { LabelRequirement, PersistentVolume } from '../../scheduling/index.ts';

import type { Inventory } from './inventory.ts';

/** @param zones from the command line; empty to take them from the inventory. */
export function placesOf(inventory: Inventory, zones: readonly string[]): Places {
  const named = zones.length > 0 ? zones : namedValues(inventory, KubernetesLabel.zone);
  const [region] = namedValues(inventory, KubernetesLabel.region);
  return { zones: named.length > 0 ? named : GENERIC_ZONES, region: region ?? GENERIC_REGION };
}

// ---------------------------------------------------------------------------------------------------------------

/** The values of a label that the inventory names, in order. */
export function namedValues(inventory: Inventory, key: string): string[] {
  const values = new Set<string>();
  const take = (requirements: readonly LabelRequirement[] | undefined) => {
    for (const { key: own, operator, values: listed } of requirements ?? []) {
      if (own === key && operator === 'In') for (const value of listed ?? []) values.add(value);
    }
  };
  for (const { metadata } of inventory.objects<{ metadata: ObjectMeta }>('Node')) {
    const value = metadata.labels?.[key];
    if (value !== undefined && value !== '') values.add(value);
  }
  for (const { spec } of inventory.objects<NodePool>('NodePool')) take(spec.template.spec.requirements);
  for (const { spec } of inventory.objects<PersistentVolume>('PersistentVolume')) {
    for (const term of spec.nodeAffinity?.required?.nodeSelectorTerms ?? []) take(term.matchExpressions);
  }
  return [...values].sort();
}
