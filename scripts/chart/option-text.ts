/** What the values file, the schema and the README say about an option of the controller. */
import { CLOUD_NAMES } from '../../packages/chandler/src/cloud/registry.ts';
import { type OptionRow, optionText } from '../../packages/chandler/src/settings/index.ts';
import { type ChartOption, CLOUD_TITLES, isRequired, isShared } from './options.ts';

/** One or more sentences; where clouds differ, one for each. */
export function describeOption(option: ChartOption): string {
  const { rows } = option;
  const clouds = CLOUD_NAMES.filter((name) => rows[name] !== undefined);
  const texts = clouds.map((name) => sentences(rows[name]!));
  const same = texts.every((text) => text === texts[0]);
  if (isShared(option) && same) return texts[0]!;
  return clouds.map((name, at) => `On ${CLOUD_TITLES[name]}: ${lowerFirst(texts[at]!)}`).join(' ');
}

/** As it is written in an environment variable; empty where the default is none. */
export function defaultText(row: OptionRow): string {
  return row.type === 'gates' ? '' : optionText(row, row.default);
}

// ---------------------------------------------------------------------------------------------------

function sentences(row: OptionRow): string {
  const parts = [`${row.doc}.`];
  if (isRequired(row)) parts.push('**Required.**');
  else if (row.required !== undefined && row.required !== true)
    parts.push(`Required when ${row.required.text}.`);
  if (row.unused !== undefined) parts.push(`No effect: ${row.unused}.`);
  if (row.runtime === true) parts.push('A change needs no restart.');
  return parts.join(' ');
}

/** `The name` → `the name`, but `FIPS endpoints` stays. */
function lowerFirst(text: string): string {
  return /^[A-Z][a-z ]/.test(text) ? `${text[0]!.toLowerCase()}${text.slice(1)}` : text;
}
