/** docs/flexnode-config.md, made from the table. */
import { CONFIG_ROWS, GONE_ROWS } from './keys.table.ts';
import type { ConfigRow } from './row.ts';

export function renderConfigDoc(): string {
  const sections = [...new Set(CONFIG_ROWS.map((row) => sectionOf(row.path)))];
  return [
    '<!-- Made by npm run generate from packages/chandler/src/flexnode/config/keys.table.ts. -->',
    '# Configuration of `chandler flexnode`',
    '',
    'A JSON file, `/etc/aks-flex-node/config.json` unless `--config` names another. `chandler flexnode config check` reads',
    'it and says everything that is wrong with it, with lines. The same as a JSON schema, for editors:',
    '[flexnode-config.schema.json](flexnode-config.schema.json). Samples are in [flexnode.md](flexnode.md).',
    '',
    'Reading is strict: a key that is not in this table, a value of another type, a key given twice, a comment or a',
    'trailing comma is an error. An empty text counts as left out. Keys of both schemas of AKS Flex Node are understood;',
    'those that mean nothing to this agent give a warning each, and are listed at the end.',
    '',
    ...sections.flatMap((section) => sectionLines(section)),
    '## Other names',
    '',
    'Where both are given, the newer name wins; a warning says so when they differ.',
    '',
    '| Key | Also | Newer |',
    '| --- | --- | --- |',
    ...CONFIG_ROWS.flatMap((row) =>
      (row.alsoNamed ?? []).map(
        (other) => `| \`${row.path}\` | \`${other.path}\` | \`${other.newer ? other.path : row.path}\` |`,
      ),
    ),
    '',
    '## Keys that mean nothing here',
    '',
    '| Key | Why |',
    '| --- | --- |',
    ...GONE_ROWS.map((row) => `| \`${row.path}\` | ${row.why} |`),
    '',
  ].join('\n');
}

// ---------------------------------------------------------------------------------------------------

function sectionLines(section: string): string[] {
  return [
    `## ${section}`,
    '',
    '| Key | Type | Default | What it decides |',
    '| --- | --- | --- | --- |',
    ...CONFIG_ROWS.filter((row) => sectionOf(row.path) === section).map(
      (row) => `| \`${row.path}\` | ${typeOf(row)} | ${defaultOf(row)} | ${row.doc.replaceAll('|', '\\|')} |`,
    ),
    '',
  ];
}

function typeOf(row: ConfigRow): string {
  if (row.choices !== undefined) return row.choices.map((choice) => `\`${choice}\``).join(', ');
  if (row.type === 'integer' && row.maximum !== undefined) return `${row.minimum} to ${row.maximum}`;
  if (row.names !== undefined) return `texts by ${row.names.map((name) => `\`${name}\``).join(', ')}`;
  return TYPE_WORDS[row.type];
}

const TYPE_WORDS = {
  string: 'text',
  boolean: 'true or false',
  integer: 'number',
  texts: 'text or list of texts',
  map: 'texts by name',
  object: 'object',
} as const;

function defaultOf(row: ConfigRow): string {
  if (row.required === true) return '**required**';
  if (row.requiredWith !== undefined) return `required within \`${row.requiredWith}\``;
  if (row.fallbackDoc !== undefined) return row.fallbackDoc;
  return row.fallback === undefined ? '' : `\`${JSON.stringify(row.fallback)}\``;
}

function sectionOf(path: string): string {
  return path.slice(0, path.indexOf('.'));
}
