/** Validates the fields behind the scale of a custom resource, at the paths in its definition. */
import type { KubeObject } from '@chandler/kube';
import type { FieldError } from '../errors.ts';
import { ownField } from '../storage/json.ts';
import { isFields } from './correlate.ts';
import type { ScalePaths } from './types.ts';

export function checkScaleSpec(object: KubeObject, scale: ScalePaths | undefined): FieldError[] {
  return scale === undefined ? [] : checkCount(object, scale.specReplicasPath);
}

export function checkScaleStatus(object: KubeObject, scale: ScalePaths | undefined): FieldError[] {
  if (scale === undefined) return [];
  const errors = checkCount(object, scale.statusReplicasPath);
  if (scale.labelSelectorPath === undefined) return errors;
  const selector = valueAt(object, scale.labelSelectorPath);
  if (selector.error !== undefined) errors.push(invalidAt(scale.labelSelectorPath, '', selector.error));
  else if (selector.value !== undefined && typeof selector.value !== 'string') {
    errors.push(
      invalidAt(
        scale.labelSelectorPath,
        '',
        accessorError(scale.labelSelectorPath, selector.value, 'string'),
      ),
    );
  }
  return errors;
}

// ---------------------------------------------------------------------------------------------------

const MAX_INT32 = 2147483647;

function checkCount(object: KubeObject, path: string): FieldError[] {
  const { value, error } = valueAt(object, path);
  if (error !== undefined) return [invalidAt(path, 0, error)];
  if (value === undefined) return [];
  if (!Number.isInteger(value)) return [invalidAt(path, 0, accessorError(path, value, 'int64'))];
  const count = value as number;
  if (count < 0) return [invalidAt(path, count, 'should be a non-negative integer')];
  return count > MAX_INT32 ? [invalidAt(path, count, `should be less than or equal to ${MAX_INT32}`)] : [];
}

function valueAt(object: KubeObject, path: string): { value?: unknown; error?: string } {
  const names = namesOf(path);
  let value: unknown = object;
  for (const [index, name] of names.entries()) {
    if (!isFields(value)) {
      const upTo = `.${names.slice(0, index + 1).join('.')}`;
      return {
        error: `${upTo} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected map[string]interface{}`,
      };
    }
    value = ownField(value, name);
    if (value === undefined) return {};
  }
  return { value };
}

function namesOf(path: string): string[] {
  return path.replace(/^\./, '').split('.');
}

function accessorError(path: string, value: unknown, expected: string): string {
  return `.${namesOf(path).join('.')} accessor error: ${goValue(value)} is of the type ${goType(value)}, expected ${expected}`;
}

function goValue(value: unknown): string {
  if (value === null) return '<nil>';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function goType(value: unknown): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  return { string: 'string', boolean: 'bool' }[typeof value as string] ?? 'map[string]interface {}';
}

function invalidAt(field: string, value: unknown, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field, value, detail };
}
