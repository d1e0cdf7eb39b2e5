/**
 * The CEL rules of a schema (`x-kubernetes-validations`), compiled once, and how they are applied: to every value
 * that is present and not null, with the old value where the two can be correlated. A rule that failed before only
 * warns while its value does not change.
 */
import { compile } from '../cel/compile.ts';
import type { Compiled } from '../cel/compiled.ts';
import { type Declaration, declarationOf } from '../cel/declaration.ts';
import { Effort, EffortExceeded } from '../cel/effort.ts';
import { CompileError, compileErrorText } from '../cel/syntax.ts';
import * as types from '../cel/types.ts';
import { CelError, type CelValue, Optional } from '../cel/values.ts';
import { type FieldError, type FieldErrorReason, fieldErrorText } from '../errors.ts';
import { ownField } from '../storage/json.ts';
import { type Correlated, isFields, itemKey, itemsByKey } from './correlate.ts';
import { resolvePath } from './rule-path.ts';
import type { JsonSchema, ValidationRule } from './types.ts';

export interface CompiledRule {
  readonly rule: ValidationRule;
  /** As the server words it, after `rule` or `messageExpression`. */
  readonly error?: string;
  readonly messageError?: string;
  readonly usesOldSelf: boolean;
  readonly run?: Compiled['run'];
  readonly message?: Compiled['run'];
  readonly fieldPath: string;
}

export interface RuleRequest {
  readonly value: unknown;
  /** The value before; undefined on creation. */
  readonly old?: unknown;
  /** Given on update, for ratcheting. */
  readonly before?: Correlated;
  readonly path?: string;
  readonly warn?: (text: string) => void;
}

export type RuleCheck = (request: RuleRequest) => FieldError[];

/** undefined when there are no rules. `isRoot` is true for the schema of a whole resource. */
export function compileRules(schema: JsonSchema, isRoot: boolean): RuleCheck | undefined {
  const node = nodeOf(schema, isRoot);
  if (node === undefined) return undefined;
  return ({ value, old, before, path = '', warn = () => {} }) => {
    const errors: FieldError[] = [];
    const sink = { errors, warn, effort: new Effort() };
    visit(node, { value, old, path, current: before, nearest: undefined }, sink);
    return errors;
  };
}

export function compileRule(
  rule: ValidationRule,
  schema: JsonSchema,
  declaration: Declaration,
): CompiledRule {
  const oldType = rule.optionalOldSelf ? types.optionalOf(declaration.type) : declaration.type;
  const variables = [['self', declaration.type] as const, ['oldSelf', oldType] as const];
  const path = rule.fieldPath ? resolvePath(rule.fieldPath, schema) : undefined;
  const base = { rule, usesOldSelf: false, fieldPath: typeof path === 'object' ? path.text : '' };
  if (rule.rule.trim() === '') return base;
  const program = attempt(() => compile(rule.rule, variables));
  if (program instanceof CompileError) {
    return { ...base, error: `compilation failed: ${compileErrorText(rule.rule, program)}` };
  }
  if (program.type !== types.BOOL) return { ...base, error: 'cel expression must evaluate to a bool' };
  const compiled = { ...base, usesOldSelf: program.uses.has('oldSelf'), run: program.run };
  if (!rule.messageExpression) return compiled;
  const message = attempt(() => compile(rule.messageExpression!, variables));
  if (message instanceof CompileError) {
    const text = compileErrorText(rule.messageExpression, message);
    return { ...compiled, messageError: `messageExpression compilation failed: ${text}` };
  }
  if (message.type !== types.STRING) {
    return { ...compiled, messageError: 'messageExpression must evaluate to a string' };
  }
  return { ...compiled, message: message.run };
}

// ---------------------------------------------------------------------------------------------------

interface RuleNode {
  readonly schema: JsonSchema;
  readonly declaration: Declaration | undefined;
  readonly rules: readonly CompiledRule[];
  readonly properties: ReadonlyMap<string, RuleNode>;
  readonly additional: RuleNode | undefined;
  readonly items: RuleNode | undefined;
}

interface Place {
  readonly value: unknown;
  readonly old: unknown;
  readonly path: string;
  readonly current: Correlated | undefined;
  /** The closest part around this one that has a counterpart; undefined at the root. */
  readonly nearest: Correlated | undefined;
}

