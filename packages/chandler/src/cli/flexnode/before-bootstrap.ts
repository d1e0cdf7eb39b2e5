/**
 * Runs preflight as the first part of bootstrap, for the selected steps. It is skipped on a machine where each of them is
 * completed with this config, but not on a copy of its disk. The checks in Azure are skipped if no step uses the credential
 * of the operator, and errors that concern only steps or programs that are not to run or be installed are warnings.
 */
import {
  checkNames,
  FlexError,
  isCopy,
  type PreflightReport,
  progressOf,
  readJournal,
  redactedJson,
  reportText,
  runPreflight,
  type Selection,
} from '../../flexnode/index.ts';
import { closestName } from '../../settings/index.ts';

import { type Terminal, UsageError } from '../verb.ts';
import type { Agent } from './open-agent.ts';

export interface BeforeOptions extends Selection {
  readonly ignore: readonly string[];
  readonly allowUnsupportedOs: boolean;
  readonly signal: AbortSignal;
  readonly terminal: Terminal;
  readonly json: boolean;
}

export async function beforeBootstrap({ parts, fetch }: Agent, options: BeforeOptions): Promise<void> {
  knownChecks(options.ignore);
  const journal = await readJournal(parts.host);
  const { isAllDone, needsOperator, toRun, toInstall } = await progressOf(parts, options, options.signal);
  if (isAllDone && !(await isCopy({ facts: journal.facts, host: parts.host }))) return;
  const { azure, ...rest } = parts;
  const report = await runPreflight(
    { ...rest, fetch, ...(needsOperator ? { azure } : {}) },
    { ...options, toRun, toInstall },
  );
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
