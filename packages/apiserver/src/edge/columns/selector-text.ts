/**
 * Labels and label selectors as one line of text, the way Kubernetes prints them in tables.
 */
import { NONE } from '../age.ts';
import { type Fields, listAt, mapAt, stringAt, textsAt } from './column.ts';

/** `a=1,b=2` in the order of the keys; `<none>` for no labels. */
export function labelsText(labels: Fields): string {
  const pairs = Object.keys(labels)
    .sort()
    .map((key) => `${key}=${labels[key]}`);
  return pairs.length === 0 ? NONE : pairs.join(',');
}

/** The selector's text, empty when it selects everything or is missing; undefined when it cannot be read. */
export function selectorText(selector: unknown): string | undefined {
  const terms: { key: string; text: string }[] = [];
  const labels = mapAt(selector, 'matchLabels');
  for (const key of Object.keys(labels)) terms.push({ key, text: `${key}=${labels[key]}` });
  for (const expression of listAt(selector, 'matchExpressions')) {
    const render = OPERATORS[stringAt(expression, 'operator')];
    if (render === undefined) return undefined;
    const key = stringAt(expression, 'key');
    const values = [...textsAt(expression, 'values')].sort();
    terms.push({ key, text: render(key, values.join(',')) });
  }
  terms.sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  return terms.map((term) => term.text).join(',');
}

/** As most tables show it: `<none>` where there is nothing to say. */
export function selectorCell(selector: unknown): string {
  const shown = selectorText(selector);
  return shown === undefined ? '<error>' : shown === '' ? NONE : shown;
}

// ---------------------------------------------------------------------------------------------------

const OPERATORS: Readonly<Record<string, (key: string, values: string) => string>> = {
  In: (key, values) => `${key} in (${values})`,
  NotIn: (key, values) => `${key} notin (${values})`,
  Exists: (key) => key,
  DoesNotExist: (key) => `!${key}`,
};
