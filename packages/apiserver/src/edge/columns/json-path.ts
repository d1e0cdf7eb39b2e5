/**
 * JSONPath in the dialect of kubectl and of a CRD's printer columns: fields with escaped dots, indexes, slices,
 * `*`, `..`, unions and filters that compare one element. A path is compiled once; running it gives all matches.
 */

/** All values the path leads to. Throws a PathError where a step does not fit the data (an index out of range). */
export type JsonPath = (root: unknown) => readonly unknown[];

export class PathError extends Error {}

export function compileJsonPath(path: string): JsonPath {
  const steps = new PathReader(path).readSteps();
  return (root) => run(steps, root);
}

// ---------------------------------------------------------------------------------------------------

type Step = (values: readonly unknown[]) => readonly unknown[];

const TERMINATORS = new Set([' ', '\t', '\r', '\n', '.', ',', '[', ']', '$', '@', '{', '}']);
const SLICE = /^(-?\d*)(:-?\d*)?(:-?\d*)?$/;
const COMPARISON = /^([^!<>=]+)([!<>=]+)(.+)$/;

function run(steps: readonly Step[], root: unknown): readonly unknown[] {
  let values: readonly unknown[] = [root];
  for (const step of steps) values = step(values);
  return values;
}

class PathReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  readSteps(): readonly Step[] {
    const steps: Step[] = [];
    while (this.#at < this.#text.length) this.#readStep(steps);
    return steps;
  }

