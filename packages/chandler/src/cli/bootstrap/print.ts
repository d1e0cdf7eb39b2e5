/** How the verb prints: the variables as a table or as JSON, or the script itself. */
import { maskSecrets, type RenderedVariable } from '../../bootstrap/index.ts';
import type { BootstrapOutput } from './output.ts';

/** Each variable with value, source and path, by group, long values truncated. */
export function variablesText(output: BootstrapOutput): string {
  const variables = maskSecrets(output.variables);
  const rows = variables.map((variable) => [variable.name, cut(shown(variable.value)), sourceText(variable)]);
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) => `${row[0]!.padEnd(widths[0]!)}  ${row[1]!.padEnd(widths[1]!)}  ${row[2]}`);
  return [
    ...output.head,
    '',
    ...lines,
    '',
    'chandler bootstrap explain NAME shows a value in full; -o json shows all.',
    '',
  ].join('\n');
}

/** One variable in full. */
export function variableText(variable: RenderedVariable): string {
  const [masked] = maskSecrets([variable]);
  return [
    `${masked!.name}  (${masked!.group})`,
    `  value    ${shown(masked!.value)}`,
    `  source   ${sourceText(masked!)}`,
    `  default  ${shown(masked!.default)}`,
    '',
  ].join('\n');
}

/** The fields that scripts may rely on. */
export function variablesJson(variables: readonly RenderedVariable[]) {
  return variables.map(({ name, group, value, source, path, default: otherwise }) => ({
    name,
    group,
    value,
    source,
    path,
    default: otherwise,
  }));
}

// ---------------------------------------------------------------------------------------------------

const LONGEST = 60;

function shown(value: string): string {
  return value === '' ? '""' : value.replaceAll('\n', '\\n');
}

function cut(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 1)}…`;
}

function sourceText({ source, path }: RenderedVariable): string {
  if (path === '') return source;
  if (source === 'hardcoded') return `default of ${path}`;
  return source === 'computed' ? `computed from ${path}` : `${source} ${path}`;
}
