/**
 * Drift on values that the controller found out by itself. What a VM was launched with is recorded on its claim;
 * it drifts when that differs from what would be used now. A claim without a record (made by another controller, or
 * before we kept records) is adopted: it gets the value its VM really has, and what would have been used at that
 * moment, and drifts only when that changes later, or at once when the operator asks for `actual`. So taking over a
 * cluster replaces nothing by itself.
 */

/** Annotations hold text, and "no value" must differ from "no record". */
export const NO_VALUE = 'none';

export type AdoptedDriftMode = 'recorded' | 'actual';

export interface RecordedValueRule {
  /** The annotation with the value. */
  readonly annotation: string;
  /** The annotation, only on adopted claims that differed, with what would have been used then. */
  readonly adoptedAnnotation: string;
  /** Whether two values mean the same; either may be no value. */
  readonly same: (a: string | undefined, b: string | undefined) => boolean;
}

type Annotations = Readonly<Record<string, string>>;

export interface RecordedDrift {
  readonly was: string | undefined;
  readonly now: string | undefined;
}

/** What to write on a claim that is launched now. */
export function recordAtLaunch(rule: RecordedValueRule, value: string | undefined): Annotations {
  return { [rule.annotation]: value ?? NO_VALUE };
}

/** What to write on a claim without a record; nothing when it has one. */
export function recordAtAdoption(
  rule: RecordedValueRule,
  annotations: Annotations | undefined,
  actual: string | undefined,
  now: string | undefined,
): Annotations {
  if (annotations?.[rule.annotation] !== undefined) return {};
  const record = recordAtLaunch(rule, actual);
  return rule.same(actual, now) ? record : { ...record, [rule.adoptedAnnotation]: now ?? NO_VALUE };
}

export function recordedDrift(
  rule: RecordedValueRule,
  annotations: Annotations | undefined,
  now: string | undefined,
  mode: AdoptedDriftMode,
): RecordedDrift | undefined {
  const record = annotations?.[rule.annotation];
  // Not adopted yet: what the VM has is not known here, so nothing differs.
  if (record === undefined) return undefined;
  const was = heldBy(record);
  if (rule.same(was, now)) return undefined;
  const wouldHaveBeen = annotations?.[rule.adoptedAnnotation];
  if (mode === 'recorded' && wouldHaveBeen !== undefined && rule.same(heldBy(wouldHaveBeen), now)) {
    return undefined;
  }
  return { was, now };
}

/** Whether an adopted claim differs and is left alone: what an event should name. */
export function isExemptByAdoption(
  rule: RecordedValueRule,
  annotations: Annotations | undefined,
  now: string | undefined,
): boolean {
  return (
    recordedDrift(rule, annotations, now, 'actual') !== undefined &&
    recordedDrift(rule, annotations, now, 'recorded') === undefined
  );
}

export function recordedValue(
  rule: RecordedValueRule,
  annotations: Annotations | undefined,
): string | undefined {
  const record = annotations?.[rule.annotation];
  return record === undefined ? undefined : heldBy(record);
}

// ---------------------------------------------------------------------------------------------------

function heldBy(record: string): string | undefined {
  return record === NO_VALUE || record === '' ? undefined : record;
}
