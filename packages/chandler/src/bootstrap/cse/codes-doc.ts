/** The page `docs/cse-codes.md`, made from the tables of codes, hints and misleading cases. */

import { MAX_LINE_LENGTH } from '../quoted-line.ts';
import {
  AKS_NAMES,
  CSE_TABLE_DATE,
  type CseCodeRow,
  type CseGroup,
  LINUX_CODES,
  SHELL_CODES,
  UNDEFINED_CONSTANTS,
  WINDOWS_CODES,
} from './codes.table.ts';
import { KEPT_LINES, KEPT_LOG_BYTES } from './decisive-line.ts';
import { CONSTANT_HINTS, GROUP_HINTS } from './hints.table.ts';
import { MISLEADING } from './misleading.table.ts';
import { CHANGE_SLACK_DAYS } from './name-code.ts';
import { NO_CODE_ROWS } from './no-code.table.ts';

export function renderCseCodesDoc(): string {
  const sections = [linux(), windows(), hints(), misleading(), noCode(), aksNames()];
  return `${[...INTRODUCTION, ...sections.flat()].join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

const INTRODUCTION: readonly string[] = [
  '# Exit codes of AKS node provisioning',
  '',
  'Generated from the tables in `packages/chandler/src/bootstrap/cse/` by `npm run generate`; do not edit.',
  '',
  `A new AKS node provisions itself with a script, run by the custom script extension (CSE) or by cloud-init. When it`,
  'fails, its exit code identifies the step. Chandler reports the code and its name on the NodeClaim (condition',
  '`CSEProvisioned`, event `CSEFailed`), in the log and in a metric.',
  '',
  'Codes have been renumbered and reused, so the name depends on the date of the node image (`202604.13.0` is from',
  `2026-04-13). Within ${CHANGE_SLACK_DAYS} days after a change, and where two names shared a code, both are listed, unless the log`,
  `identifies one. Read from AgentBaker up to ${CSE_TABLE_DATE}.`,
  '',
  '"Deterministic" means that another VM of the same node class and image would fail with the same code: launches are then',
  'delayed instead of retried.',
  '',
  'A code often hides the cause. The condition, the event and `chandler why` therefore quote the line of the log that shows it, of at',
  `most ${MAX_LINE_LENGTH} characters. It is chosen by the code and its group: what tools print (curl, nc, apt, systemd, oras) goes before the`,
  'trace of the script. If none of these lines is there, the last command of the trace is quoted. The NodeClaim keeps the end of the',
  `log in the annotation \`chandler.sh/bootstrap-log\` (at most ${KEPT_LINES} lines and ${KEPT_LOG_BYTES / 1024} KiB). Tokens, passwords, keys, queries of addresses`,
  'and encoded files are replaced by `[redacted]` in both.',
];

function linux(): readonly string[] {
  return [
    '',
    '## Linux',
    '',
    '| Code | Constant | Images | Group | Deterministic | Meaning |',
    '| --- | --- | --- | --- | --- | --- |',
    ...[...LINUX_CODES, ...SHELL_CODES]
      .toSorted(([one, , from], [other, , since]) => one - other || (from < since ? -1 : 1))
      .map((row) => line(row, period(row))),
    '',
    `The scripts also use ${UNDEFINED_CONSTANTS.map((name) => `\`${name}\``).join(' and ')} without defining them; such a step exits with`,
    'the code of the previous command, usually 1.',
  ];
}

function windows(): readonly string[] {
  return [
    '',
    '## Windows',
    '',
    'Their history is unknown.',
    '',
    '| Code | Constant | Group | Deterministic | Meaning |',
    '| --- | --- | --- | --- | --- |',
    ...WINDOWS_CODES.map((row) => line(row)),
  ];
}

function line([code, constant, , , group, again, meaning]: CseCodeRow, images?: string): string {
  const name = constant === '' ? '(shell)' : `\`${constant}\``;
  const cells = [
    String(code),
    name,
    ...(images === undefined ? [] : [images]),
    group,
    again ? 'yes' : '',
    meaning,
  ];
  return `| ${cells.join(' | ')} |`;
}

function period([, , from, until]: CseCodeRow): string {
  if (from === '') return 'all';
  return until === '' ? `since ${from}` : `${from} to ${until}`;
}

function hints(): readonly string[] {
  return [
    '',
    '## What to check',
    '',
    '| Group or constant | Hint |',
    '| --- | --- |',
    ...(Object.keys(GROUP_HINTS) as CseGroup[]).map((group) => `| ${group} | ${GROUP_HINTS[group].hint} |`),
    ...Object.entries(CONSTANT_HINTS).map(([constant, { hint, page }]) => {
      const link = page === undefined ? '' : `[Microsoft's page](${page})`;
      return `| \`${constant}\` | ${[hint ?? '', link].filter((text) => text !== '').join(' ')} |`;
    }),
  ];
}

function misleading(): readonly string[] {
  return [
    '',
    '## Misleading codes',
    '',
    'A code together with a line of the log, or with an image, that shows what it does not say. The first row that matches counts.',
    '',
    '| Codes | Why the code misleads | Actual cause | Hint |',
    '| --- | --- | --- | --- |',
    ...MISLEADING.map(({ codes, groups, os, because, really, hint }) => {
      const on = os === 'windows' ? ' (Windows)' : '';
      const which = `${codes?.join(', ') ?? groups?.join(', ') ?? 'all'}${on}`;
      return `| ${which} | ${because} | ${really} | ${hint} |`;
    }),
    '',
    'For 124 and 137 the last command in the trace is reported, because the code only identifies a timeout.',
  ];
}

function noCode(): readonly string[] {
  return [
    '',
    '## Without a code',
    '',
    'The extension failed, and its script has no exit code: it did not run, or nobody could read how it ended. What other extensions',
    'of the VM report (monitoring, antivirus, billing) is never taken for a failure of the bootstrap.',
    '',
    '| What happened | Hint |',
    '| --- | --- |',
    ...NO_CODE_ROWS.map(({ summary, hint }) => `| ${summary} | ${hint} |`),
  ];
}

function aksNames(): readonly string[] {
  return [
    '',
    '## Names used by AKS',
    '',
    'AKS calls some of them `VMExtensionError_…` or `…VMExtensionError`: ' +
      Object.entries(AKS_NAMES)
        .map(([name, code]) => `\`${name}\` ${code}`)
        .join(', ') +
      '.',
  ];
}
