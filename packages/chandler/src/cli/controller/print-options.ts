/** Prints every option with its value and source, as text or JSON. Secrets are masked. */
import {
  type OptionTable,
  type PrintableOption,
  printable,
  type ResolvedOptions,
} from '../../settings/index.ts';

export function optionsAsJson<T extends OptionTable>(resolved: ResolvedOptions<T>): string {
  const options = printable(resolved.table, resolved.values);
  const warnings = resolved.warnings.map(({ code, where, message }) => ({ code, where, message }));
  return `${JSON.stringify({ options, warnings }, null, 2)}\n`;
}

export function optionsAsText<T extends OptionTable>(resolved: ResolvedOptions<T>): string {
  const options = printable(resolved.table, resolved.values);
  const width = Math.max(...options.map(({ name }) => name.length));
  const lines: string[] = [];
  let group = '';
  for (const option of options) {
    if (option.group !== group) lines.push(...(group === '' ? [] : ['']), option.group);
    group = option.group;
    lines.push(`  ${option.name.padEnd(width)}  ${shownValue(option)}  (${originOf(option)})`);
  }
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------

/** One line per option: a key or a certificate bundle may be long and contain line breaks. */
function shownValue({ value }: PrintableOption): string {
  if (value === '') return '""';
  const line = value.replace(/\s+/g, ' ');
  return line.length > 120 ? `${line.slice(0, 119)}…` : line;
}

function originOf({ source, path }: PrintableOption): string {
  return source === 'hardcoded' ? 'default' : `${source} ${path}`;
}
