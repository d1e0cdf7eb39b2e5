/** SARIF 2.1.0, for code scanning: what fails and warns, at its lines. The same finding has the same fingerprint in every run. */
import type { CheckRow } from '../checks/check.ts';
import type { Report } from '../judge.ts';
import type { Finding, Severity } from '../model/finding.ts';
import type { FilePlace } from '../model/place.ts';
import { fileUri, fingerprintOf, locationOf } from './location.ts';
import { findingText, isOpen, presentable, valueText } from './wording.ts';

export interface SarifOptions {
  readonly cwd: string;
  readonly version: string;
  readonly checks: readonly CheckRow[];
}

export function renderSarif(original: Report, options: SarifOptions): string {
  const report = presentable(original);
  const { cwd, checks } = options;
  const results = report.findings
    .filter((finding) => finding.suppressed !== undefined || (isOpen(finding) && finding.status !== 'error'))
    .map((finding) => result(finding, report, options));
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'chandler check',
            semanticVersion: options.version,
            rules: checks.map(rule),
          },
        },
        columnKind: 'utf16CodeUnits',
        invocations: [
          {
            executionSuccessful: !report.findings.some(({ status }) => status === 'error'),
            toolExecutionNotifications: notifications(report, cwd),
          },
        ],
        results,
        properties: { score: report.score.percent ?? null, checks: report.score.checks },
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

type Level = 'error' | 'warning' | 'note';

const LEVELS: Readonly<Record<Severity, Level>> = {
  critical: 'error',
  high: 'error',
  medium: 'warning',
  low: 'note',
  info: 'note',
};

/** As code scanning sorts alerts: above 9 critical, above 7 high, above 4 medium. */
const SECURITY_SEVERITIES: Readonly<Record<Severity, string>> = {
  critical: '9.5',
  high: '8.0',
  medium: '5.5',
  low: '2.0',
  info: '0.1',
};

function rule({ id, title, criterion, fix, docs, severity, phase }: CheckRow) {
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: criterion },
    helpUri: docs,
    help: {
      text: `${criterion}\nFix: ${fix}\nSee: ${docs}`,
      markdown: `${plain(criterion)}\n\n**Fix**: ${plain(fix)}\n\n[Documentation](${docs})`,
    },
    defaultConfiguration: { level: LEVELS[severity] },
    properties: {
      tags: ['kubernetes', 'karpenter', `phase-${phase}`, severity],
      'security-severity': SECURITY_SEVERITIES[severity],
    },
  };
}

function result(finding: Finding, report: Report, { cwd, checks }: SarifOptions) {
  const place = locationOf(finding, report);
  const ruleIndex = checks.findIndex(({ id }) => id === finding.id);
  const related = finding.evidence.flatMap((evidence) =>
    'file' in evidence.at && evidence.at !== place
      ? [{ physicalLocation: physicalLocation(evidence.at, cwd), message: { text: valueText(evidence) } }]
      : [],
  );
  return {
    ruleId: finding.id,
    ...(ruleIndex < 0 ? {} : { ruleIndex }),
    level: levelOf(finding),
    message: { text: `${findingText(finding)} ${finding.fix}` },
    locations:
      place === undefined
        ? []
        : [
            {
              physicalLocation: physicalLocation(place, cwd),
              ...(finding.object === undefined
                ? {}
                : { logicalLocations: [{ fullyQualifiedName: finding.object, kind: 'resource' }] }),
            },
          ],
    ...(related.length === 0 ? {} : { relatedLocations: related }),
    ...(report.baseline === undefined ? {} : { baselineState: finding.known === true ? 'unchanged' : 'new' }),
    ...(finding.suppressed === undefined ? {} : { suppressions: [suppression(finding.suppressed)] }),
    partialFingerprints: { primaryLocationLineHash: fingerprintOf(finding, cwd) },
    properties: { severity: finding.severity, phase: finding.phase, object: finding.object ?? null },
  };
}

function suppression({ kind, reason, until }: NonNullable<Finding['suppressed']>) {
  return {
    kind: kind === 'config' ? 'external' : 'inSource',
    status: 'accepted',
    justification: reason,
    properties: { until },
  };
}

function levelOf({ status, severity, suppressed }: Finding): Level {
  if (severity === 'info') return 'note';
  return (suppressed?.status ?? status) === 'fail' ? 'error' : 'warning';
}

function physicalLocation({ file, line }: FilePlace, cwd: string) {
  const { uri, isRelative } = fileUri(file, cwd);
  return {
    artifactLocation: { uri, ...(isRelative ? { uriBaseId: '%SRCROOT%' } : {}) },
    region: { startLine: line ?? 1 },
  };
}

function notifications({ problems, findings }: Report, cwd: string) {
  return [
    ...problems.map(({ at, message, level }) => ({
      level: level === 'error' ? 'warning' : 'note',
      message: { text: message },
      ...('file' in at ? { locations: [{ physicalLocation: physicalLocation(at, cwd) }] } : {}),
    })),
    ...findings
      .filter(({ status }) => status === 'error')
      .map((finding) => ({
        level: 'error',
        message: { text: findingText(finding) },
        associatedRule: { id: finding.id },
      })),
  ];
}

/** Text that Markdown would read as markup. */
function plain(text: string): string {
  return text.replace(/[\\`*_[\]<>|]/g, '\\$&');
}
