/** Options as they may be shown to anybody: every value as text with its source, secrets only as being there. */
import { isEmpty, optionText } from './option-readers.ts';
import { envNames, type OptionTable, type OptionValues } from './option-row.ts';
import type { Source, Sourced } from './sourced.ts';

export const MASK = '********';

export interface PrintableOption {
  readonly name: string;
  readonly group: string;
  readonly flag: string;
  readonly env: readonly string[];
  /** Key in the ConfigMap; empty when it has none. */
  readonly setting: string;
  /** As it would be written; `********` for a secret that is set. */
  readonly value: string;
  readonly source: Source;
  readonly path: string;
  readonly default: string;
  readonly secret: boolean;
  /** Takes a new value without a restart. */
  readonly runtime: boolean;
}

/** In the order of the table, without the options that only a command has. */
export function printable<T extends OptionTable>(table: T, values: OptionValues<T>): PrintableOption[] {
  return Object.entries(table)
    .filter(([, row]) => row.group !== undefined)
    .map(([name, row]) => {
      const { value, source, path } = (values as Readonly<Record<string, Sourced<unknown>>>)[name]!;
      const masked = row.secret === true && !isEmpty(value);
      return {
        name,
        group: row.group!,
        flag: `--${row.flag}`,
        env: envNames(row),
        setting: row.settingsKey ?? '',
        value: masked ? MASK : optionText(row, value),
        source,
        path,
        default: optionText(row, row.default),
        secret: row.secret === true,
        runtime: row.runtime === true,
      };
    });
}
