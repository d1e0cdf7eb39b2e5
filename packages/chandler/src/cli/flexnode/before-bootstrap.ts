/** Runs preflight as the first part of bootstrap. It is skipped on a machine where every step is completed, but not on a copy of its disk. */
import {
  checkNames,
  FlexError,
  isCopy,
  type PreflightReport,
  readJournal,
  redactedJson,
  reportText,
  runPreflight,
  STEP_IDS,
} from '../../flexnode/index.ts';
import { closestName } from '../../settings/index.ts';

import { type Terminal, UsageError } from '../verb.ts';
import type { Agent } from './open-agent.ts';

export interface BeforeOptions {
  readonly ignore: readonly string[];
  readonly allowUnsupportedOs: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  readonly json: boolean;
}

export async function beforeBootstrap({ parts, fetch }: Agent, options: BeforeOptions): Promise<void> {
  knownChecks(options.ignore);
  const journal = await readJournal(parts.host);
  const allDone = STEP_IDS.every((step) => journal.steps.get(step)?.state === 'completed');
  if (allDone && !(await isCopy({ facts: journal.facts, host: parts.host }))) return;
  const report = await runPreflight({ ...parts, fetch }, options);
  if (options.json) options.terminal.out(`${redactedJson({ type: 'preflight', ...report })}\n`);
  else if (report.summary.errors + report.summary.warnings > 0) options.terminal.err(reportText(report));
  if (report.status === 'failed') throw failed(report);
}

export function knownChecks(names: readonly string[]): void {
  const known = [...checkNames(), 'all'];
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const guess = closestName(unknown, known);
  const hint = guess === undefined ? `valid checks: ${known.join(', ')}` : `did you mean ${guess}?`;
  throw new UsageError([
    { where: '--ignore-preflight-errors', message: `unknown check "${unknown}"; ${hint}` },
  ]);
}

// ---------------------------------------------------------------------------------------------------

function failed(report: PreflightReport): FlexError {
  const names = report.checks.filter((check) => check.severity === 'error').map((check) => check.name);
  return new FlexError({
    class: 'preflight',
    code: 'preflight.failed',
    message: `preflight checks failed: ${[...new Set(names)].join(', ')}; nothing was changed`,
    remedy: 'Follow the instruction of each failed check above.',
  });
}
