/** The page `docs/causes.md`, made from the tables of causes that the caller has. */
import type { Cause, CauseTable } from './cause.ts';
import { LAYER_TEXTS, LAYERS, type Layer } from './layers.ts';

export function renderCausesDoc(tables: readonly CauseTable[]): string {
  const causes = tables.flatMap((table) => table.causes);
  const lines = [
    '# Causes',
    '',
    'Generated from the tables of causes by `npm run generate`; do not edit.',
    '',
    '`chandler why` reads evidence (objects of the cluster, events, the journey of a claim, and with credentials what Azure',
    'shows) and holds it against these rows. The first broken layer explains what follows; within a layer the most exact row',
    'comes first. Rows `L1.1` to `L7.5` are the failure points of the way from a configuration to a healthy pod; a row that',
    'is a case of one names it. Words in braces are filled in.',
    '',
    `${causes.length} causes:`,
    '',
    ...tables.map(({ name, about, causes: rows }) => `- **${name}** (${rows.length}): ${about}`),
    ...LAYERS.flatMap((layer) => layerLines(layer, tables)),
  ];
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

function layerLines(layer: Layer, tables: readonly CauseTable[]): readonly string[] {
  const { number, title, question } = LAYER_TEXTS[layer];
  const rows = tables.flatMap(({ causes, brief }) =>
    causes
      .filter((cause) => cause.layer === layer)
      .map((cause) => ({ cause, short: brief?.(cause) ?? false })),
  );
  const long = rows.filter(({ short }) => !short).flatMap(({ cause }) => causeLines(cause));
  const short = rows.filter((row) => row.short).map(({ cause }) => briefLine(cause));
  return [
    '',
    `## ${number}. ${title}`,
    '',
    question,
    ...long,
    ...(short.length === 0 ? [] : [...BRIEF_HEAD, ...short]),
  ];
}

const BRIEF_HEAD: readonly string[] = [
  '',
  '### In short',
  '',
  '| Id | Cause | Case of |',
  '| --- | --- | --- |',
];

function briefLine({ id, title, point }: Cause): string {
  return `| ${id} | ${text(title)} | ${point ?? ''} |`;
}

function causeLines(cause: Cause): readonly string[] {
  const point = cause.point === undefined || cause.point === cause.id ? '' : `, a case of ${cause.point}`;
  return [
    '',
    `### ${cause.id}: ${cause.title}`,
    '',
    `- Seen by: ${text(cause.symptom)}`,
    `- What happened: ${text(cause.summary)} (${cause.specificity}${point})`,
    `- Fix: ${text(cause.fix)}`,
    ...(cause.confirm.length === 0
      ? []
      : ['- Confirm:', '', '  ```sh', ...cause.confirm.map((command) => `  ${command}`), '  ```']),
  ];
}

/** Braces and angle brackets are text, not markup. */
function text(words: string): string {
  return words.replaceAll('<', '&lt;').replaceAll('|', '\\|');
}
