/** The exit code of a check: what CI acts on. */
import type { Report } from '../judge.ts';
import { SEVERITIES, type Severity } from '../model/finding.ts';

export const EXIT_CLEAN = 0;
export const EXIT_FINDINGS = 1;
/** 2 is a usage error, as for every command. */
export const EXIT_MISSING_INPUTS = 3;
export const EXIT_INTERNAL = 4;

export interface ExitPolicy {
  /** Findings of this severity and worse count. */
  readonly failOn: Severity;
  readonly warnAsError: boolean;
  /** Files that cannot be read, and checks without their inputs, count. */
  readonly requireInputs: boolean;
  readonly exitZero: boolean;
  /** A live source that was asked for gave nothing. Counts whatever the others are. */
  readonly isSourceUnread: boolean;
  /** The smoke test that was asked for was not run because of findings. Counts where they do not. */
  readonly isSmokeBlocked: boolean;
}

export function exitCodeOf({ findings, problems }: Report, policy: ExitPolicy): number {
  if (findings.some(({ status }) => status === 'error')) return EXIT_INTERNAL;
  if (policy.isSourceUnread) return EXIT_MISSING_INPUTS;
  const broken = problems.some(({ level }) => level === 'error');
  if (
    policy.requireInputs &&
    (broken || findings.length === 0 || findings.every(({ status }) => status === 'skip'))
  )
    return EXIT_MISSING_INPUTS;
  const limit = SEVERITIES.indexOf(policy.failOn);
  const counts = findings.some(
    ({ status, severity, known }) =>
      known !== true &&
      SEVERITIES.indexOf(severity) <= limit &&
      (status === 'fail' || (status === 'warn' && policy.warnAsError)),
  );
  if (counts && !policy.exitZero) return EXIT_FINDINGS;
  return policy.isSmokeBlocked ? EXIT_MISSING_INPUTS : EXIT_CLEAN;
}