interface Sink {
  readonly errors: FieldError[];
  readonly warn: (text: string) => void;
  readonly effort: Effort;
  /** The cost limit is exceeded: no further rules are run. */
  stopped?: boolean;
}

function attempt<T>(make: () => T): T | CompileError {
  try {
    return make();
  } catch (error) {
    if (error instanceof CompileError) return error;
    throw error;
  }
}

function nodeOf(schema: JsonSchema, isRoot: boolean): RuleNode | undefined {
  const properties = new Map<string, RuleNode>();
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const node = nodeOf(property, false);
    if (node !== undefined) properties.set(name, node);
  }
  const { additionalProperties } = schema;
  const additional =
    typeof additionalProperties === 'object' ? nodeOf(additionalProperties, false) : undefined;
  const items = schema.items === undefined ? undefined : nodeOf(schema.items, false);
  const given = schema['x-kubernetes-validations'] ?? [];
  if (given.length === 0 && properties.size === 0 && additional === undefined && items === undefined)
    return undefined;
  const declaration = given.length === 0 ? undefined : declarationOf(schema, isRoot);
  const rules = declaration === undefined ? [] : given.map((rule) => compileRule(rule, schema, declaration));
  return { schema, declaration, rules, properties, additional, items };
}

function visit(node: RuleNode, place: Place, sink: Sink): void {
  if (place.value === null || place.value === undefined || sink.stopped) return;
  if (node.rules.length > 0) runRules(node, place, sink);
  if (Array.isArray(place.value)) visitItems(node, place, place.value, sink);
  else if (isFields(place.value)) visitFields(node, place, place.value, sink);
}

function visitItems(node: RuleNode, place: Place, list: readonly unknown[], sink: Sink): void {
  const { items } = node;
  if (items === undefined) return;
  const keyed = node.schema['x-kubernetes-list-type'] === 'map' && Array.isArray(place.old);
  const oldItems = keyed ? itemsByKey(node.schema, place.old as unknown[]) : undefined;
  list.forEach((value, index) => {
    const key = oldItems === undefined ? undefined : itemKey(node.schema, value);
    visit(
      items,
      {
        value,
        old: key === undefined ? undefined : oldItems?.get(key),
        path: `${place.path}[${index}]`,
        ...inside(place, (current) => current.index(index)),
      },
      sink,
    );
  });
}

function visitFields(node: RuleNode, place: Place, fields: Record<string, unknown>, sink: Sink): void {
  const oldFields = isFields(place.old) ? place.old : {};
  const enter = (child: RuleNode, key: string, path: string) => {
    const unseen =
      place.current !== undefined && place.nearest === undefined && (key === 'apiVersion' || key === 'kind');
    const correlation = unseen
      ? { current: undefined, nearest: undefined }
      : inside(place, (current) => current.key(key));
    visit(child, { value: ownField(fields, key), old: ownField(oldFields, key), path, ...correlation }, sink);
  };
  if (node.additional !== undefined) {
    for (const key of Object.keys(fields)) enter(node.additional, key, `${place.path}[${key}]`);
  }
  for (const [key, child] of node.properties) {
    if (Object.hasOwn(fields, key)) enter(child, key, place.path === '' ? key : `${place.path}.${key}`);
  }
}

function inside(
  place: Place,
  step: (current: Correlated) => Correlated | undefined,
): Pick<Place, 'current' | 'nearest'> {
  if (place.current === undefined) return { current: undefined, nearest: place.nearest };
  return { current: step(place.current), nearest: place.current };
}

function runRules(node: RuleNode, place: Place, sink: Sink): void {
  const hasOld = place.old !== undefined && place.old !== null;
  const values = new RuleValues(node.declaration!, place.value, hasOld ? place.old : undefined);
  for (const compiled of node.rules) {
    const { rule, run } = compiled;
    if (run === undefined) {
      if (compiled.error === undefined) continue;
      sink.errors.push(asTyped(node, place, `rule compile error: ${compiled.error}`));
      continue;
    }
    if (compiled.usesOldSelf && !hasOld && !rule.optionalOldSelf) continue;
    try {
      const frame = values.frame(compiled);
      sink.effort.run(() => {
        if (run(frame) !== true) report(node, compiled, frame, place, sink);
      });
    } catch (error) {
      if (error instanceof EffortExceeded) {
        sink.stopped = true;
        sink.errors.push(asTyped(node, place, exceededText(error.message, rule, sink.effort)));
        return;
      }
      if (!(error instanceof CelError)) throw error;
      sink.errors.push(asTyped(node, place, evaluationText(error.message, rule)));
    }
  }
}

