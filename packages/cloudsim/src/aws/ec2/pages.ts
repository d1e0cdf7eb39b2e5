/** Pages of Describe calls: size within the documented limits, and a token that names the last result. */
import type { AwsContext } from '../context.ts';
import { numberOf } from '../faults/parse-fault.ts';
import { ec2Error, invalidParameter } from '../wire/errors.ts';

export interface PageLimits {
  readonly min: number;
  readonly max: number;
  /** Without MaxResults. Default: everything. */
  readonly usual?: number;
}

export interface PageParams {
  readonly MaxResults?: number | undefined;
  readonly NextToken?: string | undefined;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly NextToken?: string;
}

/** Sorted by key, so that a token stays good while resources come and go. */
export function pageOf<Item>(
  context: Pick<AwsContext, 'faults' | 'world'>,
  action: string,
  items: readonly Item[],
  keyOf: (item: Item) => string,
  { MaxResults, NextToken }: PageParams,
  { min, max, usual }: PageLimits,
): Page<Item> {
  if (MaxResults !== undefined && (MaxResults < min || MaxResults > max))
    throw invalidParameter(
      `Value ( ${MaxResults} ) for parameter maxResults is invalid. Expecting a value between ${min} and ${max}.`,
    );
  const after = NextToken === undefined || NextToken === '' ? undefined : readToken(action, NextToken);
  const sorted = visible(context, action, items)
    .map((item) => ({ item, key: keyOf(item) }))
    .sort((one, other) => (one.key < other.key ? -1 : one.key > other.key ? 1 : 0));
  const rest = after === undefined ? sorted : sorted.filter(({ key }) => key > after);
  const size = pageSize(context, action, MaxResults ?? usual ?? rest.length);
  const page = rest.slice(0, size);
  if (page.length === rest.length) return { items: page.map(({ item }) => item) };
  const last = page.at(-1)?.key ?? after ?? '';
  return { items: page.map(({ item }) => item), NextToken: writeToken(action, last) };
}

// ---------------------------------------------------------------------------------------------------

/** The fault `partial` hides some resources, as before an answer is consistent. */
function visible<Item>(
  { faults, world }: Pick<AwsContext, 'faults' | 'world'>,
  action: string,
  items: readonly Item[],
): readonly Item[] {
  const fault = faults.trigger('list', { service: 'ec2', action }, (name) => name === 'partial');
  if (fault === undefined) return items;
  const share = numberOf(fault) / 100;
  return items.filter(() => world.random.next() >= share);
}

function pageSize({ faults }: Pick<AwsContext, 'faults'>, action: string, size: number): number {
  const fault = faults.trigger('list', { service: 'ec2', action }, (name) => name === 'short-pages');
  return fault === undefined ? size : Math.floor(size / 2);
}

function writeToken(action: string, key: string): string {
  return Buffer.from(JSON.stringify({ action, key })).toString('base64url');
}

function readToken(action: string, token: string): string {
  try {
    const read = JSON.parse(Buffer.from(token, 'base64url').toString()) as { action: unknown; key: unknown };
    if (read.action === action && typeof read.key === 'string') return read.key;
  } catch {
    // The same answer as for a token of another call.
  }
  throw ec2Error('InvalidNextToken', 'The specified NextToken is not valid');
}
