/**
 * The rules of junit-10.xsd (the schema of the xUnit plugin of Jenkins) for what a report contains: which elements may stand
 * where, and which attributes they must and may have. Read by a parser of well-formed XML without name spaces.
 */

export interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly Element[];
  readonly text: string;
}

interface Rule {
  readonly children: readonly string[];
  readonly required: readonly string[];
  readonly optional: readonly string[];
  /** `mixed` content, or `xs:string`. */
  readonly text?: true;
}

const OUTCOME: Rule = { children: [], required: [], optional: ['type', 'message'], text: true };
const OUTPUT: Rule = { children: [], required: [], optional: [], text: true };

const RULES: Readonly<Record<string, Rule>> = {
  testsuites: {
    children: ['testsuite'],
    required: [],
    optional: ['name', 'time', 'tests', 'failures', 'errors'],
  },
  testsuite: {
    children: ['testsuite', 'properties', 'testcase', 'system-out', 'system-err'],
    required: ['name', 'tests', 'failures', 'errors'],
    optional: ['group', 'time', 'skipped', 'timestamp', 'hostname', 'id', 'package', 'file', 'log', 'url'],
  },
  testcase: {
    children: ['skipped', 'error', 'failure', 'system-out', 'system-err'],
    required: ['name'],
    optional: ['time', 'classname', 'group'],
  },
  failure: OUTCOME,
  error: OUTCOME,
  skipped: OUTCOME,
  'system-out': OUTPUT,
  'system-err': OUTPUT,
};

/** The type SUREFIRE_TIME. */
const TIME = /^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$/;

export function junitViolations(element: Element): readonly string[] {
  const rule = RULES[element.name];
  if (rule === undefined) return [`unknown element ${element.name}`];
  const names = Object.keys(element.attributes);
  return [
    ...rule.required.filter((name) => !names.includes(name)).map((name) => `${element.name} without ${name}`),
    ...names
      .filter((name) => !rule.required.includes(name) && !rule.optional.includes(name))
      .map((name) => `${element.name} with ${name}`),
    ...(TIME.test(element.attributes['time'] ?? '0') ? [] : [`time of ${element.name}`]),
    ...(rule.text !== true && element.text.trim() !== '' ? [`text in ${element.name}`] : []),
    ...element.children
      .filter(({ name }) => !rule.children.includes(name))
      .map(({ name }) => `${name} in ${element.name}`),
    ...element.children.flatMap(junitViolations),
  ];
}

/** @throws for what is not well formed. */
export function parseXml(source: string): Element {
  let rest = source.replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/, '');
  const take = (pattern: RegExp): RegExpExecArray => {
    const found = pattern.exec(rest);
    if (found === null) throw new Error(`not well formed at ${JSON.stringify(rest.slice(0, 60))}`);
    rest = rest.slice(found[0].length);
    return found;
  };
  const element = (): Element => {
    const [, name = '', list = '', empty] = take(/^<([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>/);
    const attributes = Object.fromEntries(
      [...list.matchAll(/ ([a-z]+)="([^"]*)"/g)].map(([, key, value]) => [key, decoded(value!)]),
    );
    const children: Element[] = [];
    let text = '';
    if (empty === '/') return { name, attributes, children, text };
    while (!rest.startsWith('</')) {
      text += decoded(take(/^[^<]*/)[0]);
      if (rest.startsWith('<') && !rest.startsWith('</')) children.push(element());
    }
    take(new RegExp(`^</${name}>`));
    return { name, attributes, children, text };
  };
  const root = element();
  if (rest.trim() !== '') throw new Error('content after the root');
  return root;
}

// ---------------------------------------------------------------------------------------------------------------

function decoded(text: string): string {
  if (/&(?!#\d+;)/.test(text)) throw new Error(`an entity in ${text}`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: XML 1.0 has no way to write them.
  if (/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/.test(text))
    throw new Error('a character that XML has not');
  return text.replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)));
}
