/**
 * Faults as users write them: `capacity@zone=us-west-2a,rate=0.5,count=3`. An error message names what is invalid and what
 * is valid.
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
  const fields = new Map<string, string>([['name', name]]);
  if (value !== undefined) fields.set('value', value);
  for (const part of conditions[0]?.split(',') ?? []) {
    const { key, value: wanted } = pair(part);
    if (wanted === undefined || wanted === '')
      throw new FaultSyntaxError(`invalid fault '${text}': '${part}' must have the form key=value`);
    if (fields.has(key)) throw new FaultSyntaxError(`fault '${text}': '${key}' is set twice`);
    fields.set(key, wanted);
  }
  return checkFault(Object.fromEntries(fields));
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
    spec[key] = key === 'value' ? checkValue(row, String(value)) : checkCondition(row, key, value);
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

const CONDITIONS: Readonly<
  Record<string, readonly [wanted: string, read: (value: unknown) => string | number | undefined]>
> = {
  rate: ['a number from 0 to 1', (value) => inRange(value, 0, 1, false)],
  count: ['a whole number from 1', (value) => inRange(value, 1, Number.MAX_SAFE_INTEGER, true)],
  zone: [
    'the name of a zone (us-west-2a) or its letter',
    (value) => /^(?:[a-z]{2}(?:-[a-z]+)+-\d)?[a-z]$/.exec(String(value))?.[0],
  ],
  capacity: ['spot or on-demand', (value) => ['spot', 'on-demand'].find((one) => one === value)],
  size: ['a text', text],
  resource: ['a text', text],
  operation: ['a text', text],
  nodepool: ['a text', text],
};

function checkCondition(row: FaultRow, key: string, value: unknown): string | number {
  const condition = Object.hasOwn(CONDITIONS, key) ? CONDITIONS[key] : undefined;
  if (condition === undefined)
    throw new FaultSyntaxError(
      `fault '${row.name}': unknown condition '${key}'; available: ${Object.keys(CONDITIONS).join(', ')}`,
    );
  const [wanted, read] = condition;
  const checked = read(value);
  if (checked === undefined)
    throw new FaultSyntaxError(`fault '${row.name}': ${key} must be ${wanted}, not '${String(value)}'`);
  return checked;
}

function checkValue(row: FaultRow, value: string): string {
  if (row.value === undefined) throw new FaultSyntaxError(`fault '${row.name}' takes no value`);
  if (row.form === 'number' && !/^\d{1,9}$/.test(value))
    throw new FaultSyntaxError(
      `fault '${row.name}': the value (${row.value}) must be a number, not '${value}'`,
    );
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

function pair(part: string): { key: string; value?: string } {
  const at = part.indexOf('=');
  return at < 0 ? { key: part.trim() } : { key: part.slice(0, at).trim(), value: part.slice(at + 1).trim() };
}
