/**
 * Minimises a linear program by column generation: after each solution the caller looks at the dual prices of
 * the rows and adds columns that improve it, until none does. The solver, HiGHS, is WebAssembly and is loaded
 * on first use, because most runs never need it. It expects `highs.wasm` next to the JavaScript file that
 * loads it, so a bundle must include that file next to its chunks.
 */
import type { Highs } from 'highs';

/** Minimise cost over variables that are at least zero, with every row between its limits. */
export interface LinearProgram {
  readonly rowLower: readonly number[];
  readonly rowUpper: readonly number[];
  readonly columns: readonly Column[];
}

export interface Column {
  readonly cost: number;
  /** Distinct rows. */
  readonly entries: readonly Entry[];
}

export type Entry = readonly [row: number, value: number];

/** Columns to add, given the lowest cost so far and the dual prices of the rows; none to stop. */
export type Improve = (least: number, rowPrices: ArrayLike<number>) => readonly Column[];

/** False when the solver failed. */
export async function minimise(program: LinearProgram, improve: Improve): Promise<boolean> {
  const highs = await load();
  const { rowLower, rowUpper } = program;
  const model = highs.createModel({
    numCols: program.columns.length,
    numRows: rowLower.length,
    ...bounds(program.columns.length, highs.infinity),
    colCost: program.columns.map((column) => column.cost),
    rowLower,
    rowUpper,
    matrix: matrixOf(program.columns, rowLower.length),
  });
  try {
    // Presolve costs more than it saves on programs of this size.
    model.options.set({ output_flag: false, presolve: 'off' });
    for (;;) {
      model.run();
      // New columns leave the last solution feasible, which suits the primal method.
      model.options.set({ simplex_strategy: PRIMAL_SIMPLEX });
      if (model.getModelStatus() !== highs.constants.modelStatus.optimal) return false;
      const columns = improve(model.getObjectiveValue(), model.getSolution().rowDual);
      if (columns.length === 0) return true;
      const { colLower, colUpper } = bounds(columns.length, highs.infinity);
      model.addCols({
        cost: Float64Array.from(columns, (column) => column.cost),
        lower: colLower,
        upper: colUpper,
        matrix: matrixOf(columns, rowLower.length),
      });
    }
  } finally {
    // Memory of WebAssembly is not garbage collected.
    model.dispose();
  }
}

// ---------------------------------------------------------------------------------------------------------------

const PRIMAL_SIMPLEX = 4;

/** The type declarations describe the CommonJS build, where the function is nested in one more `default`. */
type Load = () => Promise<Highs>;

let loading: Promise<Highs> | undefined;

function load(): Promise<Highs> {
  loading ??= import('./lazy/highs.ts').then((module) => (module.default as unknown as Load)());
  return loading;
}

function bounds(count: number, infinity: number) {
  return { colLower: new Float64Array(count), colUpper: new Float64Array(count).fill(infinity) };
}

function matrixOf(columns: readonly Column[], numRows: number) {
  const starts = [0];
  const indices: number[] = [];
  const values: number[] = [];
  for (const { entries } of columns) {
    for (const [row, value] of entries) {
      if (value === 0) continue;
      indices.push(row);
      values.push(value);
    }
    starts.push(indices.length);
  }
  const matrix = { format: 'csc', numRows, numCols: columns.length } as const;
  return {
    ...matrix,
    starts: Int32Array.from(starts),
    indices: Int32Array.from(indices),
    values: Float64Array.from(values),
  };
}
