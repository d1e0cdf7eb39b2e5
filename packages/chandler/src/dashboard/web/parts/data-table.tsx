/** A table that scrolls in itself, by keyboard too, with a row of headings. */
import type { ComponentChildren } from 'preact';

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
  return (
    <div class="table-scroll" tabIndex={0} role="region" aria-label={label}>
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
        <tbody>{children}</tbody>
      </table>
    </div>
  );
}
