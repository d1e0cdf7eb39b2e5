/**
 * Reads the ConfigMap that stops disruption from a cluster. Only that in the namespace of the controller does; of others of
 * its name a note says that they stop nothing.
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
import { DIAGNOSES } from '../../cloud/registry.ts';
import { cloudOfPools, controllerNamespace, liveReader } from '../../diagnose/index.ts';
import { FREEZE_CONFIG_MAP, freezesOf } from '../../disruption/index.ts';
import type { Inventory } from './inventory.ts';

/** The name of their kind among those that could not be read. */
export const FREEZES = resourceName(CONFIG_MAPS);

export interface FreezesRead {
  readonly notes: readonly string[];
  /** Whether the ConfigMap exists, and what it says, is known. */
  readonly known: boolean;
}

/** After the NodePools, which show the cloud. */
export async function takeFreezes(
  inventory: Inventory,
  client: KubeClient,
  { world, signal }: { readonly world: World; readonly signal: AbortSignal },
): Promise<FreezesRead> {
  const homeOf = async () => {
    const { row = DIAGNOSES[0]! } = cloudOfPools(DIAGNOSES, inventory.objects<NodePool>('NodePool'));
    return controllerNamespace(liveReader({ client, clock: world.clock, signal }), await row.diagnosis());
  };
  const all = await listFreezes(client, signal);
  if (all?.length === 0) return { notes: [], known: true };
  const home = await homeOf();
  // Who may not list them everywhere may do so there.
  const items = all ?? (home === undefined ? undefined : await listFreezes(client, signal, home));
  if (items === undefined) return { notes: [UNREAD], known: false };
  const isElsewhere = ({ metadata }: ConfigMap) => home !== undefined && metadata.namespace !== home;
  for (const item of items) if (!isElsewhere(item)) inventory.addLive('ConfigMap', item);
  const meant = items.filter((item) => freezesOf(item).length > 0);
  return {
    notes: meant.flatMap((item) => {
      const name = `ConfigMap ${item.metadata.namespace}/${FREEZE_CONFIG_MAP}`;
      if (home === undefined)
        return [`The namespace of the controller is not known: ${name} counts as if it were there.`];
      return isElsewhere(item)
        ? [`${name} is not in the namespace of the controller, ${home}, and stops nothing.`]
        : [];
    }),
    known: true,
  };
}

// ---------------------------------------------------------------------------------------------------------------

const UNREAD = `The ConfigMap ${FREEZE_CONFIG_MAP} cannot be read with these credentials; a freeze in it is ignored.`;

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
