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

interface Labelled {
  readonly metadata: ObjectMeta;
}

export function valuesOfLabel({ metadata }: Labelled, key: string): readonly string[] {
  const value = metadata.labels?.[key];
  return value === undefined || value === '' ? [] : [value];
}

/** The values of a label that its requirements name. */
export function valuesOfPool({ spec }: NodePool, key: string): readonly string[] {
  return listedValues(spec.template.spec.requirements, key);
}

/** The values of a label that its node selector names. */
export function valuesOfVolume({ spec }: PersistentVolume, key: string): readonly string[] {
  const terms = spec.nodeAffinity?.required?.nodeSelectorTerms ?? [];
  return terms.flatMap(({ matchExpressions }) => listedValues(matchExpressions, key));
}

// ---------------------------------------------------------------------------------------------------------------

/** The values of a label that the inventory names, in order. */
function namedValues(inventory: Inventory, key: string): string[] {
  const values = [
    ...inventory.objects<Labelled>('Node').flatMap((node) => valuesOfLabel(node, key)),
    ...inventory.objects<NodePool>('NodePool').flatMap((pool) => valuesOfPool(pool, key)),
    ...inventory
      .objects<PersistentVolume>('PersistentVolume')
      .flatMap((volume) => valuesOfVolume(volume, key)),
  ];
  return [...new Set(values)].sort();
}

function listedValues(requirements: readonly LabelRequirement[] | undefined, key: string): readonly string[] {
  return (requirements ?? [])
    .filter(({ key: own, operator }) => own === key && operator === 'In')
    .flatMap(({ values }) => values ?? []);
}
