/** The region of the catalogue of one cloud, from the objects of an inventory that may have nodes of several. */
import type { Node } from '@chandler/kube';
import { KubernetesLabel, type NodePool } from '../../api/index.ts';
import type { OfflineCatalogue } from '../../cloud/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { cloudOfNode } from '../../diagnose/index.ts';
import type { PersistentVolume } from '../../scheduling/index.ts';
import { ownerOf, type RegionSign, regionOfSigns } from '../why/region-signs.ts';
import type { Inventory } from './inventory.ts';
import { valuesOfLabel, valuesOfPool, valuesOfVolume } from './places.ts';

export interface RegionRequest {
  readonly inventory: Inventory;
  /** The cloud of the catalogue. */
  readonly cloud: string;
  readonly catalogue: OfflineCatalogue;
  /** Those of the other clouds that NodePools of the inventory use. */
  readonly others: readonly OfflineCatalogue[];
  /** The NodePools that use the catalogue. */
  readonly pools: readonly NodePool[];
}

/** Undefined: the inventory does not show it. */
export function regionOf({ inventory, cloud, catalogue, others, pools }: RegionRequest): string | undefined {
  /** An object that does not show its cloud may do so by its zone. */
  const sign = (owner: RegionSign['owner'], valuesOf: (key: string) => readonly string[]): RegionSign => {
    const zones = valuesOf(KubernetesLabel.zone);
    const isOther = zones.some((zone) => others.some(({ regionOfZone }) => regionOfZone(zone) !== undefined));
    const regions = valuesOf(KubernetesLabel.region);
    return { owner: owner === 'unknown' && isOther ? 'other' : owner, regions, zones };
  };
  const nodes = inventory
    .objects<Node>('Node')
    .map((node) => sign(ownerOf(cloudOfNode(DIAGNOSES, node), cloud), (key) => valuesOfLabel(node, key)));
  const volumes = inventory
    .objects<PersistentVolume>('PersistentVolume')
    .map((volume) => sign('unknown', (key) => valuesOfVolume(volume, key)));
  const served = pools.map((pool) => sign('own', (key) => valuesOfPool(pool, key)));
  return regionOfSigns([...nodes, ...served, ...volumes], catalogue);
}
