/**
 * The phases of an installation gate each other: what comes after a phase that fails critically is shown, and is not what to do
 * next. The next action is the worst finding of the first phase that is not done.
 */
import { type Finding, PHASES, type PhaseNumber, SEVERITIES } from './model/finding.ts';

export interface Phase {
  readonly number: PhaseNumber;
  readonly title: string;
  /** `blocked`: a phase before it fails critically. `open`: something in it fails or warns. `empty`: nothing was judged. */
  readonly state: 'done' | 'open' | 'blocked' | 'empty';
  /** The phase that blocks it. */
  readonly blockedBy?: PhaseNumber;
}

export interface NextAction {
  readonly phase: PhaseNumber;
  readonly finding: Finding;
}

export function phasesOf(findings: readonly Finding[]): readonly Phase[] {
  const blocking = PHASES.find(({ number }) =>
    findings.some(
      ({ phase, status, severity }) => phase === number && status === 'fail' && severity === 'critical',
    ),
  )?.number;
  return PHASES.map(({ number, title }) => {
    const own = findings.filter(({ phase }) => phase === number);
    if (blocking !== undefined && number > blocking)
      return { number, title, state: 'blocked', blockedBy: blocking };
    if (own.every(({ status }) => status === 'skip')) return { number, title, state: 'empty' };
    return { number, title, state: own.some(isOpen) ? 'open' : 'done' };
  });
}

export function nextActionOf(findings: readonly Finding[], phases: readonly Phase[]): NextAction | undefined {
  for (const failed of ['fail', 'warn'] as const)
    for (const { number, state } of phases) {
      if (state === 'blocked') continue;
      const [finding] = findings
        .filter(({ phase, status, severity }) => phase === number && status === failed && severity !== 'info')
        .sort((a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity));
      if (finding !== undefined) return { phase: number, finding };
    }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------------------

function isOpen({ status }: Finding): boolean {
  return status === 'fail' || status === 'warn' || status === 'error';
}
