/**
 * What a script assigns, and the environment of the commands that it would start. Commands are not executed; assignments
 * inside loops and conditions are reported but not applied.
 */
import { lexShell, type Piece, type Token } from './shell-words.ts';

export interface ScriptCommand {
  /** Expanded as far as that goes without executing. */
  readonly words: readonly string[];
  readonly line: number;
  /** Inside `if`, `for`, a group or a subshell. */
  readonly nested: boolean;
}

export interface Script {
  readonly commands: readonly ScriptCommand[];
  /** The environment of the first matching command; undefined when it is never started. */
  readonly started: ReadonlyMap<string, string> | undefined;
  /** Where bash would stop reading. */
  readonly problem: { readonly line: number; readonly message: string } | undefined;
}

/** `program` is searched in the wording of commands. */
export function readScript(text: string, program: string): Script {
  const { tokens, problem } = lexShell(text);
  const reader = new Reader(program);
  for (const token of tokens) {
    if (reader.ended) break;
    reader.take(token);
  }
  reader.finish();
  const { commands, started } = reader;
  return { commands, started, problem: reader.ended ? undefined : problem };
}

// ---------------------------------------------------------------------------------------------------

const OPENS: ReadonlySet<string> = new Set(['if', 'for', 'while', 'until', 'case', 'select', '{']);
const CLOSES: ReadonlySet<string> = new Set(['fi', 'done', 'esac', '}']);
const BETWEEN: ReadonlySet<string> = new Set(['then', 'else', 'elif', 'do', '!', 'time']);
const REDIRECTIONS: ReadonlySet<string> = new Set(['<', '>', '>>', '<<', '<<-', '<<<', '>&', '<&', '&>']);
const DECLARATIONS: ReadonlySet<string> = new Set(['export', 'declare', 'typeset', 'readonly']);
const ASSIGNMENT = /^([A-Za-z_]\w*)(\+?)=/;

interface Variable {
  readonly value: string;
  readonly exported: boolean;
}

class Reader {
  readonly commands: ScriptCommand[] = [];
  /** An unconditional `exit` was found. */
  ended = false;
  started: ReadonlyMap<string, string> | undefined;
  readonly #program: string;
  readonly #variables = new Map<string, Variable>();
  #allExported = false;
  #depth = 0;
  #skipWord = false;
  #words: { readonly pieces: readonly Piece[]; readonly bare: string | undefined; readonly line: number }[] =
    [];

  constructor(program: string) {
    this.#program = program;
  }

  take(token: Token): void {
    if ('operator' in token) {
      this.#operator(token.operator);
      return;
    }
    if (this.#skipWord) {
      this.#skipWord = false;
      return;
    }
    if (this.#words.length === 0 && token.bare !== undefined && this.#keyword(token.bare)) return;
    this.#words.push({ pieces: token.word, bare: token.bare, line: token.line });
  }

  finish(): void {
    if (this.#words.length > 0) this.#end();
  }

  #operator(operator: string): void {
    if (REDIRECTIONS.has(operator)) {
      // `2>` is not a word of the command.
      if (/^\d$/.test(this.#words.at(-1)?.bare ?? '')) this.#words.pop();
      this.#skipWord = true;
      return;
    }
    this.finish();
    this.#skipWord = false;
    if (operator === '(') this.#depth += 1;
    if (operator === ')') this.#depth = Math.max(0, this.#depth - 1);
  }

  /** Control keywords: true when the word was one. */
  #keyword(word: string): boolean {
    if (CLOSES.has(word)) {
      this.#depth = Math.max(0, this.#depth - 1);
      return true;
    }
    if (!OPENS.has(word)) return BETWEEN.has(word);
    this.#depth += 1;
    return true;
  }

  #end(): void {
    const words = this.#words;
    this.#words = [];
    const prefix = new Map<string, string>();
    let at = 0;
    for (; at < words.length; at++) {
      const assigned = this.#assignment(words[at]!.pieces);
      if (assigned === undefined) break;
      prefix.set(assigned.name, assigned.value);
    }
    const rest = words.slice(at);
    const nested = this.#depth > 0;
    if (rest.length === 0) {
      if (!nested) for (const [name, value] of prefix) this.#assign(name, value);
      return;
    }
    const { line } = words[0]!;
    const texts = rest.map(({ pieces }) => this.#expand(pieces));
    this.commands.push({ words: texts, line, nested });
    if (nested) return;
    if (texts.some((each) => each.includes(this.#program))) this.started ??= this.#environment(prefix);
    this.#builtin(
      texts,
      rest.map(({ pieces }) => pieces),
    );
  }

  #builtin(words: readonly string[], pieces: readonly (readonly Piece[])[]): void {
    const [name = '', ...args] = words;
    if (name === 'exit') this.ended = true;
    else if (name === 'set') this.#set(args);
    else if (name === 'unset') for (const each of args) this.#variables.delete(each);
    else if (DECLARATIONS.has(name)) this.#declare(name, args, pieces.slice(1));
  }

  #set(args: readonly string[]): void {
    const text = ` ${args.join(' ')}`;
    if (/ -(?:\w*a|o allexport)\b/.test(text)) this.#allExported = true;
    if (/ \+(?:\w*a|o allexport)\b/.test(text)) this.#allExported = false;
  }

  #declare(name: string, args: readonly string[], pieces: readonly (readonly Piece[])[]): void {
    const exported = name === 'export' || args.some((arg) => /^-\w*x/.test(arg));
    pieces.forEach((word, at) => {
      const assigned = this.#assignment(word);
      const known = this.#variables.get(args[at]!);
      if (assigned !== undefined) this.#assign(assigned.name, assigned.value, exported);
      else if (exported && known !== undefined) this.#variables.set(args[at]!, { ...known, exported });
    });
  }

  #assignment(pieces: readonly Piece[]): { name: string; value: string } | undefined {
    const [first, ...others] = pieces;
    if (first === undefined || !('text' in first)) return undefined;
    const match = ASSIGNMENT.exec(first.text);
    if (match === null) return undefined;
    const name = match[1]!;
    const value = this.#expand([{ text: first.text.slice(match[0].length) }, ...others]);
    return { name, value: match[2] === '+' ? (this.#variables.get(name)?.value ?? '') + value : value };
  }

  #assign(name: string, value: string, exported = false): void {
    const before = this.#variables.get(name)?.exported ?? false;
    this.#variables.set(name, { value, exported: exported || before || this.#allExported });
  }

  #expand(pieces: readonly Piece[]): string {
    return pieces
      .map((piece) => {
        if ('text' in piece) return piece.text;
        if ('command' in piece) return '';
        return this.#variables.get(piece.variable)?.value || piece.fallback;
      })
      .join('');
  }

  #environment(prefix: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
    const environment = new Map<string, string>();
    for (const [name, { value, exported }] of this.#variables) if (exported) environment.set(name, value);
    for (const [name, value] of prefix) environment.set(name, value);
    return environment;
  }
}
