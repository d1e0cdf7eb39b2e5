/** Labels as sets of possible values, and taints: the subset of the rules that first fit needs. */
import type { Taint } from '@chandler/kube';
import type { LabelRequirement, Pod } from '../../../packages/chandler/src/scheduling/index.ts';

import { ARCH, CAPACITY_TYPE, OS, TYPE, ZONE } from '../shorthand.ts';

/** What one label may be; the values of a complement are those it may not be. */
export interface LabelSet {
  readonly isComplement: boolean;
  readonly values: ReadonlySet<string>;
}

export type Sets = ReadonlyMap<string, LabelSet>;

export function asSets(requirements: readonly LabelRequirement[]): Sets {
  const sets = new Map<string, LabelSet>();
  for (const { key, operator, values = [] } of requirements) {
    const isComplement = operator === 'NotIn' || operator === 'Exists';
    const set = { isComplement, values: new Set(operator === 'In' || operator === 'NotIn' ? values : []) };
    const before = sets.get(key);
    sets.set(key, before ? both(before, set) : set);
  }
  return sets;
}

export function zoneIs(zone: string): Sets {
  return asSets([{ key: ZONE, operator: 'In', values: [zone] }]);
}

/** Node selector and required node affinity, which has one term here. */
export function setsOfPod({ spec }: Pod): Sets {
  const selector = Object.entries(spec.nodeSelector ?? {});
  const terms =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  return asSets([
    ...selector.map(([key, value]) => ({ key, operator: 'In', values: [value] })),
    ...(terms[0]?.matchExpressions ?? []),
  ]);
}

/** Labels that both speak of must have a value in common, unless both only exclude. */
export function isAtPeace(first: Sets, second: Sets): boolean {
  return [...second].every(([key, set]) => {
    const other = first.get(key);
    return other === undefined || (onlyExcludes(other) && onlyExcludes(set)) || !isEmpty(both(other, set));
  });
}

/** Whether a node that is known like this can be what is wanted. */
export function mayBe(known: Sets, wanted: Sets, isNew: boolean): boolean {
  const defined = [...wanted].every(
    ([key, set]) => known.has(key) || onlyExcludes(set) || (isNew && WELL_KNOWN.has(key)),
  );
  return defined && isAtPeace(known, wanted);
}

/** Whether whatever the label comes to be will be what is wanted; without values the label is not there. */
export function surely(values: readonly string[], wanted: LabelSet): boolean {
  if (values.length === 0) return onlyExcludes(wanted);
  return values.every((value) => wanted.values.has(value) !== wanted.isComplement);
}

export function join(first: Sets, second: Sets): Sets {
  const sets = new Map(first);
  for (const [key, set] of second) {
    const before = sets.get(key);
    sets.set(key, before ? both(before, set) : set);
  }
  return sets;
}

export function tolerates({ spec }: Pod, taint: Taint): boolean {
  return (spec.tolerations ?? []).some(
    ({ key, operator, value, effect }) =>
      (key === undefined || key === taint.key) &&
      (operator === 'Exists' || (value ?? '') === (taint.value ?? '')) &&
      (effect === undefined || effect === taint.effect),
  );
}

export function onlyExcludes({ isComplement, values }: LabelSet): boolean {
  return isComplement ? values.size > 0 : values.size === 0;
}

export function isEmpty({ isComplement, values }: LabelSet): boolean {
  return !isComplement && values.size === 0;
}

export function both(first: LabelSet, second: LabelSet): LabelSet {
  const keep = (set: LabelSet, other: LabelSet) =>
    new Set([...set.values].filter((value) => other.values.has(value) !== other.isComplement));
  if (first.isComplement && second.isComplement)
    return { isComplement: true, values: new Set([...first.values, ...second.values]) };
  if (first.isComplement) return { isComplement: false, values: keep(second, first) };
  return { isComplement: false, values: keep(first, second) };
}

// ---------------------------------------------------------------------------------------------------

const WELL_KNOWN: ReadonlySet<string> = new Set([ZONE, ARCH, OS, TYPE, CAPACITY_TYPE]);
