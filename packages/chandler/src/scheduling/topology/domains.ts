/**
 * The domains of a label in which new nodes can be: for every pool, what its template and its instance types
 * allow together. Only named values count; a requirement that merely excludes values names none, so that the values are
 * those that pending pods name.
 */
import { type Bits, emptyBits, orInto, overlapBits } from '../bits.ts';
import type { PoolEntry } from '../engine/pools.ts';
import type { State } from '../engine/states.ts';
import type { Algebra, Requirement } from '../requirements/algebra.ts';

export interface DomainSource {
  readonly pool: PoolEntry;
  readonly values: Bits;
}

export function domainUniverse(
  algebra: Algebra,
  pools: readonly PoolEntry[],
  templates: readonly (State | null)[],
  key: number,
  named: readonly Requirement[],
): DomainSource[] {
  return pools.map((pool) => ({
    pool,
    values: domainsOfPool(algebra, pool, templates[pool.index] ?? null, key, named),
  }));
}

// ---------------------------------------------------------------------------------------------------------------

/** None for a pool that cannot launch a node: kube-scheduler counts domains of nodes, and there will be none. */
function domainsOfPool(
  algebra: Algebra,
  pool: PoolEntry,
  template: State | null,
  key: number,
  named: readonly Requirement[],
): Bits {
  const values = emptyBits(algebra.labels.valueCount(key));
  if (template === null) return values;
  const own = pool.template.items.find((item) => item.key === key);
  const found: Requirement[] = own !== undefined && !own.complement ? [own] : [];
  const bring = (requirement: Requirement) => {
    const both = own === undefined ? requirement : algebra.meet(own, requirement);
    if (!both.complement) found.push(both);
  };
  const byTypes = pool.catalogue.typeRequirementsOn(key);
  for (const { requirement, rows } of byTypes) if (overlapBits(rows, template.rows)) bring(requirement);
  // Types that leave the label to their offerings.
  if (byTypes.length === 0) {
    for (const { requirement } of pool.catalogue.offeringRequirementsOn(key)) bring(requirement);
  }
  // Where the pool leaves the value open, pods bring it.
  if (own?.complement === true && found.length === 0) named.forEach(bring);
  for (const requirement of found) orInto(values, requirement.values);
  return values;
}
