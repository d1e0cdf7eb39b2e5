/**
 * Reads the ConfigMap that stops disruption from a cluster. Only that in the namespace of the controller does; of others of
 * its name a note says that they stop nothing. A cluster with several clouds has a controller for each.
 */
import {
  CONFIG_MAPS,
  type ConfigMap,
  isApiError,
  type KubeClient,
  resourceName,
  type World,
} from '@chandler/kube';
import type { NodePool } from '../../api/index.ts';
import type { ObjectReader } from '../../causes/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { cloudOfClass, cloudOfPools, controllerNamespace, liveReader } from '../../diagnose/index.ts';
import { FREEZE_CONFIG_MAP, freezesOf } from '../../disruption/index.ts';
import type { Inventory } from './inventory.ts';

/** The name of their kind among those that could not be read. */
export const FREEZES = resourceName(CONFIG_MAPS);

/** A controller, and what its ConfigMap is about. */
export interface FreezeHome {
  /** Undefined: it is not known. */
  readonly namespace: string | undefined;
  /** The NodePools that it serves. */
  readonly nodePools: readonly string[];
}

export interface FreezesRead {
  readonly notes: readonly string[];
  /** Empty where there is no such ConfigMap. */
  readonly homes: readonly FreezeHome[];
  /** Whether the ConfigMap exists, and what it says, is known. */
  readonly known: boolean;
}

/** After the NodePools, which show the cloud. */
export async function takeFreezes(
  inventory: Inventory,
  client: KubeClient,
  { world, signal }: { readonly world: World; readonly signal: AbortSignal },
): Promise<FreezesRead> {
  const all = await listFreezes(client, signal);
  if (all?.length === 0) return { notes: [], known: true, homes: [] };
  const reader = liveReader({ client, clock: world.clock, signal });
  const homes = await homesOf(reader, inventory.objects<NodePool>('NodePool'));
  const { items, known } =
    all === undefined ? await listIn(client, signal, homes) : { items: all, known: true };
  const namespaces = homes.map(({ namespace }) => namespace);
  const isSomeUnknown = namespaces.includes(undefined);
  const isElsewhere = ({ metadata }: ConfigMap) => !isSomeUnknown && !namespaces.includes(metadata.namespace);
  for (const item of items) if (!isElsewhere(item)) inventory.addLive('ConfigMap', item);
  const notes = items
    .filter((item) => freezesOf(item).length > 0 && !namespaces.includes(item.metadata.namespace))
    .map((item) => {
      const name = `ConfigMap ${item.metadata.namespace}/${FREEZE_CONFIG_MAP}`;
      if (isSomeUnknown)
        return `The namespace of the controller is not known: ${name} counts as if it were there.`;
      const named = [...new Set(namespaces)].join(' or ');
      return `${name} is not in the namespace of the controller, ${named}, and stops nothing.`;
    });
  return { notes: [...notes, ...(known ? [] : [UNREAD])], known, homes };
}

// ---------------------------------------------------------------------------------------------------------------

const UNREAD = `The ConfigMap ${FREEZE_CONFIG_MAP} cannot be read with these credentials; a freeze in it is ignored.`;

/** One for each cloud of the NodePools. */
async function homesOf(reader: ObjectReader, pools: readonly NodePool[]): Promise<readonly FreezeHome[]> {
  const { row = DIAGNOSES[0]!, others } = cloudOfPools(DIAGNOSES, pools);
  const homes: FreezeHome[] = [];
  for (const each of [row, ...others]) {
    const isServed = ({ spec }: NodePool) => cloudOfClass([each], spec.template.spec.nodeClassRef) === each;
    homes.push({
      namespace: await controllerNamespace(reader, await each.diagnosis()),
      nodePools: pools.filter(isServed).map(({ metadata }) => metadata.name ?? ''),
    });
  }
  return homes;
}

/** Who may not list them everywhere may do so there. */
async function listIn(
  client: KubeClient,
  signal: AbortSignal,
  homes: readonly FreezeHome[],
): Promise<{ readonly items: readonly ConfigMap[]; readonly known: boolean }> {
  const lists: (readonly ConfigMap[] | undefined)[] = [];
  for (const namespace of new Set(homes.map((home) => home.namespace)))
    lists.push(namespace === undefined ? undefined : await listFreezes(client, signal, namespace));
  return { items: lists.flatMap((list) => list ?? []), known: !lists.includes(undefined) };
}

/** Undefined: these credentials may not list them. */
async function listFreezes(
  client: KubeClient,
  signal: AbortSignal,
  namespace?: string,
): Promise<readonly ConfigMap[] | undefined> {
  const fieldSelector = `metadata.name=${FREEZE_CONFIG_MAP}`;
  try {
    const where = namespace === undefined ? {} : { namespace };
    return (await client.list<ConfigMap>(CONFIG_MAPS, { ...where, fieldSelector, signal })).items;
  } catch (error) {
    if (isApiError(error, 'forbidden')) return undefined;
    throw error;
  }
}
