/** Which values of a label the instance types of a NodePool have, and which requirement of a NodePool none of them meets. */
import { normalizeLabel } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';

import type { TypeValues } from './may-take.ts';
import type { PoolTypes } from './plan-input.ts';

/** Types of a node class are one list for all of its NodePools, which is read once for each label. */
export function valuesOfTypes(typed: readonly PoolTypes[]): TypeValues {
  const known = new Map<readonly InstanceType[], Map<string, ReadonlySet<string> | undefined>>();
  return (pool, key) => {
    const types = typed.find((each) => each.pool === pool)?.types;
    if (types === undefined) return undefined;
    const byKey = known.get(types) ?? new Map<string, ReadonlySet<string> | undefined>();
    known.set(types, byKey);
    if (!byKey.has(key)) byKey.set(key, valuesOf(types, key));
    return byKey.get(key);
  };
}

/** Of a NodePool without instance types: the requirement that none of them meets, whatever the others are. */
export interface UnmetRequirement {
  readonly key: string;
  readonly wanted: readonly string[];
  /** What the instance types have. */
  readonly offered: readonly string[];
}

export function unmetRequirement({ pool, types }: PoolTypes): UnmetRequirement | undefined {
  for (const { key: name, operator, values = [] } of pool.spec.template.spec.requirements ?? []) {
    const key = normalizeLabel(name);
    const offered = operator === 'In' ? valuesOf(types, key) : undefined;
    if (offered !== undefined && !values.some((value) => offered.has(value)))
      return { key, wanted: values, offered: [...offered].sort() };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** Undefined: no type says, or one does not list its values. */
function valuesOf(types: readonly InstanceType[], key: string): ReadonlySet<string> | undefined {
  const found = new Set<string>();
  for (const { requirements, offerings } of types)
    for (const each of [...requirements, ...offerings.flatMap((offering) => offering.requirements)]) {
      if (each.key !== key || each.operator === 'DoesNotExist') continue;
      if (each.operator !== 'In') return undefined;
      for (const value of each.values ?? []) found.add(value);
    }
  return found.size === 0 ? undefined : found;
}
