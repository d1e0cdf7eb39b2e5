/** A report as results of tests: a suite for each phase, a case for each check and object. Warnings pass, with a text. */
import type { Report } from '../judge.ts';
import type { Finding } from '../model/finding.ts';
import type { Phase } from '../phases.ts';
import { evidenceText, findingText, presentable, skipText } from './wording.ts';

export function renderJunit(original: Report): string {
  const report = presentable(original);
  const suites = report.phases.map((phase) => ({
    phase,
    findings: report.findings.filter((finding) => finding.phase === phase.number),
  }));
  const all = report.findings;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>\n',
    `<testsuites name="chandler check" tests="${all.length}" failures="${count(all, 'fail')}" errors="${count(all, 'error')}">\n`,
    ...suites.filter(({ findings }) => findings.length > 0).map(suite),
    '</testsuites>\n',
  ].join('');
}

// ---------------------------------------------------------------------------------------------------------------

function suite({
  phase,
  findings,
}: {
  readonly phase: Phase;
  readonly findings: readonly Finding[];
}): string {
  const counts = `tests="${findings.length}" failures="${count(findings, 'fail')}" errors="${count(findings, 'error')}" skipped="${count(findings, 'skip')}"`;
  return [
    `  <testsuite name="${xml(`Phase ${phase.number}: ${phase.title}`)}" ${counts} time="0">\n`,
    ...findings.map(testcase),
    '  </testsuite>\n',
  ].join('');
}

function testcase(finding: Finding): string {
  const { id, title, object, phase } = finding;
  const name = `${id} ${title}${object === undefined ? '' : ` (${object})`}`;
  const head = `    <testcase name="${xml(name)}" classname="${xml(`check.phase${phase}.${id}`)}" time="0"`;
  const body = outcome(finding);
  return body === undefined ? `${head}/>\n` : `${head}>\n      ${body}\n    </testcase>\n`;
}

function outcome(finding: Finding): string | undefined {
  const { status, severity, message } = finding;
  switch (status) {
    case 'pass':
      return undefined;
    case 'skip':
      return `<skipped message="${xml(skipText(finding))}"/>`;
    case 'warn':
      return `<system-out>${xml(`warning: ${details(finding)}`)}</system-out>`;
    case 'fail':
      return `<failure type="${severity}" message="${xml(message)}">${xml(details(finding))}</failure>`;
    case 'error':
      return `<error type="error" message="${xml(message)}"/>`;
  }
}

function details(finding: Finding): string {
  return [findingText(finding), ...finding.evidence.map(evidenceText), `fix: ${finding.fix}`].join('\n');
}

function count(findings: readonly Finding[], status: Finding['status']): number {
  return findings.filter((finding) => finding.status === status).length;
}

/** Control characters are escaped already; XML has no way to write these. */
const NOT_XML = /[\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function xml(text: string): string {
  return text
    .replace(NOT_XML, '\ufffd')
    .replace(/[&<>"'\n\t]/g, (character) => `&#${character.charCodeAt(0)};`);
}
