/**
 * A Describe call from a row: which resources, which ids and names select them, which filters it knows, how it is paged. The
 * rows are in describe-network.ts, describe-types.ts and their like.
 */
import type { Filter, Tag } from '@aws-sdk/client-ec2';
import type { AwsContext } from '../context.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { dryRun, ec2Error } from '../wire/errors.ts';
import { type FilterTable, filtered } from './filters.ts';
import { type PageLimits, type PageParams, pageOf } from './pages.ts';

export interface Selector<Item> {
  /** `SubnetIds`. */
  readonly param: string;
  readonly of: (item: Item) => string | undefined;
  readonly code: string;
  readonly message: (missing: string) => string;
  /** Values that are no ids at all. */
  readonly form?: {
    readonly pattern: RegExp;
    readonly code: string;
    readonly message: (value: string) => string;
  };
}

export interface DescribeRow<Item> {
  readonly action: string;
  /** Member of the answer. */
  readonly member: string;
  items(context: AwsContext, request: AwsRequest): readonly Item[];
  readonly key: (item: Item) => string;
  readonly selectors?: readonly Selector<Item>[];
  readonly filters: FilterTable<Item>;
  readonly tags?: (item: Item) => readonly Tag[];
  readonly page?: PageLimits;
  /** MaxResults with ids or names is refused. Default true. */
  readonly idsExcludePages?: boolean;
  /** As the answer shows it. Default: as it is. */
  readonly shown?: (item: Item, context: AwsContext) => unknown;
}

export function describeOperation<Item>(context: AwsContext, row: DescribeRow<Item>): Operation {
  return {
    service: 'ec2',
    action: row.action,
    handle(request) {
      const { items, NextToken } = select(context, row, request);
      const shown = items.map((item) => row.shown?.(item, context) ?? item);
      return { [row.member]: shown, NextToken };
    },
  };
}

/** The page of resources that a request selects. */
export function select<Item>(context: AwsContext, row: DescribeRow<Item>, request: AwsRequest) {
  const params = request.params as PageParams & { DryRun?: boolean; Filters?: readonly Filter[] };
  const wanted = (row.selectors ?? []).map((selector) => ({
    selector,
    values: [...new Set((request.params[selector.param] ?? []) as readonly string[])],
  }));
  const named = wanted.filter(({ values }) => values.length > 0);
  if (named.length > 0 && params.MaxResults !== undefined && (row.idsExcludePages ?? true))
    throw ec2Error(
      'InvalidParameterCombination',
      `The parameter ${lowerFirst(named[0]!.selector.param)} cannot be used with the parameter maxResults`,
    );
  if (params.DryRun) throw dryRun();
  let items = row.items(context, request);
  for (const { selector, values } of named) items = byNames(items, selector, values);
  const matching = filtered(items, params.Filters, row.filters, row.tags);
  return pageOf(context, row.action, matching, row.key, params, row.page ?? UNPAGED);
}

// ---------------------------------------------------------------------------------------------------

const UNPAGED: PageLimits = { min: 1, max: 1000 };

function byNames<Item>(
  items: readonly Item[],
  selector: Selector<Item>,
  values: readonly string[],
): readonly Item[] {
  for (const value of values)
    if (selector.form !== undefined && !selector.form.pattern.test(value))
      throw ec2Error(selector.form.code, selector.form.message(value));
  const found = items.filter((item) => values.includes(selector.of(item) ?? ''));
  const names = new Set(found.map((item) => selector.of(item)));
  const missing = values.filter((value) => !names.has(value));
  if (missing.length > 0) throw ec2Error(selector.code, selector.message(missing.join(', ')));
  return found;
}

function lowerFirst(text: string): string {
  return text[0]!.toLowerCase() + text.slice(1);
}
