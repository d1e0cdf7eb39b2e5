/**
 * Runs a parsed query over rows. Text comparisons follow Kusto: `==` is case-sensitive, `=~` is not, `has` matches whole
 * terms, and a dynamic value is searched as its JSON.
 */
import { isObject } from '../store/body.ts';
import type { Expression, Query, Stage } from './kql.ts';

export type Row = Readonly<Record<string, unknown>>;

export function runQuery(query: Query, rows: readonly Row[]): readonly Row[] {
  return query.stages.reduce(runStage, rows);
}

export function evaluate(expression: Expression, row: Row): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'path':
      return lookup(row, expression.keys);
    case 'and':
      return truth(evaluate(expression.left, row)) && truth(evaluate(expression.right, row));
    case 'or':
      return truth(evaluate(expression.left, row)) || truth(evaluate(expression.right, row));
    case 'call':
      return FUNCTIONS[expression.name]!(...expression.arguments.map((one) => evaluate(one, row)));
    case 'test': {
      const left = evaluate(expression.left, row);
      const right = expression.right.map((one) => evaluate(one, row));
      return test(expression.operator, left, right);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function runStage(rows: readonly Row[], stage: Stage): readonly Row[] {
  switch (stage.kind) {
    case 'where':
      return rows.filter((row) => truth(evaluate(stage.test, row)));
    case 'extend':
      return rows.map((row) => ({ ...row, ...columnsOf(stage.columns, row) }));
    case 'project':
      return rows.map((row) => columnsOf(stage.columns, row));
    case 'distinct': {
      const seen = new Map(
        rows.map((row) => columnsOf(stage.columns, row)).map((row) => [JSON.stringify(row), row]),
      );
      return [...seen.values()];
    }
    case 'project-away':
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row).filter(([name]) => !stage.names.includes(name))),
      );
    case 'order':
      return rows.toSorted((one, other) => {
        for (const { value, descending } of stage.by) {
          const order = compare(evaluate(value, one), evaluate(value, other));
          if (order !== 0) return descending ? -order : order;
        }
        return 0;
      });
    case 'limit':
      return rows.slice(0, stage.count);
    case 'count':
      return [{ Count: rows.length }];
  }
}

function columnsOf(columns: readonly { readonly name: string; readonly value: Expression }[], row: Row): Row {
  return Object.fromEntries(columns.map(({ name, value }) => [name, evaluate(value, row) ?? null]));
}

/** Column names in any case, properties of dynamic values exactly. */
function lookup(row: Row, [column, ...keys]: readonly string[]): unknown {
  let value: unknown =
    row[column!] ?? row[Object.keys(row).find((name) => name.toLowerCase() === column!.toLowerCase()) ?? ''];
  for (const key of keys) {
    if (Array.isArray(value)) value = value[Number(key)];
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value ?? null;
}

const truth = (value: unknown): boolean => value === true;

const FUNCTIONS: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
  not: (value) => !truth(value),
  tolower: (value) => textOf(value).toLowerCase(),
  toupper: (value) => textOf(value).toUpperCase(),
  tostring: textOf,
  toint: (value) => (/^-?\d+$/.test(textOf(value)) ? Number(value) : null),
  isempty: (value) => textOf(value) === '',
  isnotempty: (value) => textOf(value) !== '',
  isnull: (value) => value === null,
  isnotnull: (value) => value !== null,
  count: () => 1,
};

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function test(operator: string, left: unknown, right: readonly unknown[]): boolean {
  const bare =
    operator.startsWith('!') && operator !== '!=' && operator !== '!~' ? operator.slice(1) : operator;
  const result = positive(bare, left, right);
  return bare === operator ? result : !result;
}

function positive(operator: string, left: unknown, right: readonly unknown[]): boolean {
  const first = right[0] ?? null;
  switch (operator) {
    case '==':
      return equals(left, first);
    case '!=':
      return !equals(left, first);
    case '=~':
      return textOf(left).toLowerCase() === textOf(first).toLowerCase();
    case '!~':
      return textOf(left).toLowerCase() !== textOf(first).toLowerCase();
    case 'in':
      return right.some((one) => equals(left, one));
    case 'in~':
      return right.some((one) => textOf(left).toLowerCase() === textOf(one).toLowerCase());
    case '<':
      return compare(left, first) < 0;
    case '>':
      return compare(left, first) > 0;
    case '<=':
      return compare(left, first) <= 0;
    case '>=':
      return compare(left, first) >= 0;
    default:
      return textTest(operator, textOf(left), textOf(first));
  }
}

function textTest(operator: string, left: string, right: string): boolean {
  const exact = operator.endsWith('_cs');
  const text = exact ? left : left.toLowerCase();
  const part = exact ? right : right.toLowerCase();
  switch (operator.replace('_cs', '')) {
    case 'has':
      return hasTerm(text, part);
    case 'contains':
      return text.includes(part);
    case 'startswith':
      return text.startsWith(part);
    default:
      return text.endsWith(part);
  }
}

/** Letters and digits form terms; everything else, including `_`, separates them. */
function hasTerm(text: string, term: string): boolean {
  const isPart = (character: string | undefined) => character !== undefined && /[a-z0-9]/i.test(character);
  for (let at = text.indexOf(term); at >= 0; at = text.indexOf(term, at + 1))
    if (!isPart(text[at - 1]) && !isPart(text[at + term.length])) return true;
  return false;
}

function equals(one: unknown, other: unknown): boolean {
  if (typeof one === 'object' || typeof other === 'object') return textOf(one) === textOf(other);
  return one === other;
}

function compare(one: unknown, other: unknown): number {
  const [left, right] =
    typeof one === 'number' && typeof other === 'number' ? [one, other] : [textOf(one), textOf(other)];
  return left < right ? -1 : left > right ? 1 : 0;
}
