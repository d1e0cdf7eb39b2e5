/**
 * Faults as users write them: `cse=211@zone=2,rate=0.5,count=3`. An error message names what is invalid and what is
 * valid.
 */
import { FAULTS, type FaultRow } from './catalogue.table.ts';
import type { FaultSpec } from './fault.ts';

export class FaultSyntaxError extends Error {
  override readonly name = 'FaultSyntaxError';
}

export function parseFault(text: string): FaultSpec {
  const [head = '', ...conditions] = text.split('@');
  if (conditions.length > 1) throw new FaultSyntaxError(`invalid fault '${text}': more than one '@'`);
  const { key: name, value } = pair(head);
  // Without a prototype: a key such as `__proto__` is a key like any other.
  const spec: Record<string, string> = Object.assign(Object.create(null), { name });
  if (value !== undefined) spec['value'] = value;
  for (const part of conditions[0]?.split(',') ?? []) {
    const { key, value: wanted } = pair(part);
    if (wanted === undefined || wanted === '')
      throw new FaultSyntaxError(`invalid fault '${text}': '${part}' must have the form key=value`);
    if (key in spec) throw new FaultSyntaxError(`fault '${text}': '${key}' is set twice`);
    spec[key] = wanted;
  }
  return checkFault(spec);
}

/** From text or from JSON: the same rules. */
export function checkFault(given: unknown): FaultSpec {
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new FaultSyntaxError('a fault must be an object or a text');
  const fields = given as Record<string, unknown>;
  const row = rowOf(fields['name']);
  const spec: Record<string, string | number> = { name: row.name };
  for (const [key, value] of Object.entries(fields)) {
    if (key === 'name' || value === undefined) continue;
    if (key === 'value') spec[key] = checkValue(row, String(value));
    else spec[key] = checkCondition(row, key, value);
  }
  return spec as unknown as FaultSpec;
}

export function rowOf(name: unknown): FaultRow {
  const row = FAULTS.find((one) => one.name === name);
  if (row === undefined)
    throw new FaultSyntaxError(
      `unknown fault '${String(name)}'; available: ${FAULTS.map((one) => one.name).join(', ')}`,
    );
  return row;
}

/** The value of the fault, or the default of its row. */
export function valueText(fault: FaultSpec): string {
  return fault.value ?? rowOf(fault.name).defaultValue ?? '';
}

export function numberOf(fault: FaultSpec): number {
  return Number(valueText(fault));
}

// ---------------------------------------------------------------------------------------------------

const CONDITIONS: Readonly<Record<string, (value: unknown) => string | number | undefined>> = {
  rate: (value) => inRange(value, 0, 1, false),
  count: (value) => inRange(value, 1, Number.MAX_SAFE_INTEGER, true),
  zone: (value) => /(?:^|-)(\d)$/.exec(String(value))?.[1],
  size: text,
  resource: text,
  operation: text,
  nodepool: text,
  capacity: (value) => oneOf(value, ['spot', 'on-demand']),
  phase: (value) => oneOf(value, ['sync', 'async']),
};

const WANTED: Readonly<Record<string, string>> = {
  rate: 'a number from 0 to 1',
  count: 'a whole number from 1',
  zone: 'a digit, or a label that ends in one (eastus-2)',
  capacity: 'spot or on-demand',
  phase: 'sync or async',
};

function checkCondition(row: FaultRow, key: string, value: unknown): string | number {
  const check = Object.hasOwn(CONDITIONS, key) ? CONDITIONS[key] : undefined;
  if (check === undefined)
    throw new FaultSyntaxError(
      `fault '${row.name}': unknown condition '${key}'; available: ${Object.keys(CONDITIONS).join(', ')}`,
    );
  const checked = check(value);
  if (checked === undefined)
    throw new FaultSyntaxError(
      `fault '${row.name}': ${key} must be ${WANTED[key] ?? 'a text'}, not '${String(value)}'`,
    );
  return checked;
}

function checkValue(row: FaultRow, value: string): string {
  if (row.value === undefined) throw new FaultSyntaxError(`fault '${row.name}' takes no value`);
  if (row.form === 'number' && !/^\d{1,9}$/.test(value))
    throw new FaultSyntaxError(
      `fault '${row.name}': the value (${row.value}) must be a number, not '${value}'`,
    );
  if (row.choices !== undefined && !row.choices.includes(value))
    throw new FaultSyntaxError(`fault '${row.name}': invalid value '${value}'; ${row.value}`);
  return value;
}

function inRange(value: unknown, min: number, max: number, whole: boolean): number | undefined {
  const number =
    typeof value === 'number' ? value : /^\d+(\.\d+)?$/.test(String(value)) ? Number(value) : Number.NaN;
  const fits = number >= min && number <= max && (!whole || Number.isInteger(number));
  return fits ? number : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function oneOf(value: unknown, allowed: readonly string[]): string | undefined {
  return allowed.find((one) => one === value);
}

function pair(text: string): { key: string; value?: string } {
  const at = text.indexOf('=');
  return at < 0 ? { key: text.trim() } : { key: text.slice(0, at).trim(), value: text.slice(at + 1).trim() };
}
