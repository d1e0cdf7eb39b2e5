/**
 * Free instances of the capacity reservations that the status of a node class has. One that EC2 does not show is not full: as
 * with an instance, the credentials may be of another account, or the question was asked in another region.
 */
import type { EC2NodeClass } from '../../../api/index.ts';
import { isFound, type LookupFailure, type LookupResult } from '../../../causes/index.ts';

import { type AwsContext, missingFrom, OTHER_ACCOUNT } from './aws-evidence.ts';

/** By id. */
export async function freePlaces(
  context: AwsContext,
  { spec, status }: EC2NodeClass,
): Promise<ReadonlyMap<string, LookupResult<number>>> {
  const reservations = status?.capacityReservations ?? [];
  const zones = reservations.map(({ availabilityZone }) => availabilityZone);
  const { aws } = context;
  const looked =
    aws === undefined
      ? missingFrom(context)
      : await aws.freeReserved(spec.capacityReservationSelectorTerms ?? [], zones);
  const freeOf = (id: string): LookupResult<number> => {
    if (!isFound(looked)) return looked;
    const found = looked.found.get(id);
    return found === undefined ? NOT_SHOWN : { found };
  };
  return new Map(reservations.map(({ id }) => [id, freeOf(id)]));
}

// ---------------------------------------------------------------------------------------------------------------

/** Not `notFound`: nothing that a plan needs is missing from the cluster. */
const NOT_SHOWN: LookupFailure = {
  why: 'notShown',
  message: `EC2 has no active one of this ID; ${OTHER_ACCOUNT}`,
};
