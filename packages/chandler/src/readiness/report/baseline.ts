/**
 * Findings that were known at some time. They are shown, and count for the score, and not for the exit code: what is new
 * does. A finding that got worse is new. Lines are not part of it, so that a baseline can be committed.
 */
import type { Report } from '../judge.ts';
import { type Finding, STATUSES, type Status } from '../model/finding.ts';
import { compareTexts } from '../model/place.ts';
import { fingerprintOf } from './location.ts';
import { isOpen } from './wording.ts';

/** The status of each known finding, by fingerprint. */
export type Baseline = ReadonlyMap<string, Status>;

const BASELINE_VERSION = '1.0';

export function writeBaseline(report: Report, cwd: string): string {
  const findings = report.findings
    .filter(isOpen)
    .map((finding) => ({
      fingerprint: fingerprintOf(finding, cwd),
      id: finding.id,
      object: finding.object ?? null,
      status: finding.status,
    }))
    .sort((a, b) =>
      compareTexts(`${a.id} ${a.object} ${a.fingerprint}`, `${b.id} ${b.object} ${b.fingerprint}`),
    );
  return `${JSON.stringify({ schemaVersion: BASELINE_VERSION, findings }, null, 2)}\n`;
}

/** Undefined for a text that is no baseline. */
export function readBaseline(text: string): Baseline | undefined {
  try {
    const { schemaVersion, findings } = JSON.parse(text);
    if (schemaVersion !== BASELINE_VERSION || !Array.isArray(findings)) return undefined;
    const known = findings.map(({ fingerprint, status }): readonly [string, Status] => {
      if (typeof fingerprint !== 'string' || !STATUSES.includes(status)) throw new TypeError('no finding');
      return [fingerprint, status];
    });
    return new Map(known);
  } catch {
    return undefined;
  }
}

export function compareWithBaseline(report: Report, baseline: Baseline, cwd: string): Report {
  const findings = report.findings.map((finding): Finding => {
    const before = isOpen(finding) ? baseline.get(fingerprintOf(finding, cwd)) : undefined;
    const isKnown = before !== undefined && STATUSES.indexOf(before) <= STATUSES.indexOf(finding.status);
    return isKnown ? { ...finding, known: true } : finding;
  });
  const current = new Set(findings.filter(isOpen).map((finding) => fingerprintOf(finding, cwd)));
  const known = findings.filter((finding) => finding.known === true).length;
  return {
    ...report,
    findings,
    baseline: {
      known,
      new: findings.filter(isOpen).length - known,
      gone: [...baseline.keys()].filter((fingerprint) => !current.has(fingerprint)).length,
    },
  };
}
