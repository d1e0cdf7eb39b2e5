/**
 * How ready an installation is, in percent: the weight of the checks that pass, of those that were judged. While a critical
 * check fails, it is at most 69. Skipped checks do not count, and are shown beside it.
 */
import { type Finding, type Severity, STATUSES, type Status } from './model/finding.ts';

export interface Score {
  /** 0 to 100; undefined when nothing was judged. */
  readonly percent?: number;
  /** A critical check fails. */
  readonly capped: boolean;
  /** Checks by status, each by its worst finding. */
  readonly checks: Readonly<Record<Status, number>>;
}

export const WEIGHTS: Readonly<Record<Severity, number>> = {
  critical: 10,
  high: 5,
  medium: 2,
  low: 1,
  info: 0,
};
export const CAP_PERCENT = 69;

/** Of one check. With one object that passes and one that is skipped, it has passed as far as it was judged. */
export function worstOf(findings: readonly Finding[]): Status {
  const judged = findings.filter(({ status }) => status !== 'skip');
  const statuses = (judged.length > 0 ? judged : findings).map(({ status }) => status);
  return STATUSES.find((status) => statuses.includes(status)) ?? 'pass';
}

export function scoreOf(findings: readonly Finding[]): Score {
  const checks: Record<Status, number> = { fail: 0, error: 0, warn: 0, skip: 0, pass: 0 };
  let passed = 0;
  let judged = 0;
  let capped = false;
  for (const own of Map.groupBy(findings, ({ id }) => id).values()) {
    const status = worstOf(own);
    checks[status]++;
    const { severity } = own[0]!;
    if (status === 'skip' || status === 'error') continue;
    judged += WEIGHTS[severity];
    if (status === 'pass') passed += WEIGHTS[severity];
    if (status === 'fail' && severity === 'critical') capped = true;
  }
  if (judged === 0) return { capped, checks };
  const percent = Math.floor((100 * passed) / judged);
  return { percent: capped ? Math.min(percent, CAP_PERCENT) : percent, capped, checks };
}
