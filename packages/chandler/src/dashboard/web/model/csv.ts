/** Tables as files. Pure. */

export type Cell = string | number | boolean | null;

export interface Table {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

/** RFC 4180. A cell that a spreadsheet would read as a formula gets an apostrophe before it. */
export function toCsv({ columns, rows }: Table): string {
  return [columns, ...rows].map((row) => `${row.map(cellText).join(',')}\r\n`).join('');
}

/** One object for each row. */
export function toJson({ columns, rows }: Table): string {
  const objects = rows.map((row) =>
    Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])),
  );
  return `${JSON.stringify(objects, null, 2)}\n`;
}

const FORMULA = /^[=+\-@\t\r]/;

function cellText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell !== 'string') return String(cell);
  const safe = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
