/** The page docs/options.md, made from the tables. */
import { isEmpty, optionText } from './option-readers.ts';
import { envNames, type OptionRow, type OptionTable } from './option-row.ts';
import { GLOBAL_SETTINGS_NAME } from './settings-layer.ts';

export interface OptionsDoc {
  /** Every option of the controller on this cloud. */
  readonly table: OptionTable;
  /** Groups of options, or of ways to set them, that Karpenter does not have. */
  readonly ownGroups: readonly string[];
  /** `Azure`. */
  readonly cloudTitle: string;
}

export function renderOptionsDoc({ table, ownGroups, cloudTitle }: OptionsDoc): string {
  return [
    '# Options of the controller',
    '',
    '<!-- Made by `npm run generate` from packages/chandler/src/settings/. -->',
    '',
    ...introduction(cloudTitle, table['clusterName']?.settingsKey ?? ''),
    ...groupsOf(table).flatMap(([group, rows]) => ['', `## ${group}`, '', ...tableOf(rows, ownGroups)]),
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

const introduction = (cloudTitle: string, settingsKey: string): readonly string[] => [
  'Every option can be given in three places. The first that is set wins:',
  '',
  '1. a flag, `--cluster-name=mine` (one dash will do);',
  '2. an environment variable, `CLUSTER_NAME=mine`; one that is set to nothing is set;',
  `3. a key of the ConfigMap \`${GLOBAL_SETTINGS_NAME}\` in the namespace of the controller, \`${settingsKey}: mine\`;`,
  '4. else its default holds.',
  '',
  '`chandler controller --print-options` shows every option with its value and where it came from.',
  '',
  `Names and defaults are those of Karpenter and its ${cloudTitle} provider; what those do not have is marked *own*.`,
  'Different from them: a value that cannot be read is an error that names the place, and never silently the default;',
  'so is one that is out of range. All that is wrong is reported at once, before anything starts.',
  '',
  'The ConfigMap is watched. An option marked *live* takes a new value at once; for the others an event says that a',
  'restart is needed, and the running value stays. A bad value leaves the earlier one in force and is an event too, as is',
  'a key that nobody reads.',
  '',
  'An option marked *secret* is shown to nobody and not read from the ConfigMap. Give it as a file',
  '(`KUBELET_BOOTSTRAP_TOKEN_FILE`, `--kubelet-bootstrap-token-file`), which is read again when it changes, or as a',
  'variable. As a flag it works, with a warning: whoever may list processes can read it.',
];

function groupsOf(table: OptionTable): [string, OptionRow[]][] {
  const groups = new Map<string, OptionRow[]>();
  for (const row of Object.values(table)) {
    const rows = groups.get(row.group ?? '') ?? [];
    rows.push(row);
    groups.set(row.group ?? '', rows);
  }
  return [...groups];
}

function tableOf(rows: readonly OptionRow[], ownGroups: readonly string[]): string[] {
  return [
    '| flag | variable | ConfigMap key | default | meaning |',
    '| --- | --- | --- | --- | --- |',
    ...rows.map(
      (row) =>
        `| ${[
          `\`--${row.flag}\``,
          envNames(row)
            .map((name) => `\`${name}\``)
            .join(' or '),
          row.settingsKey === undefined ? '' : `\`${row.settingsKey}\``,
          defaultOf(row),
          cell(meaningOf(row, ownGroups)),
        ].join(' | ')} |`,
    ),
  ];
}

function defaultOf(row: OptionRow): string {
  const text = optionText(row, row.default);
  return text === '' ? '' : `\`${cell(text)}\``;
}

function meaningOf(row: OptionRow, ownGroups: readonly string[]): string {
  const notes = [`${row.doc}.`];
  if (row.choices !== undefined) {
    notes.push(`One of ${row.choices.map((choice) => `\`${choice || '""'}\``).join(', ')}.`);
  }
  const range = rangeOf(row);
  if (range !== undefined) notes.push(range);
  if (row.required === true) notes.push(isEmpty(row.default) ? '**Required.**' : 'Not empty.');
  else if (row.required !== undefined) notes.push(`**Required** when ${row.required.text}.`);
  if (row.unused !== undefined) notes.push(`No effect: ${row.unused}.`);
  for (const [gate, why] of Object.entries(row.unusedGates ?? {})) {
    notes.push(`\`${gate}\` has no effect: ${why}.`);
  }
  const marks = [
    ...(row.runtime === true ? ['live'] : []),
    ...(row.secret === true ? ['secret'] : []),
    ...(ownGroups.includes(row.group ?? '') ? ['own'] : []),
  ];
  if (marks.length > 0) notes.push(marks.map((mark) => `*${mark}*`).join(', '));
  return notes.join(' ');
}

function rangeOf(row: OptionRow): string | undefined {
  const show = (limit: number) => `\`${optionText(row, limit)}\``;
  if (row.minimum !== undefined && row.maximum !== undefined) {
    return `From ${show(row.minimum)} to ${show(row.maximum)}.`;
  }
  if (row.minimum !== undefined) return `At least ${show(row.minimum)}.`;
  return row.maximum === undefined ? undefined : `At most ${show(row.maximum)}.`;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
