/** A report as one page that needs nothing else. It runs no script and loads nothing, and its own policy says so. */
import { type Html, html } from '../../causes/index.ts';
import type { Report } from '../judge.ts';
import { type Finding, STATUSES, type Status } from '../model/finding.ts';
import { placeText } from '../model/place.ts';
import type { Phase } from '../phases.ts';
import { CAP_PERCENT } from '../score.ts';
import { STYLE } from './html-style.ts';
import {
  acceptedTexts,
  type CheckFindings,
  checksOfPhase,
  findingText,
  inputsText,
  isOpen,
  NOTHING_TO_DO,
  nextText,
  percentText,
  presentable,
  skipText,
  stateText,
} from './wording.ts';

export function renderHtml(original: Report): string {
  const report = presentable(original);
  const { clusterName } = report.installation;
  const about = clusterName === undefined ? '' : ` of ${clusterName}`;
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Readiness${about}: ${percentText(report)}</title>
<style>${{ html: STYLE }}</style>
</head>
<body>
<main>
${head(report, about)}
${counts(report)}
<ol class="phases">${report.phases.map(phaseCard)}</ol>
${report.phases.map((phase) => phaseSection(report, phase))}
${unread(report)}
</main>
</body>
</html>
`.html;
}

// ---------------------------------------------------------------------------------------------------------------

function head(report: Report, about: string): Html {
  const { percent, capped } = report.score;
  const next = nextText(report);
  const tone = capped ? 'fail' : percent === 100 ? 'pass' : percent === undefined ? 'skip' : 'warn';
  return html`<div class="head ${tone}">
<div class="ring" style="--p: ${percent ?? 0}"><b>${percent === undefined ? '–' : `${percent} %`}</b></div>
<div>
<h1>Readiness${about}</h1>
<p class="soft">${inputsText(report)}${capped ? `. At most ${CAP_PERCENT} % while a critical check fails` : ''}</p>
${acceptedTexts(report).map((text) => html`<p class="soft">${text}</p>`)}
<p class="next"><strong>Next:</strong> ${next ?? (percent === undefined ? percentText(report) : NOTHING_TO_DO)}</p>
</div>
</div>`;
}

const NAMES: Readonly<Record<Status, string>> = {
  fail: 'Failed',
  error: 'Not evaluated',
  warn: 'Warnings',
  skip: 'Skipped',
  pass: 'Passed',
};

function counts({ score }: Report): Html {
  return html`<dl class="counts">${STATUSES.map(
    (status) => html`<div><dt>${NAMES[status]}</dt><dd>${score.checks[status]}</dd></div>`,
  )}</dl>`;
}

const TONES: Readonly<Record<Phase['state'], Status>> = {
  done: 'pass',
  open: 'warn',
  blocked: 'skip',
  empty: 'skip',
};

function phaseCard(phase: Phase): Html {
  return html`<li class="${TONES[phase.state]}">${phase.number}. ${phase.title}<small>${stateText(phase)}</small></li>`;
}

function phaseSection(report: Report, phase: Phase): Html | undefined {
  const checks = checksOfPhase(report, phase.number);
  if (checks.length === 0) return undefined;
  return html`<section>
<h2>${phase.number}. ${phase.title} <small>${stateText(phase)}</small></h2>
${checks.filter(({ status }) => !FOLDED.includes(status)).map(check)}
${FOLDED.map((status) =>
  folded(
    status,
    checks.filter((each) => each.status === status),
  ),
)}
</section>
`;
}

/** What asks for nothing stands together, so that it does not hide what does. */
const FOLDED: readonly Status[] = ['skip', 'pass'];

function folded(status: Status, checks: readonly CheckFindings[]): Html | undefined {
  if (checks.length === 0) return undefined;
  return html`<details class="folded ${status}">
<summary>${NAMES[status]}: ${checks.length}</summary>
${checks.map(check)}
</details>
`;
}

function check({ status, findings }: CheckFindings): Html {
  const { id, title, severity, docs } = findings[0]!;
  const shown = status === 'pass' || status === 'skip' ? findings : findings.filter(isOpen);
  const fixes = [...new Set(findings.filter(isOpen).map(({ fix }) => fix))];
  return html`<details class="${status}"${{ html: status === 'fail' || status === 'error' ? ' open' : '' }}>
<summary><b>${status.toUpperCase()}</b><span>${id}</span><span class="severity">${severity}</span>${title}</summary>
<div class="body">
${shown.map(finding)}
${fixes.map((fix) => html`<p class="fix"><strong>Fix:</strong> ${fix}</p>`)}
<p class="soft"><a href="${docs}" rel="noreferrer">Documentation</a></p>
</div>
</details>
`;
}

function finding(each: Finding): Html {
  const text = each.status === 'skip' ? skipText(each) : findingText(each);
  const seen = each.evidence.map(
    ({ what, value, note, at }) =>
      html`<li>${what}${value === undefined ? (note === undefined ? '' : ` is ${note}`) : [' is ', html`<code>${value}</code>`]} <small>${placeText(at)}</small></li>`,
  );
  return html`<p>${text}</p>${seen.length === 0 ? undefined : html`<ul>${seen}</ul>`}`;
}

function unread({ problems }: Report): Html | undefined {
  if (problems.length === 0) return undefined;
  return html`<h2>Not read</h2><ul>${problems.map(({ at, message }) => html`<li><code>${placeText(at)}</code> ${message}</li>`)}</ul>`;
}
