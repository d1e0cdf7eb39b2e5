/**
 * Minimises a linear program with HiGHS. The solver is WebAssembly and loaded when first asked for: most
 * runs never need it. It finds its `highs.wasm` beside the JavaScript it was loaded from, so a bundle
 * must carry that file next to its chunks.
 */
import type { Highs } from 'highs';

/** Minimise cost over variables that are at least zero. Rows by column: `starts` has one entry more than columns. */
export interface LinearProgram {
  readonly cost: readonly number[];
  readonly rowLower: readonly number[];
  readonly rowUpper: readonly number[];
  readonly starts: readonly number[];
  readonly rows: readonly number[];
  readonly values: readonly number[];
}

/** The least cost; nothing when the solver could not prove one. */
export async function minimise(program: LinearProgram): Promise<number | undefined> {
  const highs = await load();
  const { cost, rowLower, rowUpper, starts, rows, values } = program;
  const [numCols, numRows] = [cost.length, rowLower.length];
  const model = highs.createModel({
    numCols,
    numRows,
    colCost: cost,
    colLower: new Float64Array(numCols),
    colUpper: new Float64Array(numCols).fill(highs.infinity),
    rowLower,
    rowUpper,
    matrix: { format: 'csc', numRows, numCols, starts, indices: rows, values },
  });
  try {
    model.options.set({ output_flag: false });
    model.run();
    return model.getModelStatus() === highs.constants.modelStatus.optimal
      ? model.getObjectiveValue()
      : undefined;
  } finally {
    // Memory of WebAssembly is not garbage collected.
    model.dispose();
  }
}

// ---------------------------------------------------------------------------------------------------------------

let loading: Promise<Highs> | undefined;

function load(): Promise<Highs> {
  loading ??= import('highs').then((module) => module.default());
  return loading;
}
