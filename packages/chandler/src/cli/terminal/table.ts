/** A table that fits the width of a terminal: columns that do not fit are left out, the least important first. */
import { cleaned, truncate } from './paint.ts';

export interface Column<Row> {
  readonly title: string;
  readonly right?: boolean;
  /** The column with the highest rank is left out first. */
  readonly rank: number;
  /** Longer cells are cut to this where the table does not fit otherwise. Default: they are never cut. */
  readonly shrinksTo?: number;
  /** Which side of a long cell is cut. Default: its end. */
  readonly cut?: 'start';
  readonly of: (row: Row) => string;
}

export interface Table {
  readonly head: string;
  /** One for each row. */
  readonly lines: readonly string[];
}

/** @param width undefined: everything is shown whole. */
export function fittingTable<Row>(
  all: readonly Column<Row>[],
  rows: readonly Row[],
  width: number | undefined,
): Table {
  let columns = all.map((column): Measured<Row> => {
    const cells = rows.map((row) => cleaned(column.of(row)));
    const widest = cells.reduce((most, cell) => Math.max(most, cell.length), column.title.length);
    return { column, cells, width: widest, widest };
  });
  if (width !== undefined) {
    // The last ones first: what is on the left is read first.
    for (const each of columns.toReversed()) shrink(each, total(columns) - width);
    while (columns.length > 1 && total(columns) > width) {
      const last = Math.max(...columns.map(({ column }) => column.rank));
      columns = columns.filter(({ column }) => column.rank !== last);
    }
    for (const each of columns)
      each.width += Math.max(0, Math.min(each.widest - each.width, width - total(columns)));
  }
  const line = (cellOf: (each: Measured<Row>) => string) =>
    columns
      .map((each) => {
        const cell =
          each.column.cut === 'start'
            ? cutStart(cellOf(each), each.width)
            : truncate(cellOf(each), each.width);
        return each.column.right === true ? cell.padStart(each.width) : cell.padEnd(each.width);
      })
      .join(GAP)
      .trimEnd();
  return {
    head: line(({ column }) => column.title),
    lines: rows.map((_, at) => line(({ cells }) => cells[at]!)),
  };
}

// ---------------------------------------------------------------------------------------------------

const GAP = '  ';

interface Measured<Row> {
  readonly column: Column<Row>;
  readonly cells: readonly string[];
  readonly widest: number;
  width: number;
}

function cutStart(text: string, width: number): string {
  return text.length <= width ? text : `…${text.slice(1 - width)}`;
}

function total<Row>(columns: readonly Measured<Row>[]): number {
  return columns.reduce((sum, { width }) => sum + width + GAP.length, -GAP.length);
}

/** By as much as the table is too wide. */
function shrink<Row>(each: Measured<Row>, tooMuch: number): void {
  const { shrinksTo = each.width, title } = each.column;
  const least = Math.min(each.width, Math.max(shrinksTo, title.length));
  if (tooMuch > 0) each.width = Math.max(least, each.width - tooMuch);
}
