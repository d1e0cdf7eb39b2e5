/** The kubelet's command line, for the image families whose bootstrap script takes it as one argument. */
import type { Sourced } from '../../settings/index.ts';
import type { RenderedVariable } from '../bootstrapper.ts';
import { taintText } from '../taints.ts';
import { KUBELET_SETTINGS, type KubeletSettingRow } from './kubelet-settings.table.ts';
import { entriesOf } from './kubelet-settings.ts';
import type { NodeSettings } from './node-settings.ts';
import { UserDataError } from './user-data.ts';

export interface KubeletArgument extends Sourced<string> {
  /** `--max-pods`. */
  readonly name: string;
  /** `--max-pods=29`. */
  readonly text: string;
}

/** The arguments as values with their sources. */
export function kubeletValues(flags: readonly KubeletArgument[]): readonly RenderedVariable[] {
  return flags.map(({ name, value, source, path }) => ({
    name: `kubelet ${name}`,
    group: 'kubelet',
    value,
    source,
    path,
    default: '',
  }));
}

/** Labels, taints, then the settings in the order of the table. Lists are sorted: the same node gets the same text. */
export function kubeletArguments({ kubelet, labels, taints }: NodeSettings): readonly KubeletArgument[] {
  const labelText = labelsArgument(labels);
  const taintList = taints.value.map(taintText).join(',');
  return [
    ...(labelText === ''
      ? []
      : [{ ...labels, name: '--node-labels', value: labelList(labels.value), text: labelText }]),
    {
      ...taints,
      name: '--register-with-taints',
      value: taintList,
      text: `--register-with-taints="${taintList}"`,
    },
    ...KUBELET_SETTINGS.flatMap((row) => {
      const setting = kubelet.get(row.field);
      if (row.flag === undefined || setting === undefined) return [];
      const value = argumentValue(row, setting);
      if (value === '') return [];
      const text = row.separator === undefined ? value : `"${value}"`;
      return [{ ...setting, name: `--${row.flag}`, value, text: `--${row.flag}=${text}` }];
    }),
  ].map(checked);
}

/**
 * `--node-labels="a=1,b=2"`; empty without labels.
 * @throws {UserDataError} for a label that would end the quotes.
 */
export function labelsArgument(labels: NodeSettings['labels']): string {
  const list = labelList(labels.value);
  singleQuoted({ ...labels, value: list }, '--node-labels');
  return list === '' ? '' : `--node-labels="${list}"`;
}

/**
 * A text between single quotes, of which neither a shell nor PowerShell changes a letter.
 * @throws {UserDataError} where it contains what would end the quotes or the line.
 */
export function singleQuoted({ value, path }: Sourced<string>, name: string): string {
  if (UNQUOTABLE.test(value)) {
    throw new UserDataError(
      'invalidValue',
      path || name,
      `${name} contains a quote, a backslash or a control character`,
    );
  }
  return `'${value}'`;
}

// ---------------------------------------------------------------------------------------------------

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the ones to find
const UNQUOTABLE = /['"\\\u0000-\u001f\u007f]/;

function checked(argument: KubeletArgument): KubeletArgument {
  singleQuoted(argument, argument.name);
  return argument;
}

function labelList(labels: Readonly<Record<string, string>>): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
}

function argumentValue(row: KubeletSettingRow, { value }: Sourced<unknown>): string {
  if (row.separator === undefined) return String(value);
  return entriesOf(row, value as never)
    .map(([key, each]) => `${key}${row.separator}${each}`)
    .join(',');
}
