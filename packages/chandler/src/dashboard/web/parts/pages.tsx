/** Long tables a hundred rows at a time. */
import { useApp, useRoute } from '../app-context.ts';
import { thousands } from '../model/format.ts';
import { Link } from './link.tsx';

export const ROWS_PER_PAGE = 100;

export function pageOf<T>(
  all: readonly T[],
  page: number,
): { readonly rows: readonly T[]; readonly pages: number } {
  const pages = Math.max(1, Math.ceil(all.length / ROWS_PER_PAGE));
  const from = (Math.min(page, pages) - 1) * ROWS_PER_PAGE;
  return { rows: all.slice(from, from + ROWS_PER_PAGE), pages };
}

export function Pages({
  page,
  pages,
  of,
}: {
  readonly page: number;
  readonly pages: number;
  readonly of: number;
}) {
  const route = useRoute();
  const { navigation } = useApp();
  const shown = Math.min(page, pages);
  if (pages === 1) return <span class="soft">{thousands(of)} in all</span>;
  return (
    <nav class="pages" aria-label="Pages of the table">
      {shown > 1 ? <Link to={{ ...route, page: shown - 1 }}>Previous</Link> : null}
      <label>
        Page{' '}
        <input
          type="number"
          min={1}
          max={pages}
          value={shown}
          onChange={(event) => navigation.change({ page: Number(event.currentTarget.value) || 1 })}
        />{' '}
        of {thousands(pages)}
      </label>
      {shown < pages ? <Link to={{ ...route, page: shown + 1 }}>Next</Link> : null}
      <span class="soft">{thousands(of)} in all</span>
    </nav>
  );
}
