/** The values of a file with the defaults of the table: the rules read values and line numbers from it. */

import type { ConfigProblem } from './config-result.ts';
import { CONFIG_ROWS } from './keys.table.ts';
import type { Walked } from './walk.ts';

export class Draft {
  readonly #walked: Walked;

  constructor(walked: Walked) {
    this.#walked = walked;
  }

  given(path: string): boolean {
    return this.#walked.found.has(path);
  }

  hasObject(path: string): boolean {
    return this.#walked.objects.has(path);
  }

  /** What was given, otherwise the default; nothing where there is neither. */
  text(path: string): string | undefined {
    return this.#value(path) as string | undefined;
  }

  sure(path: string): string {
    return this.text(path) ?? '';
  }

  number(path: string): number {
    return this.#value(path) as number;
  }

  flag(path: string): boolean {
    return this.#value(path) === true;
  }

  texts(path: string): readonly string[] {
    return this.#value(path) as readonly string[];
  }

  map(path: string): Readonly<Record<string, string>> {
    return this.#value(path) as Readonly<Record<string, string>>;
  }

  object(path: string): Readonly<Record<string, unknown>> {
    return this.#value(path) as Readonly<Record<string, unknown>>;
  }

  /** As it was written, which may be another name. */
  name(path: string): string {
    return this.#walked.found.get(path)?.path ?? path;
  }

  line(path: string): number {
    for (let at = path; at !== ''; at = at.includes('.') ? at.slice(0, at.lastIndexOf('.')) : '') {
      const line = this.#walked.found.get(at)?.line ?? this.#walked.objects.get(at);
      if (line !== undefined) return line;
    }
    return this.#walked.objects.get('') ?? 1;
  }

  problem(path: string, message: string, suggestion?: string): ConfigProblem {
    return {
      path: this.name(path),
      line: this.line(path),
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    };
  }

  #value(path: string): unknown {
    const found = this.#walked.found.get(path);
    return found === undefined ? FALLBACKS.get(path) : found.value;
  }
}

// ---------------------------------------------------------------------------------------------------

const FALLBACKS: ReadonlyMap<string, unknown> = new Map(
  CONFIG_ROWS.map((row) => [row.path, row.fallback] as const),
);
