/** The result of a benchmark: figures, their goals, and proof that the work was done. */

export interface BenchResult {
  readonly name: string;
  /** Figures by name, units in the names. */
  readonly figures: Readonly<Record<string, number>>;
  /** How far a figure is from its goal: above 1 is better. */
  readonly goals: Readonly<Record<string, { readonly goal: number; readonly ratio: number }>>;
  /** What was verified after the work, as sentences. */
  readonly checked: readonly string[];
}

/** A goal that a figure should reach or exceed. */
export function atLeast(figure: number, goal: number) {
  return { goal, ratio: rounded(figure / goal) };
}

/** A goal that a figure should stay under. */
export function atMost(figure: number, goal: number) {
  return { goal, ratio: rounded(goal / figure) };
}

export function rounded(value: number): number {
  return Number(value.toPrecision(3));
}

export function assertWork(holds: boolean, sentence: string): string {
  if (!holds) throw new Error(`the benchmark did not do its work: ${sentence}`);
  return sentence;
}

/** The last line of a benchmark's process. */
export function report(result: BenchResult): void {
  console.log(JSON.stringify(result));
}
