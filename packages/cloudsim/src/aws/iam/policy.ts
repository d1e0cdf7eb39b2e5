/**
 * Evaluates policy documents statement by statement, as IAM documents it: an explicit deny wins, everything else needs an
 * allow. Pure; which policies apply to whom is decided in access.ts.
 */
import type { Right } from './rights.ts';

export interface PolicyDocument {
  readonly Version?: string;
  readonly Statement: readonly PolicyStatement[];
}

export interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Action?: OneOrMore;
  readonly NotAction?: OneOrMore;
  readonly Resource?: OneOrMore;
  readonly NotResource?: OneOrMore;
  /** Only in policies of roles (trust) and of resources. */
  readonly Principal?: Readonly<Record<string, OneOrMore>> | '*';
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, OneOrMore>>>>;
}

export type OneOrMore = string | readonly string[];
export type Decision = 'allowed' | 'denied' | 'not-allowed';

export function evaluate(policies: readonly PolicyDocument[], right: Right): Decision {
  let decision: Decision = 'not-allowed';
  for (const { Statement } of policies)
    for (const statement of Statement) {
      if (!applies(statement, right)) continue;
      if (statement.Effect === 'Deny') return 'denied';
      decision = 'allowed';
    }
  return decision;
}

function conditionsHold(statement: PolicyStatement, context: Right['context']): boolean {
  return Object.entries(statement.Condition ?? {}).every(([operator, keys]) =>
    Object.entries(keys).every(([key, wanted]) => holds(operator, valuesOf(context, key), listOf(wanted))),
  );
}

/** `*` is any run of characters, `?` one character. */
export function like(pattern: string, value: string): boolean {
  let regex = PATTERNS.get(pattern);
  if (regex === undefined) {
    const escaped = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replace(/\*/g, '.*')
      .replace(/\?/g, '.');
    regex = new RegExp(`^${escaped}$`, 's');
    PATTERNS.set(pattern, regex);
  }
  return regex.test(value);
}

/** Whether conditions with this operator can be evaluated. */
export function isKnownOperator(operator: string): boolean {
  const base = /^(?:(?:ForAllValues|ForAnyValue):)?(\w+?)(?:IfExists)?$/.exec(operator)?.[1] ?? '';
  return base === 'Null' || Object.hasOwn(COMPARISONS, base.replace(NEGATED, '$1'));
}

export function listOf(value: OneOrMore | undefined): readonly string[] {
  return value === undefined ? [] : typeof value === 'string' ? [value] : value;
}

// ---------------------------------------------------------------------------------------------------

const PATTERNS = new Map<string, RegExp>();

function applies(statement: PolicyStatement, right: Right): boolean {
  return (
    actionMatches(statement, right) &&
    resourceMatches(statement, right) &&
    conditionsHold(statement, right.context)
  );
}

function actionMatches({ Action, NotAction }: PolicyStatement, { action }: Right): boolean {
  // Actions are compared without case.
  const matches = (pattern: string) => like(pattern.toLowerCase(), action.toLowerCase());
  return NotAction === undefined ? listOf(Action).some(matches) : !listOf(NotAction).some(matches);
}

function resourceMatches({ Resource, NotResource }: PolicyStatement, { resource }: Right): boolean {
  const matches = (pattern: string) => like(pattern, resource);
  return NotResource === undefined ? listOf(Resource).some(matches) : !listOf(NotResource).some(matches);
}

function valuesOf(context: Right['context'], key: string): readonly string[] | undefined {
  const wanted = key.toLowerCase();
  // The name of a tag keeps its case, the rest of a key does not.
  for (const [name, value] of Object.entries(context ?? {}))
    if (value !== undefined && (name === key || (name.toLowerCase() === wanted && !name.includes('/'))))
      return typeof value === 'string' ? [value] : value;
  return undefined;
}

const NEGATED = /^(String|Arn)Not/;

type Comparison = (value: string, wanted: string) => boolean;

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  StringEquals: (value, wanted) => value === wanted,
  StringEqualsIgnoreCase: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
  StringLike: (value, wanted) => like(wanted, value),
  ArnEquals: (value, wanted) => like(wanted, value),
  ArnLike: (value, wanted) => like(wanted, value),
  Bool: (value, wanted) => value.toLowerCase() === wanted.toLowerCase(),
};

function holds(operator: string, values: readonly string[] | undefined, wanted: readonly string[]): boolean {
  const [, quantifier, base = '', ifExists] =
    /^(?:(ForAllValues|ForAnyValue):)?(\w+?)(IfExists)?$/.exec(operator) ?? [];
  if (base === 'Null') return (values === undefined) === (wanted[0] === 'true');
  if (values === undefined && ifExists !== undefined) return true;
  const negated = NEGATED.test(base);
  const compare = COMPARISONS[base.replace(NEGATED, '$1')];
  if (compare === undefined) throw new Error(`the condition operator ${operator} is not known`);
  const matches = (value: string) => wanted.some((each) => compare(value, each)) !== negated;
  if (quantifier === 'ForAllValues') return (values ?? []).every(matches);
  if (values === undefined) return negated;
  return values.some(matches);
}
