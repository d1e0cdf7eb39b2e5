/**
 * Checks a value against a schema, keyword by keyword, with the errors and the order of the real API server
 * (where that walks a map in random order, here it is the order of the schema). Compiled once; rules in CEL, list
 * types and embedded resources are checked elsewhere.
 */
import { sameJson } from '../cel/declaration.ts';
import { characters } from '../cel/library/operators.ts';
import { re2 } from '../cel/regex.ts';
import type { FieldError } from '../errors.ts';
import { type Check, combinationCheck } from './combination-check.ts';
import { type Correlated, isFields } from './correlate.ts';
import { Findings, fieldErrors, found, jsonType } from './findings.ts';
import { isKnownFormat, stringFormat } from './formats.ts';
import { numberCheck } from './number-check.ts';
import type { JsonSchema } from './types.ts';

/** `base` is the path of the value in the object. With `before`, unchanged parts may stay wrong. */
export type SchemaCheck = (value: unknown, base: string, before?: Correlated) => FieldError[];

export function compileSchema(schema: JsonSchema): SchemaCheck {
  const check = ratcheting(nodeCheck(schema));
  return (value, base, before) => {
    const findings = check(value, '', before);
    return findings.valid ? NO_ERRORS : fieldErrors(findings, base);
  };
}

// ---------------------------------------------------------------------------------------------------

const NO_ERRORS: FieldError[] = [];
const NUMERIC = ['integer', 'number'];

interface Step {
  /** The types of value this step looks at; all when absent. */
  readonly kinds?: readonly string[];
  readonly run: (value: unknown, at: string, before: Correlated | undefined, findings: Findings) => void;
}

/** The check of a node without regard to whether the node itself changed. */
function nodeCheck(schema: JsonSchema): Check {
  const steps = stepsOf(schema);
  const nullSteps = [typeStep(schema), enumStep(schema)].filter((step) => step !== undefined);
  return (value, at, before) => {
    const findings = new Findings();
    if (value === null || value === undefined) {
      for (const { run } of nullSteps) run(null, at, before, findings);
      return findings;
    }
    const type = jsonType(value);
    for (const step of steps) {
      if (step.kinds !== undefined && !step.kinds.includes(type)) continue;
      step.run(value, at, before, findings);
      findings.matches++;
    }
    findings.matches++;
    return findings;
  };
}

function ratcheting(check: Check): Check {
  return (value, at, before) => {
    const findings = check(value, at, before);
    if (!findings.valid && before?.equal()) findings.list = [];
    return findings;
  };
}

function stepsOf(schema: JsonSchema): Step[] {
  const combination = combinationCheck(schema, nodeCheck);
  const steps: (Step | undefined)[] = [
    typeStep(schema),
    { run: (value, at, before, findings) => findings.merge(combination(value, at, before)) },
    stringStep(schema),
    formatStep(schema),
    numberStep(schema),
    sliceStep(schema),
    enumStep(schema) ?? { run: () => {} },
    objectStep(schema),
  ];
  return steps.filter((step) => step !== undefined);
}

