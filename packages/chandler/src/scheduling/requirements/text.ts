/**
 * Requirements as text and in API form: the printed form, the form in the spec of a NodeClaim, and the
 * concrete label value of a node when several values are possible.
 */
import { hasBit } from '../bits.ts';
import type { LabelRequirement } from '../model.ts';
import { type Algebra, excludes, type Requirement } from './algebra.ts';

/** `zone In [a b]`, with bounds and minValues where there are some; at most five values are listed. */
export function requirementText(algebra: Algebra, requirement: Requirement): string {
  const key = algebra.labels.keyName(requirement.key);
  const parts = [`${key} ${requirement.operator}`];
  if (requirement.size > 0) parts.push(`[${listed(algebra.valueNames(requirement))}]`);
  if (requirement.gte !== null) parts.push(`>=${requirement.gte}`);
  if (requirement.lte !== null) parts.push(`<=${requirement.lte}`);
  if (requirement.minValues !== null) parts.push(`minValues ${requirement.minValues}`);
  return parts.join(' ');
}

/** As in the spec of a NodeClaim. Two bounds make two entries. */
export function serializeRequirement(algebra: Algebra, requirement: Requirement): LabelRequirement[] {
  const key = algebra.labels.keyName(requirement.key);
  const min = requirement.minValues === null ? {} : { minValues: requirement.minValues };
  const entries: LabelRequirement[] = [];
  if (requirement.gte !== null)
    entries.push({ key, operator: 'Gte', values: [`${requirement.gte}`], ...min });
  if (requirement.lte !== null)
    entries.push({ key, operator: 'Lte', values: [`${requirement.lte}`], ...min });
  // Upstream drops excluded values when there are bounds; a claim must not allow excluded values.
  if (entries.length > 0 && requirement.size === 0) return entries;
  if (requirement.size === 0) return [{ key, operator: requirement.operator, ...min }];
  entries.push({ key, operator: requirement.operator, values: algebra.valueNames(requirement), ...min });
  return entries;
}

/**
 * A value that meets the condition: the first one listed, else the smallest integer; undefined if there is none, and if none
 * is needed: a node without the label meets a condition that only excludes values, and is in no domain of a spread.
 */
export function anyValue(algebra: Algebra, requirement: Requirement): string | undefined {
  if (excludes(requirement)) return undefined;
  if (requirement.operator === 'In') return algebra.valueNames(requirement)[0];
  const last = requirement.lte ?? Number.MAX_SAFE_INTEGER;
  for (let candidate = requirement.gte ?? 0; candidate <= last; candidate++) {
    const known = algebra.labels.findValue(requirement.key, `${candidate}`);
    if (known === undefined || !hasBit(requirement.values, known)) return `${candidate}`;
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

const MAX_LISTED = 5;

function listed(values: readonly string[]): string {
  if (values.length <= MAX_LISTED) return values.join(' ');
  return `${values.slice(0, MAX_LISTED).join(' ')} and ${values.length - MAX_LISTED} others`;
}
