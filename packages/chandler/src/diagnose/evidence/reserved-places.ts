/**
 * Free instances of capacity reservations in a plan for a pod. The controller asks the cloud for them; the node class does not
 * have them. Where the cloud was not asked, they are not known: a reservation is neither full nor has it room.
 */
import type { KubeObject } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { isFound, isTrue, type LookupFailure, type LookupResult, listOr } from '../../causes/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import type { GatherContext } from './gather-context.ts';
import { usesReservations } from './plan-options.ts';
import type { Asked } from './plan-pod.ts';
import type { Planner } from './planner.ts';
import { type ClaimShape, conditionsOf } from './shapes.ts';

type Context = Pick<GatherContext, 'reader' | 'recorder' | 'cloud'>;

/** The planner, with the places that are free, without those that NodeClaims in flight will use. */
export function withReservations(context: Context, planner: Planner): Planner {
  const { recorder, cloud } = context;
  const { reservations } = cloud;
  if (reservations === undefined) return planner;
  const unknownPlaces = new Map<string, LookupFailure>();
  const free = new Map<string, Promise<LookupResult<ReadonlyMap<string, number>>>>();
  let held: Promise<readonly (readonly string[])[]> | undefined;
  const freeOf = async (nodeClass: KubeObject, ids: readonly string[]) => {
    const name = `${nodeClass.kind} ${nodeClass.metadata.name}`;
    const reading = free.get(name) ?? reservations.free(nodeClass);
    free.set(name, reading);
    const looked = await reading;
    if (isFound(looked)) return looked.found;
    for (const id of ids) unknownPlaces.set(id, looked);
    return new Map(ids.map((id) => [id, 1]));
  };
  return {
    ...planner,
    unknownPlaces,
    instanceTypes: async (pool, nodeClass, howMany) => {
      const isUsed = usesReservations(recorder.evidence().first('options'));
      const ids = nodeClass === undefined || !isUsed ? [] : reservations.ids(nodeClass);
      if (nodeClass === undefined || ids.length === 0)
        return planner.instanceTypes(pool, nodeClass, howMany, { isUsed, free: new Map() });
      const places = { isUsed, free: await freeOf(nodeClass, ids) };
      const types = await planner.instanceTypes(pool, nodeClass, howMany, places);
      if (types === undefined || ids.some((id) => unknownPlaces.has(id))) return types;
      held ??= heldPlaces(context);
      return withoutHeld(pool, types, await held);
    },
  };
}

/** Records that it is not known how many instances are free, where that decides. */
export function dependsOnPlaces(
  { recorder, planner }: Pick<GatherContext, 'recorder' | 'planner'>,
  { unknownPlaces: ids }: Pick<Asked, 'unknownPlaces'>,
): boolean {
  if (ids === undefined) return false;
  const [failure] = planner?.unknownPlaces?.values() ?? [];
  const what = `free instances of ${ids.length === 1 ? 'capacity reservation' : 'capacity reservations'} ${ids.join(', ')}`;
  recorder.addUnread('plan', what, failure ?? { why: 'notAsked' });
  return true;
}

// ---------------------------------------------------------------------------------------------------

/** The reservations that each NodeClaim names which is not launched yet: EC2 counts it as soon as it is. */
async function heldPlaces({ reader, cloud }: Context): Promise<readonly (readonly string[])[]> {
  const label = cloud.catalogue.reservationLabel;
  const claims = listOr(await reader.list(NODE_CLAIMS)) as readonly ClaimShape[];
  return claims
    .filter((claim) => !isTrue({ conditions: conditionsOf(claim) }, 'Launched'))
    .flatMap(({ spec }) =>
      (spec.requirements ?? []).flatMap(({ key, operator, values = [] }) =>
        key === label && operator === 'In' ? [values] : [],
      ),
    );
}

async function withoutHeld(
  nodePool: Parameters<Planner['instanceTypes']>[0],
  instanceTypes: readonly InstanceType[],
  held: readonly (readonly string[])[],
): Promise<readonly InstanceType[]> {
  if (held.length === 0) return instanceTypes;
  const { withoutPlacesOf } = await import('../../scheduling/index.ts');
  return withoutPlacesOf({ pools: [{ nodePool, instanceTypes }] }, held).pools[0]!.instanceTypes;
}
