/** A table that scrolls in itself, by keyboard too, with a row of headings. In a narrow window its rows are cards. */
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';

/** A heading, or one of a column of numbers. */
export type Heading = string | { readonly number: string };

export function DataTable({
  label,
  headings,
  children,
}: {
  readonly label: string;
  readonly headings: readonly Heading[];
  /** Rows. */
  readonly children: ComponentChildren;
}) {
  const body = useRef<HTMLTableSectionElement>(null);
  useLayoutEffect(() => {
    // For the style sheet: what a cell of a card is.
    for (const row of body.current?.rows ?? [])
      for (const [at, cell] of [...row.cells].entries()) {
        const heading = headings[at] ?? '';
        cell.dataset['label'] = typeof heading === 'string' ? heading : heading.number;
      }
  });
  return (
    <div class="table-scroll cards" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {headings.map((heading) =>
              typeof heading === 'string' ? (
                <th key={heading} scope="col">
                  {heading}
                </th>
              ) : (
                <th key={heading.number} scope="col" class="number">
                  {heading.number}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody ref={body}>{children}</tbody>
      </table>
    </div>
  );
}
