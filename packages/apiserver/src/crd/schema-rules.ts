/**
 * What the schema in a definition may say: keywords that are not supported, lists and maps whose merge rules make no
 * sense, and CEL rules that do not compile. Structure and defaults are checked in `structural.ts` and
 * `default-check.ts`; the estimated cost of rules is not limited here.
 */
import { FieldErrors } from '../builtin/validation/field-errors.ts';
import { type Declaration, declarationOf } from '../cel/declaration.ts';
import type { FieldError } from '../errors.ts';
import { internalRule } from './internal-form.ts';
import { checkListMapKeys, checkMergeRules } from './merge-rules.ts';
import { resolvePath } from './rule-path.ts';
import { compileRule } from './rules.ts';
import type { JsonSchema, ValidationRule } from './types.ts';

/** `compilesRules` is false when the schema is already known to be wrong: rules are then not looked into. */
export function schemaErrors(schema: JsonSchema, path: string, compilesRules: boolean): FieldError[] {
  const place: Place = { path, isRoot: true, insideMeta: false, compilesRules };
  const { own, rules } = visit(schema, place);
  return [...own, ...rules];
}

// ---------------------------------------------------------------------------------------------------

interface Place {
  readonly path: string;
  readonly isRoot: boolean;
  readonly insideMeta: boolean;
  readonly compilesRules: boolean;
  /** Why there may be no default here. */
  readonly noDefaults?: string;
  /** The first enclosing list whose items cannot be correlated. */
  readonly uncorrelatable?: string;
}

interface Found {
  readonly own: FieldError[];
  readonly rules: FieldError[];
}

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object']);
const META_FIELDS: ReadonlySet<string> = new Set(['metadata', 'kind', 'apiVersion']);

function visit(schema: JsonSchema, place: Place): Found {
  const { path } = place;
  const errors = new FieldErrors();
  checkKeywords(schema, place, errors);
  if (schema.uniqueItems) {
    errors.forbidden(
      `${path}.uniqueItems`,
      'uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
    );
  }
  const { additionalProperties, properties = {} } = schema;
  const strict = additionalProperties !== undefined && additionalProperties !== true;
  if (strict && Object.keys(properties).length > 0) {
    errors.forbidden(
      `${path}.additionalProperties`,
      'additionalProperties and properties are mutual exclusive',
    );
  }
  const children = childrenOf(schema, place).map(([child, at]) => visit(child, at));
  const own = [...errors.list, ...children.flatMap((child) => child.own)];
  const rules = children.flatMap((child) => child.rules);
  const late = new FieldErrors();
  checkMergeRules(schema, path, late);
  checkListMapKeys(schema, path, late);
  schema['x-kubernetes-validations']?.forEach((rule, index) => {
    checkRuleText(rule, schema, `${path}.x-kubernetes-validations[${index}]`, late);
  });
  own.push(...late.list);
  if (own.length === 0 && place.compilesRules) rules.push(...ruleErrors(schema, place));
  return { own, rules };
}

function childrenOf(schema: JsonSchema, place: Place): [JsonSchema, Place][] {
  const { path } = place;
  const inner = { ...place, isRoot: false };
  const nested = { ...inner, compilesRules: false };
  const { additionalProperties, items, not } = schema;
  const children: [JsonSchema, Place][] = [];
  if (typeof additionalProperties === 'object') {
    const noDefaults = place.insideMeta
      ? { noDefaults: 'inside additionalProperties applying to object metadata' }
      : {};
    children.push([additionalProperties, { ...inner, path: `${path}.additionalProperties`, ...noDefaults }]);
  }
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const isMeta =
      META_FIELDS.has(name) && (place.isRoot || schema['x-kubernetes-embedded-resource'] === true);
    children.push([
      property,
      {
        ...inner,
        path: `${path}.properties[${name}]`,
        insideMeta: place.insideMeta || isMeta,
        ...(isMeta && place.isRoot ? { noDefaults: `in top-level ${name}` } : {}),
      },
    ]);
  }
  if (not !== undefined) children.push([not, { ...nested, path: `${path}.not` }]);
  for (const word of ['allOf', 'oneOf', 'anyOf'] as const) {
    schema[word]?.forEach((child, index) => {
      children.push([child, { ...nested, path: `${path}.${word}[${index}]` }]);
    });
  }
  if (items !== undefined && !Array.isArray(items)) {
    const loses = schema['x-kubernetes-list-type'] !== 'map' && place.uncorrelatable === undefined;
    children.push([items, { ...inner, path: `${path}.items`, ...(loses ? { uncorrelatable: path } : {}) }]);
  }
  return children;
}

