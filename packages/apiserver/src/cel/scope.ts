/**
 * The variables that a part of an expression may name, with their slots in the frame. It also carries the compiler,
 * so that a macro can compile its arguments.
 */
import type { Compiled } from './compiled.ts';
import type { Node } from './syntax.ts';
import type { CelType } from './types.ts';

export type CompileNode = (node: Node, scope: Scope) => Compiled;

export class Scope {
  readonly #compileNode: CompileNode;
  readonly #names: ReadonlyMap<string, { slot: number; type: CelType }>;
  readonly #uses: Set<string>;
  readonly #counter: { slots: number };

  constructor(
    compileNode: CompileNode,
    names: ReadonlyMap<string, { slot: number; type: CelType }>,
    uses: Set<string>,
    counter: { slots: number },
  ) {
    this.#compileNode = compileNode;
    this.#names = names;
    this.#uses = uses;
    this.#counter = counter;
  }

  with(name: string, type: CelType): { scope: Scope; slot: number } {
    const slot = this.#counter.slots++;
    const names = new Map(this.#names).set(name, { slot, type });
    return { scope: new Scope(this.#compileNode, names, this.#uses, this.#counter), slot };
  }

  find(name: string): { slot: number; type: CelType } | undefined {
    const found = this.#names.get(name);
    if (found !== undefined) this.#uses.add(name);
    return found;
  }

  /** Compiles a part of the expression in this scope. */
  compile(node: Node): Compiled {
    return this.#compileNode(node, this);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }
}