/** `self` and `oldSelf` of one place, converted when a rule first needs them. */
class RuleValues {
  readonly #declaration: Declaration;
  readonly #value: unknown;
  readonly #old: unknown;
  #self: CelValue | undefined;
  #oldSelf: CelValue | undefined;

  constructor(declaration: Declaration, value: unknown, old: unknown) {
    this.#declaration = declaration;
    this.#value = value;
    this.#old = old;
  }

  frame(compiled: CompiledRule): CelValue[] {
    this.#self ??= this.#declaration.read(this.#value);
    if (!compiled.usesOldSelf) return [this.#self, null];
    if (this.#old !== undefined) this.#oldSelf ??= this.#declaration.read(this.#old);
    const before = this.#oldSelf;
    if (!compiled.rule.optionalOldSelf) return [this.#self, before ?? null];
    return [this.#self, before === undefined ? Optional.NONE : new Optional(before)];
  }
}

function exceededText(message: string, rule: ValidationRule, effort: Effort): string {
  if (effort.exhausted)
    return 'validation failed due to running out of cost budget, no further validation rules will be run';
  return `'${message}': no further validation rules will be run due to call cost exceeds limit for rule: ${ruleText(rule)}`;
}

function evaluationText(message: string, rule: ValidationRule): string {
  if (!message.startsWith('no such overload')) return `${message} evaluating rule: ${ruleText(rule)}`;
  return `'${message}': call arguments did not match a supported operator, function or macro signature for rule: ${ruleText(rule)}`;
}

/** For an error of the rule itself, the type is shown instead of the value. */
function asTyped(node: RuleNode, place: Place, detail: string): FieldError {
  return { reason: 'FieldValueInvalid', field: place.path || '<nil>', value: node.schema.type ?? '', detail };
}

function report(node: RuleNode, compiled: CompiledRule, frame: CelValue[], place: Place, sink: Sink): void {
  const { rule } = compiled;
  const detail =
    messageOf(compiled, frame) ?? (rule.message ? rule.message.trim() : `failed rule: ${ruleText(rule)}`);
  const compound = node.schema.type === 'object' || node.schema.type === 'array';
  const field = [place.path, compiled.fieldPath].filter((part) => part !== '').join('.') || '<nil>';
  const reason = (REASONS.has(rule.reason ?? '') ? rule.reason : 'FieldValueInvalid') as FieldErrorReason;
  const shown = compound || NO_VALUE.has(reason) ? {} : { value: place.value };
  const error: FieldError = {
    reason,
    field,
    detail: reason === 'FieldValueDuplicate' ? '' : detail,
    ...shown,
  };
  const unchanged = place.current === undefined ? place.nearest?.equal() : place.current.equal();
  if (!compiled.usesOldSelf && unchanged) sink.warn(fieldErrorText(error));
  else sink.errors.push(error);
}

const REASONS: ReadonlySet<string> = new Set([
  'FieldValueRequired',
  'FieldValueForbidden',
  'FieldValueDuplicate',
]);
const NO_VALUE: ReadonlySet<string> = new Set(['FieldValueRequired', 'FieldValueForbidden']);
const MAX_MESSAGE_BYTES = 5 * 1024;

/** undefined when there is no message expression, or it gives nothing that could be shown. */
function messageOf(compiled: CompiledRule, frame: CelValue[]): string | undefined {
  if (compiled.message === undefined) return undefined;
  try {
    const text = compiled.message(frame);
    if (typeof text !== 'string') return undefined;
    const trimmed = text.trim();
    const usable =
      trimmed !== '' && !trimmed.includes('\n') && Buffer.byteLength(trimmed) <= MAX_MESSAGE_BYTES;
    return usable ? trimmed : undefined;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

function ruleText(rule: ValidationRule): string {
  return (rule.message || rule.rule).trim();
}
