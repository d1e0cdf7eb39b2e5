/** Label selectors as a text, as targets of kustomize have them: `app=web,tier!=test,env in (dev, prod),!old`. */

export type Matcher = (labels: Readonly<Record<string, string>>) => boolean;

/** Undefined: the text is no selector. */
export function parseSelectorText(text: string): Matcher | undefined {
  const terms = text.split(/,(?![^(]*\))/).map((term) => term.trim());
  const matchers = terms.filter((term) => term !== '').map(parseTerm);
  if (!matchers.every((matcher) => matcher !== undefined)) return undefined;
  return (labels) => matchers.every((matches) => matches(labels));
}

// ---------------------------------------------------------------------------------------------------------------

const NAME = '[\\w./-]+';
const SET = new RegExp(`^(${NAME})\\s+(in|notin)\\s*\\(([^)]*)\\)$`);
const EQUAL = new RegExp(`^(${NAME})\\s*(==?|!=)\\s*(${NAME})?$`);
const EXISTS = new RegExp(`^(!?)\\s*(${NAME})$`);

function parseTerm(term: string): Matcher | undefined {
  const [, setKey, operator, list] = SET.exec(term) ?? [];
  if (setKey !== undefined) {
    const values = new Set(list!.split(',').map((value) => value.trim()));
    return (labels) => values.has(labels[setKey] ?? '\0') === (operator === 'in');
  }
  const [, key, sign, value = ''] = EQUAL.exec(term) ?? [];
  if (key !== undefined) return (labels) => (labels[key] === value) === (sign !== '!=');
  const [, not, name] = EXISTS.exec(term) ?? [];
  return name === undefined ? undefined : (labels) => (labels[name] !== undefined) === (not === '');
}
