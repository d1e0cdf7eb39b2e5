/**
 * The types that would meet the requirements if the requested offerings were available. A type lists only the
 * zones and capacity types that are available now, so a pool seems to exclude it; the explanation of a
 * refusal needs the difference.
 */
import { andInto, fullBits, hasBit } from '../bits.ts';
import type { ReadType } from '../catalogue/read-type.ts';
import type { Requirement } from '../requirements/algebra.ts';
import type { PoolEntry } from './pools.ts';

export function soldOutRows(
  { catalogue }: PoolEntry,
  requirements: readonly (Requirement | undefined)[],
): readonly number[] {
  const asked = (key: number) => (requirements[key] === undefined ? [] : [requirements[key]]);
  const wanted = fullBits(catalogue.offerings.length);
  for (const requirement of catalogue.offeringKeys.flatMap(asked))
    andInto(wanted, catalogue.offeringsMeeting(requirement)!);
  const conditions = catalogue.typeKeys
    .filter((key) => !catalogue.offeringKeys.includes(key))
    .flatMap(asked)
    .map((requirement) => ({ key: requirement.key, rows: catalogue.rowsMeeting(requirement)! }));
  const isSoldOut = (row: number) => {
    for (let at = catalogue.offeringStart[row]!; at < catalogue.offeringStart[row + 1]!; at++)
      if (!catalogue.offerings[at]!.available && hasBit(wanted, at)) return true;
    return false;
  };
  return catalogue.rows.flatMap(({ type }, row) => {
    const meets = conditions.every(({ key, rows }) => hasBit(rows, row) || isUndefined(type, key));
    return meets && isSoldOut(row) ? [row] : [];
  });
}

// ---------------------------------------------------------------------------------------------------

/** The label depends on available offerings, and there are none. */
function isUndefined({ requirements }: ReadType, key: number): boolean {
  return requirements.items.some((each) => each.key === key && each.operator === 'DoesNotExist');
}
