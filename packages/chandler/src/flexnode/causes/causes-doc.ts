/** The page `docs/flexnode-causes.md`, made from the table. */
import { PRECISION_NAMES } from '../../causes/index.ts';
import type { FlexCause } from './cause.ts';
import { FLEX_CAUSES } from './table.ts';

export function renderFlexCausesDoc(): string {
  const count = FLEX_CAUSES.reduce((sum, { causes }) => sum + causes.length, 0);
  const lines = [
    '# Why a flex node does not become Ready',
    '',
    'Generated from the table of causes by `npm run generate`; do not edit.',
    '',
    '`flexnode bootstrap` completes when the Node is Ready. If the Node does not become Ready, it looks for the cause;',
    '`flexnode debug` always does. Both match the last lines of the journals of kubelet and containerd, the state of the',
    `machine and the responses of the API server against these ${count} causes. The most precise match comes first. Words in`,
    'braces are placeholders.',
    '',
    'The precision of a cause is **exact** if it names what has to change, **component** if it names the component that fails,',
    'and **general** if it only says that the node is not ready. A general cause is reported if no other cause matches.',
    ...FLEX_CAUSES.flatMap(({ name, about, causes }) => [
      '',
      `## ${name}`,
      '',
      about,
      ...causes.flatMap(causeLines),
    ]),
  ];
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

function causeLines({
  id,
  title,
  symptom,
  summary,
  fix,
  confirm,
  specificity,
}: FlexCause): readonly string[] {
  return [
    '',
    `### ${id}: ${title}`,
    '',
    `- Symptom: ${text(symptom)}`,
    `- Cause: ${text(summary)}`,
    `- Fix: ${text(fix)}`,
    `- Precision: ${PRECISION_NAMES[specificity]}`,
    ...(confirm.length === 0
      ? []
      : ['- Confirm:', '', '  ```sh', ...confirm.map((command) => `  ${command}`), '  ```']),
  ];
}

/** Angle brackets are text, not markup. */
function text(words: string): string {
  return words.replaceAll('<', '&lt;');
}
