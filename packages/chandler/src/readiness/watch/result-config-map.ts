/**
 * The result of a check as a ConfigMap: what fails or warns, worst first, as much as fits. The rest is counted. The data is the
 * same for the same findings, so that a result that has not changed is not written again.
 */
import { redacted } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import { SEVERITIES, STATUSES } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import { SCHEMA_VERSION } from '../report/render-json.ts';
import { countsText, isOpen, nextText, percentText } from '../report/wording.ts';

export const RESULT_CONFIG_MAP = 'chandler-check';
/** Of the reads that were not possible: one row each of what is read. */
const MAX_UNREAD = 50;
/** Of the findings. A ConfigMap has at most 1 MiB. */
export const MAX_RESULT_BYTES = 128 * 1024;

export interface ResultData {
  /** One line for people: `kubectl get configmap chandler-check -o jsonpath={.data.summary}`. */
  readonly summary: string;
  /** JSON. */
  readonly result: string;
}

export function resultData(report: Report): ResultData {
  const open = report.findings
    .filter(isOpen)
    .toSorted(
      (a, b) =>
        STATUSES.indexOf(a.status) - STATUSES.indexOf(b.status) ||
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
    )
    .map(({ id, status, severity, phase, object, message, fix, evidence }) =>
      redacted({
        id,
        status,
        severity,
        phase,
        object: object ?? null,
        message,
        fix,
        at: evidence.map(({ at }) => placeText(at)),
      }),
    );
  const kept: object[] = [];
  let bytes = 0;
  for (const finding of open) {
    bytes += Buffer.byteLength(JSON.stringify(finding)) + 1;
    if (bytes > MAX_RESULT_BYTES) break;
    kept.push(finding);
  }
  const next = nextText(report);
  return {
    summary: `Readiness: ${percentText(report)}. Checks: ${countsText(report)}.${next === undefined ? '' : ` Next: ${next}`}`,
    result: JSON.stringify({
      schemaVersion: SCHEMA_VERSION,
      score: report.score.percent ?? null,
      scoreCapped: report.score.capped,
      checks: report.score.checks,
      findings: kept,
      omitted: open.length - kept.length,
      unread: report.problems
        .slice(0, MAX_UNREAD)
        .map(({ at, message }) => redacted({ at: placeText(at), message })),
    }),
  };
}
