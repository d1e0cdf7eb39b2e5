/** The page `docs/flexnode-causes.md`, made from the table. */
import type { FlexCause } from './cause.ts';
import { FLEX_CAUSES } from './table.ts';

export function renderFlexCausesDoc(): string {
  const count = FLEX_CAUSES.reduce((sum, { causes }) => sum + causes.length, 0);
  const lines = [
    '# Why a flex node does not come up',
    '',
    'Generated from the table of causes by `npm run generate`; do not edit.',
    '',
    '`flexnode bootstrap` ends only when the Node is Ready. When it does not get there, and in `flexnode debug`, the ends of',
    'the journals of kubelet and containerd, the states of the machine and the answers of the API server are held against',
    `these ${count} rows; the most exact comes first. Words in braces are filled in.`,
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
    `- Seen by: ${text(symptom)}`,
    `- What happened: ${text(summary)} (${specificity})`,
    `- Fix: ${text(fix)}`,
    ...(confirm.length === 0
      ? []
      : ['- Look:', '', '  ```sh', ...confirm.map((command) => `  ${command}`), '  ```']),
  ];
}

/** Angle brackets are text, not markup. */
function text(words: string): string {
  return words.replaceAll('<', '&lt;');
}
