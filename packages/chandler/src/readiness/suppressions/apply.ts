/** Applies suppressions to a report: what is accepted is skipped, and counts for nothing. One that has expired says so. */
import { type Report, withFindings } from '../judge.ts';
import type { Evidence, Finding } from '../model/finding.ts';
import type { Suppression } from './suppression.ts';

/** @param nowMs the time of the run. */
export function applySuppressions(
  report: Report,
  suppressions: readonly Suppression[],
  nowMs: number,
): Report {
  const today = new Date(nowMs).toISOString().slice(0, 10);
  return withFindings(
    report,
    report.findings.map((finding) => suppressed(finding, suppressions, today)),
  );
}

// ---------------------------------------------------------------------------------------------------------------

function suppressed(finding: Finding, suppressions: readonly Suppression[], today: string): Finding {
  const { status } = finding;
  if (status !== 'fail' && status !== 'warn') return finding;
  const own = suppressions.filter((suppression) => covers(suppression, finding));
  const valid = own.find(({ until }) => until >= today);
  if (valid !== undefined) {
    const { reason, until, at, kind } = valid;
    return { ...finding, status: 'skip', suppressed: { status, reason, until, at, kind } };
  }
  const [expired] = own;
  return expired === undefined
    ? finding
    : { ...finding, message: `${finding.message} Its suppression expired on ${expired.until}.` };
}

function covers(
  { ids, object, namespace, file, line }: Suppression,
  { id, object: about, evidence }: Finding,
): boolean {
  if (!ids.includes(id) || (object !== undefined && object !== about)) return false;
  if (namespace !== undefined && isElsewhere(namespace, evidence)) return false;
  if (file === undefined) return true;
  return evidence.some(
    ({ at }) =>
      'file' in at &&
      (at.file === file || at.file.endsWith(`/${file}`)) &&
      (line === undefined || at.line === line),
  );
}

/** Whether the evidence is of live objects in other namespaces only. Of files, and of objects without namespace, it is not known. */
function isElsewhere(namespace: string, evidence: readonly Evidence[]): boolean {
  const calls = evidence.flatMap(({ at }) => ('call' in at ? [at.call] : []));
  const namespaces = calls.flatMap((call) => /\/namespaces\/([^/]+)\/[^/]+\//.exec(call)?.[1] ?? []);
  return namespaces.length > 0 && !namespaces.includes(namespace);
}
