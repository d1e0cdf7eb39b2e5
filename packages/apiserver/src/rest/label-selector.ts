/**
 * Label selectors: the query syntax (`a=b,c in (d,e),!f`) and the object form of selectors in specs
 * (matchLabels, matchExpressions). Errors are those of a real API server.
 */
import { labelValue, qualifiedName } from '../builtin/validation/names.ts';
import { badRequest } from '../errors.ts';
import { rowOf } from '../table-row.ts';

export type Labels = Readonly<Record<string, string>> | undefined;

export interface LabelRequirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | 'gt' | 'lt';
  readonly values: readonly string[];
}

/** All of them must hold; an empty one selects everything. */
export type LabelSelector = readonly LabelRequirement[];

export function parseLabelSelector(text: string): LabelSelector {
  return new Parser(scan(text)).selector();
}

export function selectsLabels(selector: LabelSelector, labels: Labels): boolean {
  for (const requirement of selector) if (!holds(requirement, labels)) return false;
  return true;
}

/** `metav1.LabelSelector`. An absent selector selects nothing, an empty one everything. */
export function selectorOf(object: unknown): LabelSelector | undefined {
  if (typeof object !== 'object' || object === null) return undefined;
  const { matchLabels, matchExpressions } = object as {
    matchLabels?: Record<string, string> | null;
    matchExpressions?: { key: string; operator: string; values?: string[] | null }[] | null;
  };
  const requirements: LabelRequirement[] = [];
  for (const [key, value] of Object.entries(matchLabels ?? {})) {
    requirements.push({ key, operator: '=', values: [value] });
  }
  for (const { key, operator, values } of matchExpressions ?? []) {
    const known = rowOf(EXPRESSION_OPERATORS, operator);
    if (known !== undefined) requirements.push({ key, operator: known, values: values ?? [] });
  }
  return requirements;
}

// ---------------------------------------------------------------------------------------------------

const EXPRESSION_OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function holds({ key, operator, values }: LabelRequirement, labels: Labels): boolean {
  const value = labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    default:
      return (
        value !== undefined &&
        /^[+-]?\d+$/.test(value) &&
        compare(operator, BigInt(value), BigInt(values[0]!))
      );
  }
}

function compare(operator: 'gt' | 'lt', left: bigint, right: bigint): boolean {
  return operator === 'gt' ? left > right : left < right;
}

type TokenKind =
  | 'identifier'
  | 'end'
  | ','
  | '('
  | ')'
  | '!'
  | '='
  | '=='
  | '!='
  | '>'
  | '<'
  | 'in'
  | 'notin'
  | 'error';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const SPECIAL = new Set(['=', '!', '(', ')', ',', '>', '<']);
const SYMBOLS = new Set(['=', '!', '(', ')', ',', '>', '<', '==', '!=']);
const BLANK = new Set([' ', '\t', '\r', '\n']);

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const char = text[at]!;
    if (BLANK.has(char)) {
      at++;
      continue;
    }
    let end = at + 1;
    if (SPECIAL.has(char)) {
      if (SYMBOLS.has(text.slice(at, at + 2))) end = at + 2;
      tokens.push({ kind: text.slice(at, end) as TokenKind, text: text.slice(at, end) });
    } else {
      while (end < text.length && !SPECIAL.has(text[end]!) && !BLANK.has(text[end]!)) end++;
      const word = text.slice(at, end);
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'identifier', text: word });
    }
    at = end;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

const OPERATORS: Partial<Record<TokenKind, LabelRequirement['operator']>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  in: 'in',
  notin: 'notin',
  '>': 'gt',
  '<': 'lt',
};

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  selector(): LabelSelector {
    const requirements: LabelRequirement[] = [];
    for (;;) {
      const token = this.#peek();
      if (token.kind === 'end') return requirements;
      if (!startsRequirement(token))
        throw badRequest(`found '${token.text}', expected: !, identifier, or 'end of string'`);
      requirements.push(this.#requirement());
      const next = this.#next();
      if (next.kind === 'end') return requirements;
      if (next.kind !== ',') throw badRequest(`found '${next.text}', expected: ',' or 'end of string'`);
      if (!startsRequirement(this.#peek())) {
        throw badRequest(`found '${this.#peek().text}', expected: identifier after ','`);
      }
    }
  }

  #requirement(): LabelRequirement {
    let token = this.#next();
    const negated = token.kind === '!';
    if (negated) token = this.#next();
    if (!isWord(token)) throw refused(`found '${token.text}', expected: identifier`);
    const key = token.text;
    const keyErrors = qualifiedName(key);
    if (keyErrors.length > 0)
      throw refused(`<nil>: Invalid value: ${JSON.stringify(key)}: ${keyErrors.join('; ')}`);
    if (negated) return { key, operator: '!', values: [] };
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return { key, operator: 'exists', values: [] };
    const operator = OPERATORS[this.#next().kind];
    if (operator === undefined) throw refused(`found '${next.text}', expected: in, notin, =, ==, !=, gt, lt`);
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#exactValue()];
    return checked({ key, operator, values });
  }

  #values(): string[] {
    const open = this.#next();
    if (open.kind !== '(') throw refused(`found '${open.text}' expected: '('`);
    const values = new Set<string>();
    const first = this.#peek();
    if (first.kind === ')') {
      this.#next();
      return [''];
    }
    if (!isWord(first) && first.kind !== ',')
      throw refused(`found '${first.text}', expected: ',', ')' or identifier`);
    this.#list(values);
    this.#next();
    return [...values].sort();
  }

  /** Up to the closing parenthesis, which is left. A comma without a value beside it means the empty value. */
  #list(values: Set<string>): void {
    for (;;) {
      const token = this.#next();
      const next = this.#peek();
      if (isWord(token)) {
        values.add(token.text);
        if (next.kind === ')') return;
        if (next.kind !== ',') throw refused(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0 || next.kind === ')' || next.kind === ',') values.add('');
        if (next.kind === ')') return;
      } else {
        throw refused(`found '${token.text}', expected: ',', or identifier`);
      }
    }
  }

  #exactValue(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.kind === ',') return '';
    const token = this.#next();
    if (!isWord(token)) throw refused(`found '${token.text}', expected: identifier`);
    return token.text;
  }

  #peek(): Token {
    return this.#tokens[Math.min(this.#at, this.#tokens.length - 1)]!;
  }

  #next(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }
}

function startsRequirement(token: Token): boolean {
  return isWord(token) || token.kind === '!';
}

function isWord(token: Token): boolean {
  return token.kind === 'identifier' || token.kind === 'in' || token.kind === 'notin';
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const errors: string[] = [];
  for (const [index, value] of values.entries()) {
    if ((operator === 'gt' || operator === 'lt') && !/^[+-]?\d{1,19}$/.test(value)) {
      errors.push(
        `values[${index}]: Invalid value: ${JSON.stringify(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    }
  }
  for (const [index, value] of values.entries()) {
    const problems = labelValue(value);
    if (problems.length > 0) {
      errors.push(
        `values[${index}][${key}]: Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}`,
      );
    }
  }
  if (errors.length > 0) throw refused(errors.length === 1 ? errors[0]! : `[${errors.join(', ')}]`);
  return requirement;
}

function refused(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
