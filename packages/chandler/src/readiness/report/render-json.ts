/** A report for programs. The schema has a version: fields are added, and none is removed or changed without a new one. */
import { redacted } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import type { Evidence, Finding } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import type { SmokeResult, SmokeWhy } from '../smoke/smoke-result.ts';

export const SCHEMA_VERSION = '1.0';

export function renderJson(report: Report): string {
  return `${JSON.stringify(reportJson(report), null, 2)}\n`;
}

export function reportJson(report: Report) {
  const { score, phases, nextAction, findings, problems, inputs, estate, baseline, smoke } = report;
  return {
    schemaVersion: SCHEMA_VERSION,
    score: score.percent ?? null,
    scoreCapped: score.capped,
    checks: score.checks,
    phases,
    nextAction:
      nextAction === undefined
        ? null
        : {
            phase: nextAction.phase,
            id: nextAction.finding.id,
            object: nextAction.finding.object ?? null,
            ...redacted({ message: nextAction.finding.message, fix: nextAction.finding.fix }),
          },
    findings: findings.map(findingJson),
    ...(baseline === undefined ? {} : { baseline }),
    ...(smoke === undefined ? {} : { smoke: redacted(smokeJson(smoke)) }),
    estate,
    inputs,
    problems: problems.map(({ at, message, level }) => ({
      at: placeText(at),
      level,
      ...redacted({ message }),
    })),
  };
}

// ---------------------------------------------------------------------------------------------------------------

function smokeJson({ why, removal, ...smoke }: SmokeResult) {
  const { why: staying, ...removed } = removal;
  return { ...smoke, ...whyJson(why), removal: { ...removed, ...whyJson(staying) } };
}

/** The explanation has the same as the text. */
function whyJson(why: SmokeWhy | undefined) {
  return why === undefined ? {} : { why: why.explanation };
}

function findingJson({
  id,
  status,
  severity,
  phase,
  title,
  object,
  message,
  evidence,
  fix,
  docs,
  needs,
  suppressed,
  known,
}: Finding) {
  return {
    id,
    status,
    severity,
    phase,
    title,
    ...redacted({ object: object ?? null, message }),
    evidence: evidence.map(evidenceJson),
    ...redacted({ fix }),
    docs,
    ...(status === 'skip' ? { needs } : {}),
    ...(suppressed === undefined
      ? {}
      : { suppressed: { ...suppressed, reason: redacted(suppressed.reason), at: placeText(suppressed.at) } }),
    ...(known === true ? { known } : {}),
  };
}

function evidenceJson({ source, what, value, note, at }: Evidence) {
  return {
    source,
    what: redacted(what),
    value: value === undefined ? null : redacted(value),
    ...(note === undefined ? {} : { note: redacted(note) }),
    at: placeText(at),
  };
}
