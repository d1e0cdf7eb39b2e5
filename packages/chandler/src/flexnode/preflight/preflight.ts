/** Runs all checks in parallel and reports them in the order of the table. Read-only. */
import { rethrowProgramError } from '@chandler/kube';
import { readJournal } from '../engine/journal.ts';
import type { StepId } from '../step.ts';
import { ARTIFACT_CHECKS } from './artifact-checks.ts';
import { AZURE_CHECKS } from './azure-checks.ts';
import {
  type Check,
  type Inspection,
  isAnyToInstall,
  isAnyToRun,
  type PreflightParts,
  warning,
} from './check.ts';
import { CONFIG_CHECKS } from './config-checks.ts';
import { FILE_CHECKS } from './file-checks.ts';
import { MACHINE_CHECKS } from './machine-checks.ts';
import { NETWORK_CHECKS } from './network-checks.ts';
import {
  type Finding,
  makeReport,
  type PreflightReport,
  type ReportOptions,
  type Severity,
} from './report.ts';
import { SERVICE_CHECKS } from './service-checks.ts';

export interface PreflightOptions extends ReportOptions {
  readonly signal: AbortSignal;
  readonly allowUnsupportedOs?: boolean;
  /** The steps that the bootstrap after it has to run. Default: all of them. */
  readonly toRun?: ReadonlySet<StepId>;
  /** Those of them that install a program. Default: all that can. */
  readonly toInstall?: ReadonlySet<StepId>;
}

export const CHECKS: readonly Check[] = [
  ...MACHINE_CHECKS,
  ...FILE_CHECKS,
  ...SERVICE_CHECKS,
  ...CONFIG_CHECKS,
  ...ARTIFACT_CHECKS,
  ...NETWORK_CHECKS,
  ...AZURE_CHECKS,
];

export async function runPreflight(
  parts: PreflightParts,
  options: PreflightOptions,
): Promise<PreflightReport> {
  return makeReport(await runChecks(CHECKS, await inspect(parts, options)), options);
}

/** Names of checks that `--ignore-preflight-errors` may name, beside `all`. */
export function checkNames(): readonly string[] {
  return CHECKS.map(({ name }) => name);
}

export async function inspect(
  parts: PreflightParts,
  options: Pick<PreflightOptions, 'signal' | 'allowUnsupportedOs' | 'toRun' | 'toInstall'>,
): Promise<Inspection> {
  const journal = await readJournal(parts.host);
  return {
    ...parts,
    facts: { get: (key) => journal.facts.get(key) },
    ours: journal.steps.size > 0,
    allowUnsupportedOs: options.allowUnsupportedOs === true,
    signal: options.signal,
    ...(options.toRun === undefined ? {} : { toRun: options.toRun }),
    ...(options.toInstall === undefined ? {} : { toInstall: options.toInstall }),
  };
}

export async function runChecks(
  checks: readonly Check[],
  inspection: Inspection,
): Promise<readonly (Finding & { readonly name: string })[]> {
  const results = await Promise.all(
    checks.map(async ({ name, look, neededBy, installedBy }) => {
      const findings = await look(inspection).catch((failure: unknown): readonly Finding[] => {
        if (inspection.signal.aborted) throw failure;
        rethrowProgramError(failure);
        const why = failure instanceof Error ? failure.message : String(failure);
        return [warning(`the check failed: ${why}`, 'Check it manually.')];
      });
      const isNeeded =
        (neededBy === undefined || isAnyToRun(inspection, neededBy)) &&
        (installedBy === undefined || isAnyToInstall(inspection, installedBy));
      return findings.map((finding) => ({ ...finding, name, severity: severityOf(finding, isNeeded) }));
    }),
  );
  return results.flat();
}

// ---------------------------------------------------------------------------------------------------

function severityOf({ severity }: Finding, isNeeded: boolean): Severity {
  return severity === 'error' && !isNeeded ? 'warning' : severity;
}