function typesOf(schema: JsonSchema): string[] {
  if (schema['x-kubernetes-int-or-string']) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function typeStep(schema: JsonSchema): Step | undefined {
  const types = typesOf(schema);
  const onlyType = types.length === 1 ? types[0]! : '';
  const format = isKnownFormat(onlyType, schema.format ?? '') ? schema.format! : '';
  if (types.length === 0 && format === '') return undefined;
  const joined = types.join(',');
  const textual = format !== '' && !types.includes('number') && !types.includes('integer');
  const fits = (actual: string) =>
    types.includes(actual) || (actual === 'integer' && types.includes('number'));
  return {
    run: (value, at, _before, findings) => {
      const actual = jsonType(value);
      if (actual === 'null') {
        if (types.length > 0 && !schema.nullable) findings.add(found.wrongType(at, joined, 'null'));
        else findings.matches++;
        return;
      }
      const isText = actual === 'string' || actual === 'array';
      if (fits(actual) || (textual && isText)) findings.matches++;
      else if (format !== '' && !isText) findings.add(found.wrongType(at, format, goFormat(actual)));
      else findings.add(found.wrongType(at, joined, actual));
    },
  };
}

/** What Go calls the representation of a number; other types have none. */
function goFormat(actual: string): string {
  return { integer: 'int64', number: 'float64' }[actual] ?? '';
}

function stringStep(schema: JsonSchema): Step {
  const { maxLength, minLength, pattern } = schema;
  const counts = maxLength !== undefined || minLength !== undefined;
  return {
    kinds: ['string'],
    run: (value, at, _before, findings) => {
      const text = value as string;
      const length = counts ? characters(text) : 0;
      if (maxLength !== undefined && length > maxLength) findings.add(found.tooLong(at, maxLength));
      else if (minLength !== undefined && length < minLength) {
        findings.add(found.invalid(at, text, `should be at least ${minLength} chars long`));
      } else if (pattern && !re2(pattern).test(text))
        findings.add(found.invalid(at, text, `should match '${pattern}'`));
    },
  };
}

function formatStep(schema: JsonSchema): Step | undefined {
  const type = typesOf(schema).length > 1 ? 'int-or-string' : (schema.type ?? '');
  const check = isKnownFormat(type, schema.format ?? '') ? stringFormat(schema.format) : undefined;
  if (check === undefined) return undefined;
  return {
    kinds: ['string'],
    run: (value, at, _before, findings) => {
      if (!check(value as string)) findings.add(found.wrongType(at, schema.format!, value as string));
    },
  };
}

function numberStep(schema: JsonSchema): Step {
  const check = numberCheck(schema);
  return {
    kinds: NUMERIC,
    run: (value, at, _before, findings) => {
      check(value as number, at, (finding) => findings.add(finding));
      findings.matches++;
    },
  };
}

function sliceStep(schema: JsonSchema): Step {
  const items = schema.items === undefined ? undefined : ratcheting(nodeCheck(schema.items));
  const { minItems, maxItems } = schema;
  return {
    kinds: ['array'],
    run: (value, at, before, findings) => {
      const list = value as readonly unknown[];
      if (items !== undefined) {
        for (let index = 0; index < list.length; index++) {
          findings.merge(items(list[index], `${at}[${index}]`, before?.index(index)));
        }
      }
      if (minItems !== undefined && list.length < minItems) {
        findings.add(found.invalid(at, list.length, `should have at least ${minItems} items`));
      }
      if (maxItems !== undefined && list.length > maxItems)
        findings.add(found.tooMany(at, maxItems, list.length, 'items'));
      if (schema.uniqueItems && hasDuplicates(list))
        findings.add(found.invalid(at, '', "shouldn't contain duplicates"));
      findings.matches++;
    },
  };
}

function hasDuplicates(list: readonly unknown[]): boolean {
  return list.some((item, index) => list.slice(0, index).some((other) => sameJson(item, other)));
}

function enumStep(schema: JsonSchema): Step | undefined {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0) return undefined;
  return {
    run: (value, at, _before, findings) => {
      if (value === null || !allowed.some((one) => sameJson(one, value)))
        findings.add(found.notInEnum(at, value, allowed));
    },
  };
}

function objectStep(schema: JsonSchema): Step {
  const count = propertyCount(schema);
  const undeclared = undeclaredCheck(schema);
  const properties = Object.entries(schema.properties ?? {}).map(
    ([name, property]) => [name, ratcheting(nodeCheck(property))] as const,
  );
  const required = schema.required ?? [];
  return {
    kinds: ['object'],
    run: (value, at, before, findings) => {
      if (!isFields(value)) return;
      count?.(value, at, findings);
      undeclared?.(value, at, before, findings);
      for (const [name, check] of properties) {
        if (!Object.hasOwn(value, name)) continue;
        const child = at === '' && TYPE_FIELDS.has(name) ? undefined : before?.key(name);
        findings.merge(check(value[name], at === '' ? name : `${at}.${name}`, child));
      }
      for (const name of required) {
        if (!Object.hasOwn(value, name)) findings.add(found.required(`${at}.${name}`));
      }
    },
  };
}

/** Both versions of an object are converted alike, so a change of these cannot be seen. */
const TYPE_FIELDS: ReadonlySet<string> = new Set(['apiVersion', 'kind']);

type Fields = Record<string, unknown>;

function propertyCount(
  schema: JsonSchema,
): ((value: Fields, at: string, findings: Findings) => void) | undefined {
  const { minProperties, maxProperties } = schema;
  if (minProperties === undefined && maxProperties === undefined) return undefined;
  return (value, at, findings) => {
    const size = Object.keys(value).length;
    if (minProperties !== undefined && size < minProperties) {
      findings.add(found.invalid(at, size, `should have at least ${minProperties} properties`));
    }
    if (maxProperties !== undefined && size > maxProperties) {
      findings.add(found.tooMany(at, maxProperties, size, 'properties'));
    }
  };
}

/** Fields beside those with names: they have one schema for all, or are not allowed. */
function undeclaredCheck(
  schema: JsonSchema,
): ((value: Fields, at: string, before: Correlated | undefined, findings: Findings) => void) | undefined {
  const { additionalProperties } = schema;
  if (additionalProperties === undefined || additionalProperties === true) return undefined;
  const declared = new Set(Object.keys(schema.properties ?? {}));
  const check = additionalProperties === false ? undefined : ratcheting(nodeCheck(additionalProperties));
  return (value, at, before, findings) => {
    for (const key of Object.keys(value)) {
      if (declared.has(key)) continue;
      if (check === undefined) findings.add(found.forbidden(at, key));
      else findings.merge(check(value[key], `${at}.${key}`, before?.key(key)));
    }
  };
}
