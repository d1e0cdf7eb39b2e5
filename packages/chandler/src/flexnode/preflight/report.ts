/**
 * The findings of the checks, and the report as text and as JSON. Both formats are compatible with AKS Flex Node; the
 * remedies are an addition.
 */
import { redact, redactedJson } from '../engine/redact.ts';

export type Severity = 'ok' | 'warning' | 'error';

/** No addresses, tokens or names of images in a message: reports are pasted into tickets. */
export interface Finding {
  readonly severity: Severity;
  readonly message: string;
  /** A path, a port, a host name. */
  readonly target?: string;
  /** What to do; with every warning and error. */
  readonly remedy?: string;
}

export interface CheckResult extends Finding {
  readonly name: string;
  /** An error that `--ignore-preflight-errors` reports as a warning. */
  readonly ignored: boolean;
}

export interface PreflightReport {
  readonly status: 'ok' | 'failed';
  readonly checks: readonly CheckResult[];
  readonly summary: { readonly ok: number; readonly warnings: number; readonly errors: number };
}

export interface ReportOptions {
  /** Names of checks, or `all`. */
  readonly ignore?: readonly string[];
  readonly failOnWarnings?: boolean;
}

export function makeReport(
  results: readonly (Finding & { readonly name: string })[],
  options: ReportOptions = {},
): PreflightReport {
  const ignored = new Set(options.ignore ?? []);
  const checks = results.map((result) => {
    const isIgnored = result.severity === 'error' && (ignored.has('all') || ignored.has(result.name));
    return { ...result, severity: isIgnored ? ('warning' as const) : result.severity, ignored: isIgnored };
  });
  const count = (severity: Severity) => checks.filter((check) => check.severity === severity).length;
  const summary = { ok: count('ok'), warnings: count('warning'), errors: count('error') };
  const failed = summary.errors > 0 || (options.failOnWarnings === true && summary.warnings > 0);
  return { status: failed ? 'failed' : 'ok', checks, summary };
}

export function reportJson(report: PreflightReport): string {
  const checks = report.checks.map(({ name, target, severity, message, ignored, remedy }) => ({
    name,
    ...(target === undefined ? {} : { target }),
    severity,
    message,
    ignored,
    ...(remedy === undefined ? {} : { remediation: remedy }),
  }));
  return `${redactedJson({ status: report.status, checks, summary: report.summary }, 2)}\n`;
}

export function reportText(report: PreflightReport): string {
  const lines = ['[preflight] Running AKS Flex Node preflight checks'];
  for (const check of report.checks) {
    if (check.severity === 'error') continue;
    lines.push(`\t[${SEVERITY_LABELS[check.severity]} ${check.name}]: ${described(check)}`);
    if (check.severity === 'warning' && check.remedy !== undefined) lines.push(`\t\t${check.remedy}`);
  }
  const errors = report.checks.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    lines.push('[preflight] Some fatal errors occurred:');
    for (const check of errors) {
      lines.push(`\t[ERROR ${check.name}]: ${described(check)}`);
      if (check.remedy !== undefined) lines.push(`\t\t${check.remedy}`);
    }
    lines.push('[preflight] To treat a failed check as a warning, use `--ignore-preflight-errors=<name>,…`');
  }
  const { ok, warnings, errors: fatal } = report.summary;
  lines.push(`[preflight] ${ok} ok, ${warnings} warnings, ${fatal} errors`);
  return `${redact(lines.join('\n'))}\n`;
}

// ---------------------------------------------------------------------------------------------------

const SEVERITY_LABELS: Readonly<Record<Severity, string>> = { ok: 'OK', warning: 'WARNING', error: 'ERROR' };

function described({ message, target, ignored }: CheckResult): string {
  return `${message}${target === undefined ? '' : ` (target: ${target})`}${ignored ? ' (ignored)' : ''}`;
}
