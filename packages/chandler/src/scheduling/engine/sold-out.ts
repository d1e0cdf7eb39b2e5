/**
 * Types that would meet what is asked, were that of them for sale which is asked for. A type tells only of zones and ways
 * of paying in which it can be had now, so a pool seems to rule it out by itself; whoever explains a refusal has to know
 * better.
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
    const meets = conditions.every(({ key, rows }) => hasBit(rows, row) || isUnsaid(type, key));
    return meets && isSoldOut(row) ? [row] : [];
  });
}

// ---------------------------------------------------------------------------------------------------

/** It depends on what is for sale, and nothing is. */
function isUnsaid({ requirements }: ReadType, key: number): boolean {
  return requirements.items.some((each) => each.key === key && each.operator === 'DoesNotExist');
}
