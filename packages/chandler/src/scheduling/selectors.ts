/**
 * Label selectors on pods and namespaces. No selector selects nothing; an empty one selects everything.
 */
import type { LabelSelector } from './model.ts';

export interface Selector {
  /** A string that is equal for equivalent selectors. */
  readonly key: string;
  readonly matches: (labels: Readonly<Record<string, string>>) => boolean;
  /** The labels that it uses. */
  readonly labelKeys: readonly string[];
}

interface Expression {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

export const SELECT_NOTHING: Selector = { key: 'none', matches: () => false, labelKeys: [] };

/** @returns the selector, or the problem with it. */
export function compileSelector(
  selector: LabelSelector | undefined,
  extra: readonly Expression[] = [],
): Selector | { readonly problem: string } {
  if (selector === undefined || selector === null) return SELECT_NOTHING;
  const expressions = [...labelExpressions(selector), ...extra];
  for (const expression of expressions) {
    const problem = problemOf(expression);
    if (problem !== undefined) return { problem };
  }
  const texts = [...new Set(expressions.map(expressionText))].sort();
  return {
    key: `{${texts.join(',')}}`,
    matches: (labels) => expressions.every((expression) => holds(expression, labels)),
    labelKeys: [...new Set(expressions.map((expression) => expression.key))],
  };
}

/** As `compileSelector`; one with a problem selects nothing. */
export function selectorOf(...parameters: Parameters<typeof compileSelector>): Selector {
  const compiled = compileSelector(...parameters);
  return 'problem' in compiled ? SELECT_NOTHING : compiled;
}

/** As for kube-scheduler, a spread whose selector has no condition counts no pod. */
export function spreadSelectorOf(...parameters: Parameters<typeof compileSelector>): Selector {
  const selector = selectorOf(...parameters);
  return selector.labelKeys.length === 0 ? { ...selector, matches: SELECT_NOTHING.matches } : selector;
}

/** Selects what all of them select. */
export function selectorOfAll(given: readonly (LabelSelector | undefined)[]): Selector {
  const selectors = given.map((selector) => selectorOf(selector));
  if (selectors.length === 1) return selectors[0]!;
  return {
    key: selectors
      .map(({ key }) => key)
      .sort()
      .join('&'),
    matches: (labels) => selectors.every((selector) => selector.matches(labels)),
    labelKeys: [...new Set(selectors.flatMap(({ labelKeys }) => labelKeys))],
  };
}

// ---------------------------------------------------------------------------------------------------------------

function labelExpressions(selector: LabelSelector): Expression[] {
  const labels = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({
    key,
    operator: 'In',
    values: [value],
  }));
  const expressions = (selector.matchExpressions ?? []).map(({ key, operator, values }) => ({
    key,
    operator,
    values: values ?? [],
  }));
  return [...labels, ...expressions];
}

function problemOf({ operator, values }: Expression): string | undefined {
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length === 0 ? `operator ${operator} requires values` : undefined;
    case 'Exists':
    case 'DoesNotExist':
      return undefined;
    default:
      return `unknown operator ${JSON.stringify(operator)}`;
  }
}

function expressionText({ key, operator, values }: Expression): string {
  if (operator === 'Exists') return key;
  if (operator === 'DoesNotExist') return `!${key}`;
  return `${key} ${operator === 'In' ? 'in' : 'notin'} (${[...new Set(values)].sort().join(',')})`;
}

function holds({ key, operator, values }: Expression, labels: Readonly<Record<string, string>>): boolean {
  const value = labels[key];
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    default:
      return value === undefined;
  }
}
