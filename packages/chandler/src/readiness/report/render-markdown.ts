/**
 * A report for a comment on a pull request or a page of a wiki: what is aligned, how to deploy, what to fix first, a
 * checklist, and a summary.
 */
import type { Estate } from '../checks/estate.ts';
import type { Report } from '../judge.ts';
import { type Finding, type PhaseNumber, SEVERITIES, type Status } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import { CAP_PERCENT } from '../score.ts';
import { DEPLOYMENT_STEPS, type DeploymentStep, type Installation } from './deployment-steps.table.ts';
import {
  acceptedTexts,
  type CheckFindings,
  checksOfPhase,
  countsText,
  findingText,
  inputsText,
  isOpen,
  nextText,
  percentText,
  presentable,
  skipText,
  stateText,
} from './wording.ts';

export function renderMarkdown(original: Report): string {
  const report = presentable(original);
  return `${[
    ['# Karpenter readiness check', '', ...summary(report)],
    ['## Configuration alignment', ...report.phases.flatMap((phase) => alignment(report, phase.number))],
    ['## Deployment flow', ...report.phases.flatMap((phase) => deployment(report, phase.number))],
    issues(report),
    ['## Checklist', ...report.phases.flatMap((phase) => checklist(report, phase.number))],
    outcome(report),
    skipped(report),
    unread(report),
    ['## Summary', '', ...closing(report)],
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join('\n'))
    .join('\n\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

const MARKS: Readonly<Record<Status, string>> = {
  pass: '✅',
  warn: '⚠️',
  fail: '❌',
  error: '❌',
  skip: '⏭️',
};

function summary(report: Report): string[] {
  const cap = report.score.capped ? ` (at most ${CAP_PERCENT} % while a critical check fails)` : '';
  const next = nextText(report);
  return [
    `**Readiness: ${percentText(report)}**${cap}. Checks: ${countsText(report)}. Inputs: ${inputsText(report)}.`,
    ...acceptedTexts(report).flatMap((text) => ['', text]),
    ...(next === undefined ? [] : ['', `**Next**: ${plain(next)}`]),
  ];
}

function alignment(report: Report, phase: PhaseNumber): string[] {
  const judged = checksOfPhase(report, phase).filter(({ status }) => status !== 'skip');
  if (judged.length === 0) return [];
  return ['', `### ${phase}. ${titleOf(report, phase)}`, '', ...judged.flatMap(alignedLines)];
}

function alignedLines({ status, findings }: CheckFindings): string[] {
  const { id, title, severity, evidence } = findings[0]!;
  const head = `- ${MARKS[status]} ${status === 'pass' ? '' : `**${status.toUpperCase()}** `}${plain(title)} (${id}${status === 'pass' ? '' : `, ${severity}`})`;
  if (status === 'pass') {
    const value = evidence.find((each) => each.value !== undefined)?.value;
    return [value === undefined || value.length > 100 ? head : `${head}: ${code(value)}`];
  }
  return [head, ...findings.filter(isOpen).map((finding) => `  - ${plain(findingText(finding))}`)];
}

function deployment(report: Report, phase: PhaseNumber): string[] {
  const { state, number, title, blockedBy } = report.phases.find(({ number: own }) => own === phase)!;
  return [
    '',
    `### Phase ${number}: ${title} (${stateText({ state, number, title, ...(blockedBy === undefined ? {} : { blockedBy }) })})`,
    '',
    '```bash',
    ...stepsOf(report, phase).flatMap(({ purpose, commands }, index) => [
      ...(index === 0 ? [] : ['']),
      `# ${purpose}`,
      ...commands(installationOf(report)),
    ]),
    '```',
  ];
}

/** Where it is not known what the installation is on, the steps are those of EKS. */
function stepsOf({ estate: { clusters } }: Report, phase: PhaseNumber): readonly DeploymentStep[] {
  const wanted: readonly Estate[] = clusters.length === 0 ? ['EKS'] : clusters;
  return DEPLOYMENT_STEPS[phase].filter(({ on }) => on === undefined || wanted.includes(on));
}

function issues(report: Report): string[] {
  const open = [
    ...Map.groupBy(
      report.findings.filter((finding) => isOpen(finding) && finding.severity !== 'info'),
      ({ id }) => id,
    ).values(),
  ].sort(
    ([a], [b]) =>
      Number(b!.status === 'fail') - Number(a!.status === 'fail') ||
      SEVERITIES.indexOf(a!.severity) - SEVERITIES.indexOf(b!.severity),
  );
  if (open.length === 0) return [];
  return ['## Issues to fix before deployment', ...open.flatMap(issue)];
}

function issue(findings: readonly Finding[], index: number): string[] {
  const { id, title, severity, docs } = findings[0]!;
  const fixes = [...new Set(findings.map(({ fix }) => fix))];
  return [
    '',
    `### ${index + 1}. ${plain(title)} (${severity}, [${id}](${docs}))`,
    '',
    ...findings.map((finding) => `- **Problem**: ${plain(findingText(finding))}${seenText(finding)}`),
    ...fixes.map((fix) => `- **Fix**: ${plain(fix)}`),
  ];
}

