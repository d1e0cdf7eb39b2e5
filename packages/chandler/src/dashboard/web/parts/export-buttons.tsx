/** A table as a file. */
import { after } from '../browser.ts';
import { type Table, toCsv, toJson } from '../model/csv.ts';

export function ExportButtons({ name, table }: { readonly name: string; readonly table: () => Table }) {
  return (
    <span class="export">
      <button
        type="button"
        onClick={() => save(`${name}.csv`, new Blob([BYTE_ORDER_MARK, toCsv(table())], { type: 'text/csv' }))}
      >
        CSV<span class="hidden"> of {name}</span>
      </button>
      <button
        type="button"
        onClick={() => save(`${name}.json`, new Blob([toJson(table())], { type: 'application/json' }))}
      >
        JSON<span class="hidden"> of {name}</span>
      </button>
    </span>
  );
}

/** Without it, Excel does not read a CSV as UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
/** Some browsers begin to read the file later. */
const KEEP_MS = 60_000;

/** Downloads the file. */
export function save(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = `chandler-${name}`;
  link.click();
  after(KEEP_MS, () => URL.revokeObjectURL(address));
}
