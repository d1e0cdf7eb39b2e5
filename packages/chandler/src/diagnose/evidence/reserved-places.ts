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
  const free = new Map<string, Promise<ReadonlyMap<string, LookupResult<number>>>>();
  let held: Promise<readonly (readonly string[])[]> | undefined;
  const freeOf = async (nodeClass: KubeObject, ids: readonly string[]) => {
    const name = `${nodeClass.kind} ${nodeClass.metadata.name}`;
    const reading = free.get(name) ?? reservations.free(context, nodeClass);
    free.set(name, reading);
    const looked = await reading;
    const places = new Map<string, number>();
    for (const id of ids) {
      const own = looked.get(id) ?? NOT_ASKED;
      if (!isFound(own)) unknownPlaces.set(id, own);
      places.set(id, isFound(own) ? own.found : 1);
    }
    return places;
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
      if (types === undefined) return types;
      held ??= heldPlaces(context);
      const ofKnown = (await held).map((named) => named.filter((id) => !unknownPlaces.has(id)));
      return withoutHeld(pool, types, ofKnown);
    },
  };
}

/** Records that it is not known how many instances are free, where that decides. */
export function dependsOnPlaces(
  { recorder, planner }: Pick<GatherContext, 'recorder' | 'planner'>,
  { unknownPlaces: ids }: Pick<Asked, 'unknownPlaces'>,
): boolean {
  if (ids === undefined) return false;
  const failures = new Map<LookupFailure, string[]>();
  for (const id of ids) {
    const failure = planner?.unknownPlaces?.get(id) ?? NOT_ASKED;
    failures.set(failure, [...(failures.get(failure) ?? []), id]);
  }
  for (const [failure, same] of failures) {
    const what = `free instances of ${same.length === 1 ? 'capacity reservation' : 'capacity reservations'} ${same.join(', ')}`;
    recorder.addUnread('plan', what, failure);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------

const NOT_ASKED: LookupFailure = { why: 'notAsked' };

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