function seenText({ evidence }: Finding): string {
  return evidence
    .map(
      ({ what, value, note, at }) =>
        `\n  - ${code(what)}${value === undefined ? (note === undefined ? '' : ` is ${plain(note)}`) : ` is ${code(value)}`} in ${code(placeText(at))}`,
    )
    .join('');
}

function checklist(report: Report, phase: PhaseNumber): string[] {
  const checks = checksOfPhase(report, phase).filter(({ findings }) => findings[0]!.severity !== 'info');
  if (checks.length === 0) return [];
  return [
    '',
    `### ${titleOf(report, phase)}`,
    '',
    ...checks.map(({ status, findings }) => {
      const { id, title, fix } = findings.find(isOpen) ?? findings[0]!;
      const todo = status === 'pass' ? '' : status === 'skip' ? ': not judged yet' : `: ${plain(fix)}`;
      return `- [${status === 'pass' ? 'x' : ' '}] ${plain(title)} (${id})${todo}`;
    }),
  ];
}

function outcome(report: Report): string[] {
  const objects = new Set(report.findings.flatMap(({ object }) => object ?? []));
  const named = (kind: string) =>
    [...objects]
      .filter((object) => object.startsWith(`${kind}/`))
      .map((object) => object.slice(kind.length + 1));
  const rows = [
    { kind: 'NodePool', plural: 'NodePools' },
    { kind: 'EC2NodeClass', plural: 'EC2NodeClasses' },
  ].flatMap(({ kind, plural }) => {
    const names = named(kind).sort();
    return names.length === 0 ? [] : [`- ${names.length} ${plural}: ${names.map(code).join(', ')}`];
  });
  if (rows.length === 0) return [];
  return [
    '## Expected outcome',
    '',
    'When all phases are done:',
    '',
    `- The controller is available in the namespace ${code(installationOf(report).namespace)}`,
    ...rows,
    '- An unschedulable pod gets a node; `chandler why pod NAME` explains it if it does not',
  ];
}

function skipped(report: Report): string[] {
  const checks = report.phases
    .flatMap(({ number }) => checksOfPhase(report, number))
    .filter(({ status }) => status === 'skip');
  if (checks.length === 0) return [];
  return [
    '<details>',
    `<summary>${checks.length} checks were skipped</summary>`,
    '',
    ...checks.map(
      ({ findings: [first] }) => `- ${first!.id} ${plain(first!.title)}: ${plain(skipText(first!))}`,
    ),
    '',
    '</details>',
  ];
}

function unread({ problems }: Report): string[] {
  if (problems.length === 0) return [];
  return [
    '## Not read',
    '',
    ...problems.map(({ at, message }) => `- ${code(placeText(at))}: ${plain(message)}`),
  ];
}

function closing(report: Report): string[] {
  const required = actionsOf(report, 'fail');
  const optional = actionsOf(report, 'warn').filter(({ id }) => !required.some((each) => each.id === id));
  if (report.score.percent === undefined) return ['Nothing was judged.'];
  const ready = `The configuration is **${percentText(report)} ready**.`;
  return [
    ...(required.length === 0
      ? [`${ready} No check fails.`]
      : [`${ready} Required before deployment:`, '', ...required.map(actionText)]),
    ...(optional.length === 0 ? [] : ['', 'Optional:', '', ...optional.map(actionText)]),
  ];
}

/** One for each check, the most severe first. */
function actionsOf({ findings }: Report, wanted: Status): readonly Finding[] {
  const own = findings.filter(({ status, severity }) => status === wanted && severity !== 'info');
  return [...new Map(own.map((finding) => [finding.id, finding])).values()].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
}

function actionText({ id, severity, fix }: Finding, index: number): string {
  return `${index + 1}. ${plain(fix)} (${id}, ${severity})`;
}

function titleOf({ phases }: Report, phase: PhaseNumber): string {
  return phases.find(({ number }) => number === phase)!.title;
}

/** Values that are not known stay variables of the shell; others are only used where a shell reads them as one word. */
function installationOf({ installation }: Report): Installation {
  const word = (value: string | undefined, otherwise: string) =>
    value !== undefined && /^[\w.-]+$/.test(value) ? value : otherwise;
  return {
    clusterName: word(installation.clusterName, '$CLUSTER_NAME'),
    region: word(installation.region, '$AWS_REGION'),
    namespace: word(installation.namespace, 'karpenter'),
  };
}

/** Text that must not become markup, or a mention of somebody. */
function plain(text: string): string {
  return text
    .replace(/\s*\n\s*/g, ' ')
    .replace(/[\\`*_[\]<>|#~]/g, '\\$&')
    .replaceAll('@', '&#64;');
}

function code(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  return longest === 0 ? `${fence}${line}${fence}` : `${fence} ${line} ${fence}`;
}
