/**
 * Limits the cost of a rule: loop steps, and the sizes of function arguments. A rule that would block the server is
 * aborted. One rule runs at a time, so there is one counter.
 */
import type { Compiled, Run } from './compiled.ts';
import { isDyn, STRING } from './types.ts';
import { CelList, CelMap, type CelValue } from './values.ts';

/** Not an evaluation error: no `||` and no quantifier may swallow it. */
export class EffortExceeded extends Error {
  constructor() {
    super('operation cancelled: actual cost limit exceeded');
  }
}

/** What a whole validation may take, and what is left of it. */
export class Effort {
  #left = MAX_TOTAL;

  get exhausted(): boolean {
    return this.#left <= 0;
  }

  /** Runs one rule. */
  run(rule: () => void): void {
    const given = Math.min(MAX_PER_RULE, this.#left);
    left = given;
    try {
      rule();
    } finally {
      this.#left -= given - Math.max(left, 0);
      left = Number.POSITIVE_INFINITY;
    }
  }
}

export function spend(steps: number): void {
  left -= steps;
  if (left < 0) throw new EffortExceeded();
}

/** An argument of a function: whatever that does with a long value, it takes time in proportion. */
export function paying({ type, run }: Compiled, name: string): Run {
  // The size of a list is known.
  const long = type === STRING || (name !== 'size' && (type.kind !== 'simple' || isDyn(type)));
  if (!long) return run;
  return (frame) => {
    const value = run(frame);
    spendOn(value);
    return value;
  };
}

// ---------------------------------------------------------------------------------------------------

const MAX_PER_RULE = 1_000_000;
const MAX_TOTAL = 10_000_000;
const CHARACTERS_PER_STEP = 10;

let left = Number.POSITIVE_INFINITY;

function spendOn(value: CelValue): void {
  if (typeof value === 'string') spend(value.length / CHARACTERS_PER_STEP);
  else if (value instanceof CelList || value instanceof CelMap) spend(value.size);
}