const UNSUPPORTED = [
  'id',
  'additionalItems',
  'patternProperties',
  'definitions',
  'dependencies',
  '$ref',
] as const;

function checkKeywords(schema: JsonSchema, place: Place, errors: FieldErrors): void {
  const { path } = place;
  if (schema.type && !TYPES.has(schema.type))
    errors.notSupported(`${path}.type`, schema.type, [...TYPES].sort());
  if (schema.default !== undefined && place.noDefaults !== undefined) {
    errors.forbidden(`${path}.default`, `must not be set ${place.noDefaults}`);
  }
  for (const word of UNSUPPORTED) {
    if (schema[word] !== undefined) errors.forbidden(`${path}.${word}`, `${word} is not supported`);
  }
  if (schema.type === 'null') {
    errors.forbidden(`${path}.type`, 'type cannot be set to null, use nullable as an alternative');
  }
  if (Array.isArray(schema.items)) {
    errors.forbidden(`${path}.items`, 'items must be a schema object and not an array');
  }
  if (place.insideMeta && schema['x-kubernetes-embedded-resource']) {
    errors.forbidden(`${path}.x-kubernetes-embedded-resource`, 'must not be used inside of resource meta');
  }
}

const RULE_REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

function checkRuleText(rule: ValidationRule, schema: JsonSchema, path: string, errors: FieldErrors): void {
  const { message = '', messageExpression = '', fieldPath = '' } = rule;
  if (rule.rule.trim() === '') errors.required(`${path}.rule`, 'rule is not specified');
  else if (message !== '' && message.trim() === '') {
    errors.invalid(`${path}.message`, message, 'must be non-empty if specified');
  } else if (hasBreaks(message.trim()))
    errors.invalid(`${path}.message`, message, 'must not contain line breaks');
  else if (hasBreaks(rule.rule.trim()) && message.trim() === '') {
    errors.required(`${path}.message`, 'message must be specified if rule contains line breaks');
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    errors.required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified');
  }
  if (rule.reason !== undefined && !RULE_REASONS.includes(rule.reason)) {
    errors.notSupported(`${path}.reason`, rule.reason, RULE_REASONS);
  }
  if (fieldPath === '') return;
  if (fieldPath.trim() === '')
    errors.invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified');
  if (hasBreaks(fieldPath)) errors.invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks');
  if (typeof resolvePath(fieldPath, schema) === 'string') {
    errors.invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path');
  }
}

function hasBreaks(text: string): boolean {
  return /[\n\r]/.test(text);
}

function ruleErrors(schema: JsonSchema, place: Place): FieldError[] {
  const rules = schema['x-kubernetes-validations'] ?? [];
  if (rules.length === 0) return [];
  const path = `${place.path}.x-kubernetes-validations`;
  const declaration = declarationOf(schema, place.isRoot);
  if (declaration === undefined) {
    const detail = 'internal error: failed to retrieve type information for x-kubernetes-validations';
    return [{ reason: 'InternalError', field: path, detail }];
  }
  return rules.flatMap((rule, index) =>
    oneRuleErrors(rule, schema, declaration, `${path}[${index}]`, place.uncorrelatable),
  );
}

function oneRuleErrors(
  rule: ValidationRule,
  schema: JsonSchema,
  declaration: Declaration,
  path: string,
  uncorrelatable: string | undefined,
): FieldError[] {
  const errors = new FieldErrors();
  const compiled = compileRule(rule, schema, declaration);
  if (compiled.error !== undefined) errors.invalid(`${path}.rule`, internalRule(rule), compiled.error);
  if (compiled.messageError !== undefined) {
    errors.invalid(`${path}.messageExpression`, internalRule(rule), compiled.messageError);
  }
  if (compiled.usesOldSelf && uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    errors.invalid(`${path}.rule`, rule.rule, why);
  }
  if (!compiled.usesOldSelf && rule.optionalOldSelf !== undefined) {
    errors.invalid(
      `${path}.optionalOldSelf`,
      rule.optionalOldSelf,
      'may not be set if oldSelf is not used in rule',
    );
  }
  return errors.list;
}
