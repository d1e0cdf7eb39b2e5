/**
 * Cases of the contract that a stand-in for a cloud cannot show. They run nevertheless: one that passes after all, or fails
 * with something else, fails the run, so that the list stays true.
 */
import { expect, test } from 'vitest';

export interface Gap {
  /** What the stand-in lacks. */
  readonly why: string;
  /** What the case fails with. */
  readonly failure: RegExp;
}

/** By name of the case. */
export type Gaps = Readonly<Record<string, Gap>>;

export type DeclareCase = (name: string, body: () => Promise<void>) => void;

/** @param cases declares all of them with what it is given. */
export function declareCases(gaps: Gaps, cases: (declareCase: DeclareCase) => void): void {
  const open = new Map(Object.entries(gaps));
  cases((name, body) => {
    const gap = gaps[name];
    open.delete(name);
    if (gap === undefined) test(name, body);
    else test(`${name} (cannot be shown: ${gap.why})`, () => expectGap(gap, body));
  });
  for (const name of open.keys()) {
    test(`the gap "${name}" is a case of the contract`, () => {
      throw new Error('no case has this name: remove it from the table, or correct its name');
    });
  }
}

// ---------------------------------------------------------------------------------------------------

async function expectGap({ failure }: Gap, body: () => Promise<void>): Promise<void> {
  const thrown: unknown = await body().then(
    () => undefined,
    (error: unknown) => error ?? new Error('undefined was thrown'),
  );
  if (thrown === undefined) throw new Error('it passes: remove it from the table of gaps');
  expect(thrown instanceof Error ? thrown.message : String(thrown)).toMatch(failure);
}
