/** One value of an option, from a values file or a variable, in the form that our chart has: checked as the controller checks it. */
import { type OptionRow, optionText, readOption } from '../settings/index.ts';
import { gateName } from './option-keys.ts';

export type Gates = Readonly<Record<string, boolean>>;

export type Converted = { readonly value: unknown } | { readonly problem: string };

export function convertOption(row: OptionRow, given: unknown): Converted {
  if (row.flag === 'scheduler-config' && typeof given === 'object') return { value: given };
  const text = textOf(row, given);
  if (text === undefined) return { problem: `expected ${row.type === 'list' ? 'a list' : `a ${row.type}`}` };
  const reading = readOption(row, [text]);
  if (!reading.ok) return { problem: reading.message };
  if (row.type === 'gates' && reading.doubts.length > 0) return { problem: reading.doubts.join('; ') };
  return { value: inValues(row, reading.value, text) };
}

// ---------------------------------------------------------------------------------------------------

function textOf(row: OptionRow, given: unknown): string | undefined {
  if (typeof given === 'string') return given;
  if (typeof given === 'number' || typeof given === 'boolean') return String(given);
  const isList = Array.isArray(given) && row.type === 'list';
  const isMap = typeof given === 'object' && given !== null && row.type === 'map';
  return isList || isMap ? optionText(row, given) : undefined;
}

function inValues(row: OptionRow, value: unknown, text: string): unknown {
  if (row.type === 'duration') return text;
  if (row.type === 'gates')
    return Object.fromEntries(
      [...text.matchAll(/([^,=\s]+)\s*=/g)].map(([, gate]) => [gateName(gate!), (value as Gates)[gate!]]),
    );
  return value;
}
