/** The page `docs/causes.md`, and a page for the tables of each further cloud, made from the tables that the caller has. */
import { type Cause, type CauseTable, type Facts, filled, type Specificity } from './cause.ts';
import { LAYER_TEXTS, LAYERS, type Layer } from './layers.ts';

/** What the page takes from a cloud: its name in sentences, and the words that texts of general causes name. */
export interface DocumentedCloud {
  readonly title: string;
  readonly words: object;
}

/** The names of the page, explained in its introduction. */
export const PRECISION_NAMES: Readonly<Record<Specificity, string>> = {
  exact: 'exact',
  particular: 'component',
  general: 'general',
};

export function renderCausesDoc(cloud: DocumentedCloud, tables: readonly CauseTable[]): string {
  const causes = tables.flatMap((table) => table.causes);
  const lines = [
    '# Causes',
    '',
    'Generated from the tables of causes by `npm run generate`; do not edit.',
    '',
    '`chandler why` reads evidence: objects of the cluster, events, and the launch records of NodeClaims (annotation',
    `\`chandler.sh/journey\`). With credentials for ${cloud.title}, it also reads evidence from ${cloud.title}. It matches the evidence against`,
    'these causes. The first broken layer explains the layers after it. Within a layer, the most precise cause comes first.',
    '`L1.1` to `L7.5` are the failure points between a configuration and a healthy pod. A cause that is a special case of a',
    'failure point names that point. `chandler why` replaces the placeholders in braces with values.',
    '',
    'The precision of a cause is one of:',
    '',
    '- **exact**: the cause names what has to change;',
    '- **component**: the cause names the component that fails, but not why it fails;',
    '- **general**: the cause names only the layer that is broken. It is reported only if no more precise cause of this layer or of',
    '  an earlier layer matches.',
    '',
    `${causes.length} causes:`,
    '',
    ...tables.map(({ name, about, causes: rows }) => `- **${name}** (${rows.length}): ${about}`),
    ...LAYERS.flatMap((layer) => layerLines(layer, tables)),
  ];
  return filled(`${lines.join('\n')}\n`, cloud.words as Facts);
}

/** A page of the causes that only one cloud has; the general ones are on the other page. */
export function renderCloudCausesDoc(cloud: DocumentedCloud, tables: readonly CauseTable[]): string {
  const causes = tables.flatMap((table) => table.causes);
  const lines = [
    `# Causes on ${cloud.title}`,
    '',
    'Generated from the tables of causes by `npm run generate`; do not edit.',
    '',
    `Causes that \`chandler why\` reports on ${cloud.title} beside the general ones of [causes.md](causes.md), which explains the layers and the`,
    'precision of a cause.',
    '',
    `${causes.length} causes:`,
    '',
    ...tables.map(({ name, about, causes: rows }) => `- **${name}** (${rows.length}): ${about}`),
    ...LAYERS.filter((layer) => causes.some((cause) => cause.layer === layer)).flatMap((layer) =>
      layerLines(layer, tables),
    ),
  ];
  return filled(`${lines.join('\n')}\n`, cloud.words as Facts);
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
  const point = cause.point === undefined || cause.point === cause.id ? '' : ` (a case of ${cause.point})`;
  return [
    '',
    `### ${cause.id}: ${cause.title}`,
    '',
    `- Symptom: ${text(cause.symptom)}`,
    `- What happened: ${text(cause.summary)}`,
    `- Fix: ${text(cause.fix)}`,
    `- Precision: ${PRECISION_NAMES[cause.specificity]}${point}`,
    ...(cause.confirm.length === 0
      ? []
      : ['- Confirm:', '', '  ```sh', ...cause.confirm.map((command) => `  ${command}`), '  ```']),
  ];
}

/** Braces and angle brackets are text, not markup. */
function text(words: string): string {
  return words.replaceAll('<', '&lt;').replaceAll('|', '\\|');
}
