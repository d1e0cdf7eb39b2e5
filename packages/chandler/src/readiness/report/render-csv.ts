/**
 * One row for each finding, for spreadsheets. A cell that a spreadsheet would take for a formula begins with an apostrophe:
 * values come from files that others wrote.
 */
import type { Report } from '../judge.ts';
import type { Finding } from '../model/finding.ts';
import { locationOf } from './location.ts';
import { evidenceText, presentable, skipText } from './wording.ts';

export function renderCsv(original: Report): string {
  const report = presentable(original);
  const rows = [
    COLUMNS.map(({ name }) => name),
    ...report.findings.map((finding) => COLUMNS.map(({ of }) => of(finding, report))),
  ];
  return rows.map((row) => `${row.map(cell).join(',')}\r\n`).join('');
}

// ---------------------------------------------------------------------------------------------------------------

const COLUMNS: readonly { readonly name: string; of(finding: Finding, report: Report): string }[] = [
  { name: 'id', of: ({ id }) => id },
  { name: 'status', of: ({ status }) => status },
  { name: 'severity', of: ({ severity }) => severity },
  { name: 'phase', of: ({ phase }) => String(phase) },
  { name: 'title', of: ({ title }) => title },
  { name: 'object', of: ({ object }) => object ?? '' },
  {
    name: 'message',
    of: (finding) => (finding.status === 'skip' ? skipText(finding) : finding.message),
  },
  { name: 'fix', of: ({ fix }) => fix },
  { name: 'file', of: (finding, report) => locationIn(finding, report)?.file ?? '' },
  { name: 'line', of: (finding, report) => String(locationIn(finding, report)?.line ?? '') },
  { name: 'evidence', of: ({ evidence }) => evidence.map(evidenceText).join('; ') },
  { name: 'docs', of: ({ docs }) => docs },
];

/** Of what was judged: what was not has no place. */
function locationIn(finding: Finding, report: Report) {
  return finding.evidence.length === 0 ? undefined : locationOf(finding, report);
}

const FORMULA = /^\s*[=+\-@|%]|^[\t\r\n]/;

function cell(text: string): string {
  const safe = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe;
}
