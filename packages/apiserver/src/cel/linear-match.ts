/**
 * Matching in time that grows with text and pattern, never with the ways to split one over the other: all ways are
 * walked side by side, as RE2 does. It reads the patterns that re2.ts has translated, nothing else, and says how much
 * JavaScript's own engine could go wrong on them.
 */

export interface LinearPattern {
  /** The leftmost match as positions in the text, the first of its alternatives; undefined when there is none. */
  find(text: string, from: number): { readonly start: number; readonly end: number } | undefined;
  /** How often a backtracking engine might try, as a power of two. */
  effort(textLength: number): number;
}

/** Undefined when the pattern is too large to be walked. */
export function linearPattern(source: string): LinearPattern | undefined {
  const root = new Reader(source).alternatives();
  const program: Instruction[] = [];
  if (!emit(root, program)) return undefined;
  program.push({ op: 'match' });
  const { fixed, degree } = effortOf(root);
  const free = startsAnchored(root) ? 0 : 1;
  return {
    find: (text, from) => new Run(program, text).from(from),
    effort: (length) => fixed + (degree + free) * Math.log2(length + 1),
  };
}

// ---------------------------------------------------------------------------------------------------

const MAX_INSTRUCTIONS = 100_000;

type Accepts = (code: number) => boolean;
type Holds = (text: string, at: number) => boolean;

type Node =
  | { readonly op: 'char'; readonly accepts: Accepts }
  | { readonly op: 'assert'; readonly holds: Holds; readonly start: boolean }
  | { readonly op: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | {
      readonly op: 'repeat';
      readonly node: Node;
      readonly min: number;
      readonly max: number;
      readonly lazy: boolean;
    };

type Instruction =
  | { readonly op: 'char'; readonly accepts: Accepts }
  | { readonly op: 'assert'; readonly holds: Holds }
  /** Goes both ways, the first one preferred. */
  | { readonly op: 'fork'; first: number; second: number }
  | { readonly op: 'match' };

const ATOM = /\\u\{[\dA-Fa-f]+\}|\\[pP]\{[^}]*\}|\\x[\dA-Fa-f]{2}|\\.|\[(?:\\.|[^\]\\])*\]|./suy;
const OPENING = /\((?:\?(?:(-?i)?:|<\w+>))?/y;
const COUNT = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})(\??)/y;

const isWord = (text: string, at: number) => at >= 0 && at < text.length && /\w/.test(text[at]!);
const atWordEdge = (text: string, at: number) => isWord(text, at - 1) !== isWord(text, at);

const ASSERTIONS: readonly (readonly [source: string, holds: Holds])[] = [
  ['(?:^|(?<=\\n))', (text, at) => at === 0 || text[at - 1] === '\n'],
  ['(?=\\n|$)', (text, at) => at === text.length || text[at] === '\n'],
  ['^', (_text, at) => at === 0],
  ['$', (text, at) => at === text.length],
  ['\\b', atWordEdge],
  ['\\B', (text, at) => !atWordEdge(text, at)],
];

class Reader {
  readonly #source: string;
  #at = 0;
  #ignoreCase = false;

  constructor(source: string) {
    this.#source = source;
  }

