/**
 * A small part of Kusto's query language, enough for what controllers ask the resource graph: a table, then stages.
 * Anything else is rejected with its position, as the service does.
 */
import { QueryError, type Token, tokenize } from './kql-tokens.ts';

export type Expression =
  | { readonly kind: 'literal'; readonly value: string | number | boolean | null }
  | { readonly kind: 'path'; readonly keys: readonly string[] }
  | { readonly kind: 'call'; readonly name: string; readonly arguments: readonly Expression[] }
  | {
      readonly kind: 'test';
      readonly operator: string;
      readonly left: Expression;
      readonly right: readonly Expression[];
    }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression };

export interface Column {
  readonly name: string;
  readonly value: Expression;
}

export type Stage =
  | { readonly kind: 'where'; readonly test: Expression }
  | { readonly kind: 'project' | 'extend' | 'distinct'; readonly columns: readonly Column[] }
  | { readonly kind: 'project-away'; readonly names: readonly string[] }
  | {
      readonly kind: 'order';
      readonly by: readonly { readonly value: Expression; readonly descending: boolean }[];
    }
  | { readonly kind: 'limit'; readonly count: number }
  | { readonly kind: 'count' };

export interface Query {
  readonly table: string;
  readonly stages: readonly Stage[];
}

export function parseQuery(text: string): Query {
  return new Parser(tokenize(text)).query();
}

// ---------------------------------------------------------------------------------------------------

const TABLES = ['resources', 'resourcecontainers'];
const FUNCTIONS = [
  'not',
  'tolower',
  'toupper',
  'tostring',
  'toint',
  'isempty',
  'isnotempty',
  'isnull',
  'isnotnull',
  'count',
];
const TESTS = new Set([
  '==',
  '!=',
  '=~',
  '!~',
  '<',
  '>',
  '<=',
  '>=',
  'has',
  'has_cs',
  '!has',
  '!has_cs',
  'contains',
  'contains_cs',
  '!contains',
  '!contains_cs',
  'startswith',
  'startswith_cs',
  '!startswith',
  'endswith',
  'endswith_cs',
  '!endswith',
  'in',
  'in~',
  '!in',
  '!in~',
]);

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  query(): Query {
    const table = this.#name('the name of a table').toLowerCase();
    if (!TABLES.includes(table)) throw this.#error(`there is no table '${table}'`, -1);
    const stages: Stage[] = [];
    while (this.#peek().kind !== 'end') {
      this.#sign('|');
      stages.push(this.#stage());
    }
    return { table, stages };
  }

  #stage(): Stage {
    const word = this.#name('an operator');
    switch (word) {
      case 'where':
      case 'filter':
        return { kind: 'where', test: this.#expression() };
      case 'project':
      case 'extend':
        return { kind: word, columns: this.#columns() };
      case 'distinct':
        return { kind: 'distinct', columns: this.#columns() };
      case 'project-away':
        return { kind: 'project-away', names: this.#list(() => this.#name('a column')) };
      case 'order':
      case 'sort':
        this.#word('by');
        return { kind: 'order', by: this.#list(() => this.#ordering()) };
      case 'limit':
      case 'take':
        return { kind: 'limit', count: this.#number() };
      case 'count':
        return { kind: 'count' };
      default:
        throw this.#error(`the operator '${word}' is not supported`, -1);
    }
  }

  #columns(): readonly Column[] {
    return this.#list(() => {
      const first = this.#peek();
      if (first.kind === 'name' && this.#tokens[this.#next + 1]?.value === '=') {
        this.#next += 2;
        return { name: first.value, value: this.#expression() };
      }
      const value = this.#expression();
      return { name: value.kind === 'path' ? value.keys.join('_') : 'Column1', value };
    });
  }

  #ordering(): { value: Expression; descending: boolean } {
    const value = this.#expression();
    const word = this.#peek().value;
    if (word === 'asc' || word === 'desc') this.#next += 1;
    return { value, descending: word !== 'asc' };
  }

  #expression(): Expression {
    let left = this.#conjunction();
    while (this.#accept('or')) left = { kind: 'or', left, right: this.#conjunction() };
    return left;
  }

  #conjunction(): Expression {
    let left = this.#comparison();
    while (this.#accept('and')) left = { kind: 'and', left, right: this.#comparison() };
    return left;
  }

  #comparison(): Expression {
    const left = this.#operand();
    const operator = this.#peek().value;
    if (this.#peek().kind === 'text' || !TESTS.has(operator)) return left;
    this.#next += 1;
    if (/^!?in~?$/.test(operator)) {
      this.#sign('(');
      const right = this.#list(() => this.#operand());
      this.#sign(')');
      return { kind: 'test', operator, left, right };
    }
    return { kind: 'test', operator, left, right: [this.#operand()] };
  }

  #operand(): Expression {
    const token = this.#peek();
    this.#next += 1;
    if (token.kind === 'text') return { kind: 'literal', value: token.value };
    if (token.kind === 'number') return { kind: 'literal', value: Number(token.value) };
    if (token.value === '(') {
      const inner = this.#expression();
      this.#sign(')');
      return inner;
    }
    if (token.kind !== 'name') throw this.#error(`'${token.value}' cannot stand here`, -1);
    if (token.value === 'true' || token.value === 'false')
      return { kind: 'literal', value: token.value === 'true' };
    if (token.value === 'null') return { kind: 'literal', value: null };
    if (this.#peek().value === '(' && this.#peek().kind === 'sign') return this.#call(token);
    return { kind: 'path', keys: [token.value, ...this.#keys()] };
  }

  #call(token: Token): Expression {
    const name = token.value.toLowerCase();
    if (!FUNCTIONS.includes(name))
      throw new QueryError(token.at, token.value, `the function '${token.value}' is not supported`);
    this.#sign('(');
    const given = this.#peek().value === ')' ? [] : this.#list(() => this.#expression());
    this.#sign(')');
    return { kind: 'call', name, arguments: given };
  }

  #keys(): readonly string[] {
    const keys: string[] = [];
    for (;;) {
      if (this.#accept('.')) keys.push(this.#name('a property'));
      else if (this.#accept('[')) {
        const key = this.#peek();
        if (key.kind !== 'text' && key.kind !== 'number')
          throw this.#error('a key in brackets is a text or a number');
        this.#next += 1;
        keys.push(key.value);
        this.#sign(']');
      } else return keys;
    }
  }

  #list<T>(item: () => T): readonly T[] {
    const items = [item()];
    while (this.#accept(',')) items.push(item());
    return items;
  }

  #peek(): Token {
    return this.#tokens[this.#next]!;
  }

  #accept(value: string): boolean {
    const token = this.#peek();
    if (token.kind === 'text' || token.value !== value) return false;
    this.#next += 1;
    return true;
  }

  #sign(value: string): void {
    if (!this.#accept(value)) throw this.#error(`'${value}' was expected`);
  }

  #word(value: string): void {
    if (!this.#accept(value)) throw this.#error(`'${value}' was expected`);
  }

  #name(wanted: string): string {
    const token = this.#peek();
    if (token.kind !== 'name') throw this.#error(`${wanted} was expected`);
    this.#next += 1;
    return token.value;
  }

  #number(): number {
    const token = this.#peek();
    if (token.kind !== 'number') throw this.#error('a number was expected');
    this.#next += 1;
    return Number(token.value);
  }

  #error(message: string, offset = 0): QueryError {
    const token = this.#tokens[this.#next + offset]!;
    return new QueryError(token.at, token.value || '<EOF>', message);
  }
}
