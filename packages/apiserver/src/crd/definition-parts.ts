/** The smaller parts of a version: subresources, printer columns, selectable fields, its deprecation. */
import type { FieldErrors } from '../builtin/validation/field-errors.ts';
import { resolvePath } from './rule-path.ts';
import type { CrdColumn, CrdVersion, JsonSchema } from './types.ts';

export function checkSubresources(
  subresources: CrdVersion['subresources'],
  path: string,
  errors: FieldErrors,
): void {
  const scale = subresources?.scale;
  if (scale === undefined) return;
  checkUnder(scale.specReplicasPath, ['.spec.'], 'under .spec', `${path}.scale.specReplicasPath`, errors);
  checkUnder(
    scale.statusReplicasPath,
    ['.status.'],
    'under .status',
    `${path}.scale.statusReplicasPath`,
    errors,
  );
  if (!scale.labelSelectorPath) return;
  const roots = ['.spec.', '.status.'];
  checkUnder(
    scale.labelSelectorPath,
    roots,
    'under either .spec or .status',
    `${path}.scale.labelSelectorPath`,
    errors,
  );
}

export function checkColumns(columns: readonly CrdColumn[], path: string, errors: FieldErrors): void {
  columns.forEach((column, index) => {
    const at = `${path}[${index}]`;
    const types = `must be one of ${COLUMN_TYPES.join(',')}`;
    if (!column.name) errors.required(`${at}.name`);
    if (!column.type) errors.required(`${at}.type`, types);
    else if (!COLUMN_TYPES.includes(column.type)) errors.invalid(`${at}.type`, column.type, types);
    if (column.format && !COLUMN_FORMATS.includes(column.format)) {
      errors.invalid(`${at}.format`, column.format, `must be one of ${COLUMN_FORMATS.join(',')}`);
    }
    if (!column.jsonPath) errors.required(`${at}.JSONPath`);
    else if (!column.jsonPath.startsWith('.')) errors.invalid(`${at}.JSONPath`, column.jsonPath, SIMPLE_PATH);
  });
}

export function checkSelectable(
  fields: readonly { readonly jsonPath: string }[],
  schema: JsonSchema | undefined,
  path: string,
  errors: FieldErrors,
): void {
  const seen = new Set<string>();
  for (const [index, { jsonPath }] of fields.entries()) {
    const at = `${path}[${index}].jsonPath`;
    const resolved = jsonPath ? resolvePath(jsonPath, schema ?? {}, false) : '';
    if (!jsonPath) errors.required(at);
    else if (typeof resolved === 'string') errors.invalid(at, jsonPath, `is an invalid path: ${resolved}`);
    if (typeof resolved === 'string') continue;
    if (resolved.names[0] === 'metadata')
      errors.invalid(at, jsonPath, 'must not point to fields in metadata');
    if (!SELECTABLE_TYPES.includes(resolved.schema.type ?? '')) {
      const why =
        'must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.';
      errors.invalid(at, jsonPath, why);
    }
    if (seen.has(resolved.text)) errors.duplicate(at, jsonPath);
    seen.add(resolved.text);
  }
  if (seen.size > MAX_SELECTABLE) errors.tooMany(path, seen.size, MAX_SELECTABLE);
}

export function checkDeprecation(version: CrdVersion, path: string, errors: FieldErrors): void {
  const { deprecated, deprecationWarning } = version;
  if (deprecationWarning === undefined) return;
  const at = `${path}.deprecationWarning`;
  if (!deprecated) {
    errors.invalid(at, deprecationWarning, 'can only be set for deprecated versions');
    return;
  }
  if (Buffer.byteLength(deprecationWarning) > 256)
    errors.invalid(at, deprecationWarning, 'must be <= 256 characters long');
  if (deprecationWarning === '') errors.invalid(at, deprecationWarning, 'must not be an empty string');
  const hidden = /[\p{C}\u2028\u2029]/u.exec(deprecationWarning);
  if (hidden !== null) {
    const why = `must only contain printable UTF-8 characters; non-printable character found at index ${hidden.index}`;
    errors.invalid(at, deprecationWarning, why);
  }
}

// ---------------------------------------------------------------------------------------------------

const SIMPLE_PATH = 'must be a simple json path starting with .';
const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const SELECTABLE_TYPES = ['string', 'boolean', 'integer'];
const MAX_SELECTABLE = 8;

function checkUnder(
  path: string,
  roots: readonly string[],
  where: string,
  at: string,
  errors: FieldErrors,
): void {
  if (!path) errors.required(at);
  else if (!path.startsWith('.')) errors.invalid(at, path, SIMPLE_PATH);
  else if (!roots.some((root) => path.startsWith(root)))
    errors.invalid(at, path, `should be a json path ${where}`);
}