  alternatives(): Node {
    const parts = [this.#sequence()];
    while (this.#source[this.#at] === '|') {
      this.#at++;
      parts.push(this.#sequence());
    }
    return parts.length === 1 ? parts[0]! : { op: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !'|)'.includes(this.#source[this.#at]!)) {
      parts.push(this.#counted(this.#piece()));
    }
    return { op: 'sequence', parts };
  }

  #piece(): Node {
    const assertion = ASSERTIONS.find(([source]) => this.#source.startsWith(source, this.#at));
    if (assertion !== undefined) {
      this.#at += assertion[0].length;
      return { op: 'assert', holds: assertion[1], start: assertion[0] === '^' };
    }
    const opening = this.#read(OPENING);
    if (opening === undefined)
      return { op: 'char', accepts: accepting(this.#read(ATOM)![0], this.#ignoreCase) };
    const outside = this.#ignoreCase;
    if (opening[1] !== undefined) this.#ignoreCase = opening[1] === 'i';
    const inner = this.alternatives();
    this.#at++;
    this.#ignoreCase = outside;
    return inner;
  }

  #counted(node: Node): Node {
    const count = this.#read(COUNT);
    if (count === undefined) return node;
    const [, sign, least, comma, most, lazy] = count;
    const min = sign === undefined ? Number(least) : sign === '+' ? 1 : 0;
    const bounded = sign === undefined ? comma === undefined || most !== '' : sign === '?';
    const max = !bounded ? Number.POSITIVE_INFINITY : sign === '?' ? 1 : Number(most ?? least);
    return { op: 'repeat', node, min, max, lazy: lazy !== '' };
  }

  #read(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#source) ?? undefined;
    this.#at += match?.[0].length ?? 0;
    return match;
  }
}

/** Whether one character is in the set; for ASCII each is asked once. */
function accepting(atom: string, ignoreCase: boolean): Accepts {
  const pattern = new RegExp(`^(?:${atom})$`, ignoreCase ? 'iu' : 'u');
  const known = new Int8Array(128);
  return (code) => {
    if (code >= 128) return pattern.test(String.fromCodePoint(code));
    if (known[code] === 0) known[code] = pattern.test(String.fromCharCode(code)) ? 1 : -1;
    return known[code] === 1;
  };
}

/** False when the program gets too large. */
function emit(node: Node, program: Instruction[]): boolean {
  if (program.length > MAX_INSTRUCTIONS) return false;
  switch (node.op) {
    case 'char':
    case 'assert':
      program.push(node);
      return true;
    case 'sequence':
      return node.parts.every((part) => emit(part, program));
    case 'choice':
      return emitChoice(node.parts, program);
    case 'repeat':
      return emitRepeat(node, program);
  }
}

function emitChoice(parts: readonly Node[], program: Instruction[]): boolean {
  const ends: { first: number; second: number }[] = [];
  for (const [index, part] of parts.entries()) {
    const fork = { op: 'fork' as const, first: program.length + 1, second: 0 };
    const last = index === parts.length - 1;
    if (!last) program.push(fork);
    if (!emit(part, program)) return false;
    if (last) break;
    const end = { op: 'fork' as const, first: 0, second: 0 };
    program.push(end);
    ends.push(end);
    fork.second = program.length;
  }
  for (const end of ends) end.first = end.second = program.length;
  return true;
}

function emitRepeat({ node, min, max, lazy }: Node & { op: 'repeat' }, program: Instruction[]): boolean {
  for (let count = 0; count < min; count++) if (!emit(node, program)) return false;
  const unbounded = max === Number.POSITIVE_INFINITY;
  const forks: { first: number; second: number; at: number }[] = [];
  for (let left = unbounded ? 1 : max - min; left > 0; left--) {
    const at = program.length;
    const fork = { op: 'fork' as const, first: 0, second: 0, at };
    program.push(fork);
    forks.push(fork);
    if (!emit(node, program)) return false;
    if (unbounded) program.push({ op: 'fork', first: at, second: at });
  }
  for (const fork of forks) {
    fork.first = lazy ? program.length : fork.at + 1;
    fork.second = lazy ? fork.at + 1 : program.length;
  }
  return true;
}

/** Bits of choice that do not depend on the text, and how many times its length comes in. */
function effortOf(node: Node): { fixed: number; degree: number } {
  if (node.op === 'char' || node.op === 'assert') return { fixed: 0, degree: 0 };
  if (node.op === 'repeat') return repeatEffort(node);
  const parts = node.parts.map(effortOf);
  const fixed = node.op === 'choice' ? Math.log2(parts.length) : 0;
  return {
    fixed: parts.reduce((sum, part) => sum + part.fixed, fixed),
    degree: parts.reduce((sum, part) => sum + part.degree, 0),
  };
}

function repeatEffort({ node, min, max }: Node & { op: 'repeat' }): { fixed: number; degree: number } {
  const inner = effortOf(node);
  const simple = inner.fixed === 0 && inner.degree === 0;
  if (max === Number.POSITIVE_INFINITY) return { fixed: 0, degree: simple ? 1 : Number.POSITIVE_INFINITY };
  const times = Math.max(max, 1);
  return { fixed: times * inner.fixed + Math.log2(max - min + 1), degree: simple ? 0 : times * inner.degree };
}

function startsAnchored(node: Node): boolean {
  if (node.op === 'assert') return node.start;
  if (node.op === 'sequence') return node.parts[0] !== undefined && startsAnchored(node.parts[0]);
  return node.op === 'choice' && node.parts.every(startsAnchored);
}

/** One walk over one text. Each place in the program is visited at most once for each character. */
class Run {
  readonly #program: readonly Instruction[];
  readonly #text: string;
  /** The position for which a place was last visited. */
  readonly #visited: Int32Array;

  constructor(program: readonly Instruction[], text: string) {
    this.#program = program;
    this.#text = text;
    this.#visited = new Int32Array(program.length).fill(-1);
  }

  from(first: number): { start: number; end: number } | undefined {
    let places: number[] = [];
    let starts: number[] = [];
    let found: { start: number; end: number } | undefined;
    for (let at = first; ; ) {
      const code = this.#text.codePointAt(at);
      const next = at + (code === undefined || code < 0x10000 ? 1 : 2);
      const [here, hereStarts] = this.#settled(places, starts, found === undefined, at);
      places = [];
      starts = [];
      for (const [index, place] of here.entries()) {
        const step = this.#program[place]!;
        if (step.op === 'match') {
          found = { start: hereStarts[index]!, end: at };
          break;
        }
        if (code === undefined || step.op !== 'char' || !step.accepts(code)) continue;
        places.push(place + 1);
        starts.push(hereStarts[index]!);
      }
      if (code === undefined || (found !== undefined && places.length === 0)) return found;
      at = next;
    }
  }

  /** Follows forks and assertions to the places that take a character, best first; a new try may begin here. */
  #settled(
    places: readonly number[],
    starts: readonly number[],
    fresh: boolean,
    at: number,
  ): [number[], number[]] {
    const here: number[] = [];
    const hereStarts: number[] = [];
    const tries = fresh ? places.length + 1 : places.length;
    for (let index = 0; index < tries; index++) {
      const start = index < places.length ? starts[index]! : at;
      const open = [index < places.length ? places[index]! : 0];
      for (let place = open.pop(); place !== undefined; place = open.pop()) {
        if (this.#visited[place] === at) continue;
        this.#visited[place] = at;
        const step = this.#program[place]!;
        if (step.op === 'fork') open.push(step.second, step.first);
        else if (step.op === 'assert') {
          if (step.holds(this.#text, at)) open.push(place + 1);
        } else {
          here.push(place);
          hereStarts.push(start);
        }
      }
    }
    return [here, hereStarts];
  }
}