  #readStep(steps: Step[]): void {
    const rest = this.#text.slice(this.#at);
    const first = rest[0]!;
    if (rest.startsWith('[?(')) {
      steps.push(this.#readFilter());
    } else if (rest.startsWith('..')) {
      this.#at += 2;
      steps.push(descend);
      if (/^[\p{L}\p{Nd}_]/u.test(rest.slice(2))) steps.push(this.#readField());
    } else if (first === '[') {
      steps.push(...this.#readBracket());
    } else if (first === '.') {
      this.#at++;
      steps.push(this.#readField());
    } else if (first === ' ' || first === '@' || first === '$') {
      this.#at++;
    } else if (first === '"' || first === "'") {
      steps.push(constant(this.#readQuoted(first)));
    } else {
      steps.push(constant(this.#readLiteral()));
    }
  }

  #readField(): Step {
    let name = '';
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at]!;
      if (char === '\\') {
        name += this.#text[this.#at + 1] ?? '';
        this.#at += 2;
        continue;
      }
      if (TERMINATORS.has(char)) break;
      name += char;
      this.#at++;
    }
    return name === '*' ? children : field(name);
  }

  #readBracket(): readonly Step[] {
    const end = this.#text.indexOf(']', this.#at);
    if (end < 0) throw new PathError('unterminated array');
    const inside = this.#text.slice(this.#at + 1, end);
    this.#at = end + 1;
    const parts = inside.split(',').map((part) => part.trim());
    if (parts.length === 1) return bracket(inside);
    const branches = parts.map(bracket);
    return [(values) => branches.flatMap((steps) => steps.reduce((found, step) => step(found), values))];
  }

  #readFilter(): Step {
    const start = this.#at + 3;
    let quote = '';
    let end = start;
    for (; end < this.#text.length; end++) {
      const char = this.#text[end]!;
      if (quote === '' && (char === '"' || char === "'")) quote = char;
      else if (char === quote && this.#text[end - 1] !== '\\') quote = '';
      else if (char === ')' && quote === '') break;
    }
    if (this.#text[end] !== ')') throw new PathError('unterminated filter');
    if (this.#text[end + 1] !== ']') throw new PathError('unclosed array expect ]');
    this.#at = end + 2;
    return filter(this.#text.slice(start, end));
  }

  #readQuoted(quote: string): string {
    let end = this.#at + 1;
    while (end < this.#text.length && (this.#text[end] !== quote || this.#text[end - 1] === '\\')) end++;
    if (end >= this.#text.length) throw new PathError('unterminated quoted string');
    const value = this.#text.slice(this.#at + 1, end).replace(/\\(.)/g, '$1');
    this.#at = end + 1;
    return value;
  }

  #readLiteral(): unknown {
    const word = /^[^\s,[\]$@{}]+/.exec(this.#text.slice(this.#at))?.[0] ?? '';
    this.#at += word.length;
    if (word === 'true' || word === 'false') return word === 'true';
    if (/^[+-]?[\d.]+$/.test(word) && !Number.isNaN(Number(word))) return Number(word);
    throw new PathError(`unrecognized identifier ${word || this.#text[this.#at]}`);
  }
}

/** The content of brackets: a quoted key, an index or a slice. */
function bracket(inside: string): readonly Step[] {
  const key = /^'([^']*)'$/.exec(inside);
  if (key !== null) return new PathReader(`.${key[1]}`).readSteps();
  const parts = SLICE.exec(inside === '*' ? ':' : inside);
  if (parts === null) throw new PathError(`invalid array index ${inside}`);
  const from = parts[1] === '' || parts[1] === undefined ? undefined : Number(parts[1]);
  return [slice(from, parts[2], parts[3] === undefined || parts[3] === ':' ? 1 : Number(parts[3].slice(1)))];
}

function slice(from: number | undefined, toText: string | undefined, step: number): Step {
  return (values) => values.flatMap((value) => (value == null ? [] : sliced(value, from, toText, step)));
}

function sliced(
  value: unknown,
  from: number | undefined,
  toText: string | undefined,
  step: number,
): unknown[] {
  if (!Array.isArray(value)) throw new PathError('not array or slice');
  if (step <= 0) throw new PathError('step must be > 0');
  const start = (from ?? 0) < 0 ? (from ?? 0) + value.length : (from ?? 0);
  const single = toText === undefined;
  const to = single ? start + 1 : toText === ':' ? value.length : Number(toText.slice(1));
  const end = to < 0 ? to + value.length : to;
  if (start === end) return [];
  if (start < 0 || start >= value.length || end < start || end > value.length) {
    throw new PathError(`array index out of bounds: index ${start}, length ${value.length}`);
  }
  return value.slice(start, end).filter((_, index) => index % step === 0);
}

function field(name: string): Step {
  return (values) =>
    values.flatMap((value) => (isMap(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

const children: Step = (values) =>
  values.flatMap((value) => (Array.isArray(value) ? value : isMap(value) ? Object.values(value) : []));

/** The value itself and everything below it that holds something. */
const descend: Step = (values) =>
  values.flatMap((value) => {
    const below = children([value]);
    return below.length === 0 ? [] : [value, ...descend(below)];
  });

function constant(value: unknown): Step {
  return (values) => values.map(() => value);
}

function filter(condition: string): Step {
  const test = elementTest(condition);
  return (values) =>
    values.flatMap((value) => {
      if (!Array.isArray(value)) throw new PathError('not array or slice and cannot be filtered');
      return value.filter(test);
    });
}

function elementTest(condition: string): (element: unknown) => boolean {
  const parts = COMPARISON.exec(condition);
  if (parts === null) {
    const path = compileJsonPath(condition);
    return (element) => path(element).length > 0;
  }
  const [left, right] = [compileJsonPath(parts[1]!), compileJsonPath(parts[3]!)];
  const compare = COMPARE[parts[2]!];
  if (compare === undefined) throw new PathError(`unrecognized filter operator ${parts[2]}`);
  return (element) => {
    const lefts = left(element);
    if (lefts.length === 0) return false;
    const rights = right(element);
    if (rights.length === 0) return false;
    if (lefts.length > 1 || rights.length > 1) throw new PathError('can only compare one element at a time');
    if (typeof lefts[0] !== typeof rights[0]) throw new PathError('incompatible types for comparison');
    return compare(lefts[0] as string, rights[0] as string);
  };
}

const COMPARE: Readonly<Record<string, (left: string, right: string) => boolean>> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

function isMap(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
