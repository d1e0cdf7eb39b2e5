/**
 * Filters of Describe calls: values of one filter are alternatives, all filters must match, `*` and `?` are wildcards.
 * Every resource has `tag:KEY` and `tag-key`.
 */
import type { Filter, Tag } from '@aws-sdk/client-ec2';
import { ec2Error, invalidParameter } from '../wire/errors.ts';

/** The values that a resource has for a filter; none when it has no such attribute. */
export type FilterValues<Item> = (item: Item) => FilterValue | readonly FilterValue[];
export type FilterValue = string | number | boolean | Date | undefined;
export type FilterTable<Item> = Readonly<Record<string, FilterValues<Item>>>;

export function filtered<Item>(
  items: readonly Item[],
  filters: readonly Filter[] | undefined,
  table: FilterTable<Item>,
  tagsOf: (item: Item) => readonly Tag[] = () => [],
): readonly Item[] {
  if (filters === undefined || filters.length === 0) return items;
  const tests = filters.map((filter) => testOf(filter, table, tagsOf));
  return items.filter((item) => tests.every((test) => test(item)));
}

/** Case matters. A backslash makes a wildcard literal. */
export function matchesWildcard(pattern: string, value: string): boolean {
  if (!/[*?\\]/.test(pattern)) return pattern === value;
  const regex = pattern.replace(/\\[*?\\]|[.+^${}()|[\]\\*?]/g, (sign) =>
    sign === '*' ? '.*' : sign === '?' ? '.' : sign.length === 2 ? sign : `\\${sign}`,
  );
  return new RegExp(`^${regex}$`, 's').test(value);
}

// ---------------------------------------------------------------------------------------------------

const MAX_VALUES = 200;

function testOf<Item>(
  { Name, Values }: Filter,
  table: FilterTable<Item>,
  tagsOf: (item: Item) => readonly Tag[],
): (item: Item) => boolean {
  if (Name === undefined || Name === '') throw ec2Error('MissingParameter', 'The filter name is missing');
  if (Values === undefined || Values.length === 0)
    throw invalidParameter(`The filter '${Name}' must have at least one value`);
  if (Values.length > MAX_VALUES)
    throw ec2Error(
      'FilterLimitExceeded',
      `The maximum number of filter values specified on a single call is ${MAX_VALUES}`,
    );
  const read = valuesOf(Name, table, tagsOf);
  return (item) => read(item).some((value) => Values.some((pattern) => matchesWildcard(pattern, value)));
}

function valuesOf<Item>(
  name: string,
  table: FilterTable<Item>,
  tagsOf: (item: Item) => readonly Tag[],
): (item: Item) => readonly string[] {
  if (name.startsWith('tag:')) {
    const key = name.slice('tag:'.length);
    return (item) => tagsOf(item).flatMap((tag) => (tag.Key === key ? [tag.Value ?? ''] : []));
  }
  if (name === 'tag-key') return (item) => tagsOf(item).map(({ Key = '' }) => Key);
  const read = Object.hasOwn(table, name) ? table[name] : undefined;
  if (read === undefined) throw invalidParameter(`The filter '${name}' is invalid`);
  return (item) => {
    const values = read(item);
    return [values]
      .flat()
      .flatMap((value) =>
        value === undefined ? [] : [value instanceof Date ? value.toISOString() : String(value)],
      );
  };
}
