/**
 * From the text of an expression to a tree. Parsing is done by the library; here its tree is given types and the
 * library's own expansion of macros is left aside, since `compile.ts` compiles them itself.
 */
import { Environment, ParseError } from '@marcbachmann/cel-js';
import { Uint } from './values.ts';

export type Node =
  | { readonly op: 'value'; readonly value: Literal; readonly at: number }
  | { readonly op: 'name'; readonly name: string; readonly at: number }
  | {
      readonly op: 'select';
      readonly of: Node;
      readonly field: string;
      readonly optional: boolean;
      readonly at: number;
    }
  | {
      readonly op: 'index';
      readonly of: Node;
      readonly key: Node;
      readonly optional: boolean;
      readonly at: number;
    }
  | CallNode
  | { readonly op: 'list'; readonly items: readonly Node[]; readonly at: number }
  | { readonly op: 'map'; readonly entries: readonly (readonly [Node, Node])[]; readonly at: number }
  | {
      readonly op: 'if';
      readonly test: Node;
      readonly yes: Node;
      readonly no: Node;
      readonly at: number;
    }
  | { readonly op: 'and' | 'or'; readonly left: Node; readonly right: Node; readonly at: number };

/** A function, a method, or an operator under its CEL name (`_+_`, `!_`). */
export interface CallNode {
  readonly op: 'call';
  readonly name: string;
  readonly receiver: Node | undefined;
  readonly args: readonly Node[];
  readonly at: number;
}

export type Literal = null | boolean | string | bigint | number | Uint8Array | Uint;

/** The expression is not CEL, or does not fit the types: found when a definition is written. */
export class CompileError extends Error {
  /** Offset into the expression. */
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export function parse(expression: string): Node {
  try {
    return new Conversion(expression).node(environment.parse(expression).ast as LibraryNode);
  } catch (error) {
    if (error instanceof ParseError) throw new CompileError(error.summary, error.range?.start ?? 0);
    throw error;
  }
}

/** As cel-go reports: `ERROR: <input>:1:5: …` with the line and a caret under the place. */
export function compileErrorText(expression: string, error: CompileError): string {
  const before = expression.slice(0, error.at).split('\n');
  const line = before.length;
  const column = before.at(-1)!.length;
  const source = expression.split('\n')[line - 1] ?? '';
  return `ERROR: <input>:${line}:${column + 1}: ${error.message}\n | ${source}\n | ${'.'.repeat(column)}^`;
}

// ---------------------------------------------------------------------------------------------------

const environment = new Environment({
  unlistedVariablesAreDyn: true,
  homogeneousAggregateLiterals: false,
  enableOptionalTypes: true,
  limits: { maxAstNodes: 100_000, maxDepth: 250, maxListElements: 10_000, maxMapEntries: 10_000 },
});

interface LibraryNode {
  readonly op: string;
  readonly args: unknown;
  readonly pos: number;
  readonly start: number;
  readonly end: number;
}

const BINARY_NAMES: Readonly<Record<string, string>> = {
  '==': '_==_',
  '!=': '_!=_',
  '<': '_<_',
  '<=': '_<=_',
  '>': '_>_',
  '>=': '_>=_',
  '+': '_+_',
  '-': '_-_',
  '*': '_*_',
  '/': '_/_',
  '%': '_%_',
  in: '@in',
};

/** Places are those that cel-go reports: the operator, the dot, the opening parenthesis of a call. */
class Conversion {
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  node(node: LibraryNode): Node {
    const args = node.args as LibraryNode[];
    const binary = BINARY_NAMES[node.op];
    if (binary !== undefined) return this.#call(binary, undefined, args, this.#after(args[0]!));
    switch (node.op) {
      case 'value':
        return { op: 'value', value: literal(node.args), at: node.pos };
      case 'id':
        return { op: 'name', name: node.args as string, at: node.pos };
      case 'list':
        return { op: 'list', items: this.#all(args), at: node.pos };
      case 'map': {
        const entries = (node.args as LibraryNode[][]).map(
          ([key, value]) => [this.node(key!), this.node(value!)] as const,
        );
        return { op: 'map', entries, at: node.pos };
      }
      case '!_':
      case '-_':
        return unary(node.op, this.node(node.args as LibraryNode), node.pos);
      case 'call':
      case 'rcall':
        return this.#convertCall(node);
      default:
        return this.#access(node, args);
    }
  }

  #access(node: LibraryNode, args: LibraryNode[]): Node {
    const at = this.#after(args[0]!);
    const of = this.node(args[0]!);
    switch (node.op) {
      case '.':
      case '.?':
        return { op: 'select', of, field: String(args[1]), optional: node.op === '.?', at };
      case '[]':
      case '[?]':
        return { op: 'index', of, key: this.node(args[1]!), optional: node.op === '[?]', at };
      case '?:':
        return { op: 'if', test: of, yes: this.node(args[1]!), no: this.node(args[2]!), at };
      case '&&':
      case '||':
        return { op: node.op === '&&' ? 'and' : 'or', left: of, right: this.node(args[1]!), at };
      default:
        throw new CompileError(`unsupported syntax '${node.op}'`, node.pos);
    }
  }

  #convertCall(node: LibraryNode): Node {
    if (node.op === 'call') {
      const [name, args] = node.args as [string, LibraryNode[]];
      return this.#call(name, undefined, args, this.#parenthesis(node.start));
    }
    const [name, receiver, args] = node.args as [string, LibraryNode, LibraryNode[]];
    return this.#call(name, receiver, args, this.#parenthesis(this.#after(receiver)));
  }

  #call(name: string, receiver: LibraryNode | undefined, args: LibraryNode[], at: number): Node {
    return { op: 'call', name, receiver: receiver && this.node(receiver), args: this.#all(args), at };
  }

  #all(nodes: readonly LibraryNode[]): Node[] {
    return nodes.map((node) => this.node(node));
  }

  /** The first character after a part that is not space or the end of a parenthesis. */
  #after(node: LibraryNode): number {
    return node.end + /^[\s)]*/.exec(this.#source.slice(node.end))![0].length;
  }

  #parenthesis(from: number): number {
    return Math.max(from, this.#source.indexOf('(', from));
  }
}

function unary(name: string, operand: Node, at: number): Node {
  if (name === '-_' && operand.op === 'value') {
    const { value } = operand;
    if (typeof value === 'bigint' || typeof value === 'number') return { op: 'value', value: -value, at };
  }
  return { op: 'call', name, receiver: undefined, args: [operand], at };
}

function literal(value: unknown): Literal {
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) {
    return new Uint(BigInt((value as { valueOf(): bigint | number }).valueOf()));
  }
  return value as Literal;
}
