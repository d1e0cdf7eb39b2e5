/** The prices of nodes, from the catalogues of their NodePools, as `chandler plan` has them. */
import type { Node, Store } from '@chandler/kube';
import { KubernetesLabel, type NodePool, nodePoolKind, withDefaults } from '../../api/index.ts';
import { NO_PRICES, type Prices } from '../../dashboard/index.ts';
import { PriceBook } from '../../disruption/index.ts';
import { cataloguesFor } from '../simulate/catalogues.ts';
import { Inventory } from '../simulate/inventory.ts';
import { overlaysOf } from '../simulate/to-input.ts';

/** Stores of what prices depend on. */
export interface PricedStores {
  readonly nodes: Store<Node>;
  readonly pools: Store<NodePool>;
  /** Node classes and overlays. */
  readonly priced: readonly Store[];
}

/**
 * @param catalogue as `--catalogue` has it.
 * @param pause lets others have their turn.
 * @throws {Failure} for a catalogue file that cannot be used.
 */
export async function readPrices(
  objects: PricedStores,
  catalogue: string | undefined,
  pause: () => Promise<void> | void = () => undefined,
): Promise<Prices> {
  if (objects.pools.size === 0) return NO_PRICES;
  const inventory = new Inventory();
  for (const store of [objects.nodes, objects.pools, ...objects.priced])
    for (const object of store.values()) inventory.addLive(store.resource.kind, object);
  const catalogues = await cataloguesFor(inventory, { catalogue, zones: [], pause });
  const pools = inventory.objects<NodePool>('NodePool').map((pool) => ({
    nodePool: { ...pool, spec: withDefaults(nodePoolKind.spec, pool.spec) },
    instanceTypes: catalogues.nameFor(pool),
  }));
  const notes = [...catalogues.notes];
  const book = new PriceBook(pools, {
    pods: [],
    pools,
    catalogues: catalogues.lists,
    overlays: overlaysOf(inventory, notes),
  });
  const known = new Map<string, number | undefined>();
  return {
    notes,
    of: (nodePool, labels) => {
      if (nodePool === undefined) return undefined;
      const key = [nodePool, ...PRICED_BY.map((label) => labels[label])].join('\n');
      if (!known.has(key)) known.set(key, book.nodePrice(nodePool, labels));
      return known.get(key);
    },
  };
}

/** Prices with the same key are the same: they depend on specs and on the regions of nodes. */
export function priceKey(objects: PricedStores): string {
  const specs = [objects.pools, ...objects.priced].flatMap((store) =>
    [...store.values()].map(
      ({ metadata }) => `${store.resource.kind} ${metadata.uid} ${metadata.generation}`,
    ),
  );
  const regions = new Set<string>();
  for (const { metadata } of objects.nodes.values() as Iterable<Node>)
    regions.add(metadata.labels?.[KubernetesLabel.region] ?? '');
  return [...specs, ...regions].sort().join('\n');
}

// ---------------------------------------------------------------------------------------------------

const PRICED_BY = [KubernetesLabel.instanceType, KubernetesLabel.zone, 'karpenter.sh/capacity-type'];
