/**
 * Checks the spec of a CustomResourceDefinition. The API server works on an older form of it, in which what all
 * versions have in common is at the top level. Its errors refer to that form, so the spec is converted first.
 */
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { dns1035Name, subdomainName } from '../builtin/validation/names.ts';
import { sameJson } from '../cel/declaration.ts';
import type { FieldError } from '../errors.ts';
import { defaultErrors } from './default-check.ts';
import { checkConversion } from './definition-conversion.ts';
import { checkColumns, checkDeprecation, checkSelectable, checkSubresources } from './definition-parts.ts';
import { internalSchema, internalVersion, SCHEMA_FIELDS } from './internal-form.ts';
import { schemaErrors } from './schema-rules.ts';
import { isConvertible, structuralErrors } from './structural.ts';
import type { CrdNames, CrdSpec, CrdVersion, JsonSchema } from './types.ts';

export function specErrors(spec: CrdSpec): FieldError[] {
  const errors = new FieldErrors();
  checkGroup(spec.group, errors);
  errors.oneOf('spec.scope', spec.scope, ['Cluster', 'Namespaced']);
  const { common, versions } = hoisted(spec);
  if (common.schema?.openAPIV3Schema === undefined) {
    versions.forEach((version, index) => {
      const at = `spec.versions[${index}].schema.openAPIV3Schema`;
      if (version.schema?.openAPIV3Schema === undefined) errors.required(at);
    });
  }
  versions.forEach((version, index) => {
    const at = `spec.versions[${index}]`;
    const problems = dns1035Name(version.name);
    if (problems.length > 0) errors.invalid(`${at}.name`, version.name, problems.join(','));
    const subresources = common.subresources ?? version.subresources;
    checkDeprecation(version, at, errors);
    checkVersionParts(version, at, 'schema', subresources?.status !== undefined, errors);
  });
  checkVersionSet(spec, versions, errors);
  requireNames(spec.names, errors);
  checkNames(spec.names, 'spec.names', errors);
  const anyStatus = spec.versions.some((version) => version.subresources?.status !== undefined);
  checkVersionParts({ ...common, name: '' }, 'spec', 'validation', anyStatus, errors);
  checkConversion(spec.conversion, errors);
  return errors.list;
}

export function checkNames(names: CrdNames, path: string, errors: FieldErrors): void {
  const check = (name: string | undefined, field: string, mixedCase = false) => {
    if (!name) return;
    const problems = dns1035Name(mixedCase ? name.toLowerCase() : name);
    const prefix = mixedCase ? 'may have mixed case, but should otherwise match: ' : '';
    if (problems.length > 0) errors.invalid(`${path}.${field}`, name, prefix + problems.join(','));
  };
  check(names.plural, 'plural');
  check(names.singular, 'singular');
  check(names.kind, 'kind', true);
  check(names.listKind, 'listKind', true);
  names.shortNames?.forEach((name, index) => {
    check(name, `shortNames[${index}]`);
  });
  if (names.kind && names.kind === names.listKind) {
    errors.invalid(`${path}.listKind`, names.listKind, 'kind and listKind may not be the same');
  }
  names.categories?.forEach((name, index) => {
    check(name, `categories[${index}]`);
  });
}

// ---------------------------------------------------------------------------------------------------

type Parts = Pick<CrdVersion, 'schema' | 'subresources' | 'additionalPrinterColumns' | 'selectableFields'>;
const PARTS = ['schema', 'subresources', 'additionalPrinterColumns', 'selectableFields'] as const;

function hoisted(spec: CrdSpec): { common: Parts; versions: CrdVersion[] } {
  const common: Parts = {};
  const versions = spec.versions.map((version) => ({ ...version }));
  const first = spec.versions[0];
  for (const part of first === undefined ? [] : PARTS) {
    if (
      first![part] === undefined ||
      !spec.versions.every((version) => sameJson(version[part], first![part]))
    )
      continue;
    Object.assign(common, { [part]: first![part] });
    for (const version of versions) delete version[part];
  }
  return { common, versions };
}

function checkGroup(group: string, errors: FieldErrors): void {
  if (!group) {
    errors.required('spec.group');
    return;
  }
  const problems = subdomainName(group);
  if (problems.length > 0) errors.invalid('spec.group', group, problems.join(','));
  else if (!group.includes('.'))
    errors.invalid('spec.group', group, 'should be a domain with at least one dot');
}

function checkVersionParts(
  version: Parts & { name: string },
  at: string,
  word: string,
  hasStatus: boolean,
  errors: FieldErrors,
): void {
  const schema = version.schema?.openAPIV3Schema;
  if (schema !== undefined) errors.list.push(...checkSchema(schema, `${at}.${word}`, hasStatus));
  checkSubresources(version.subresources, `${at}.subresources`, errors);
  checkColumns(version.additionalPrinterColumns ?? [], `${at}.additionalPrinterColumns`, errors);
  checkSelectable(version.selectableFields ?? [], schema, `${at}.selectableFields`, errors);
}

function checkVersionSet(spec: CrdSpec, versions: readonly CrdVersion[], errors: FieldErrors): void {
  const names = versions.map((version) => version.name);
  if (new Set(names).size < names.length) {
    errors.invalid('spec.versions', versions.map(internalVersion), 'must contain unique version names');
  }
  if (versions.filter((version) => version.storage).length !== 1) {
    errors.invalid(
      'spec.versions',
      versions.map(internalVersion),
      'must have exactly one version marked as storage version',
    );
  }
  const first = spec.versions[0]?.name ?? '';
  const problems = first === '' ? [] : dns1035Name(first);
  if (problems.length > 0) errors.invalid('spec.version', first, problems.join(','));
}

function requireNames(names: CrdNames, errors: FieldErrors): void {
  for (const field of ['plural', 'singular', 'kind', 'listKind'] as const) {
    if (!names[field]) errors.required(`spec.names.${field}`);
  }
}

function checkSchema(schema: JsonSchema, at: string, hasStatus: boolean): FieldError[] {
  const path = `${at}.openAPIV3Schema`;
  const errors = new FieldErrors();
  if (hasStatus) checkRootKeywords(schema, path, errors);
  if (schema.nullable) errors.forbidden(`${path}.nullable`, 'nullable cannot be true at the root');
  const structural = isConvertible(schema) ? structuralErrors(schema, path) : undefined;
  const defaults = structural?.length === 0 ? defaultErrors(schema, path) : [];
  errors.list.push(...(structural ?? []), ...defaults);
  const compilesRules = structural?.length === 0 && defaults.length === 0;
  return [...errors.list, ...schemaErrors(schema, path, compilesRules)];
}

/** With a status of its own only these may stand at the root, since the status is checked without the rest. */
const AT_ROOT = (
  'Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern ' +
  'MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields ' +
  'XValidations'
).split(' ');

function checkRootKeywords(schema: JsonSchema, path: string, errors: FieldErrors): void {
  for (const [field, name] of SCHEMA_FIELDS) {
    if (schema[field] === undefined) continue;
    if (field === 'type' && schema.type !== 'object') {
      const why =
        'only "object" is allowed as the type at the root of the schema if the status subresource is enabled';
      errors.invalid(`${path}.type`, schema.type, why);
      return;
    }
    if (AT_ROOT.includes(name)) continue;
    const why = `only [${AT_ROOT.join(' ')}] fields are allowed at the root of the schema if the status subresource is enabled`;
    errors.invalid(path, internalSchema(schema), why);
    return;
  }
}
