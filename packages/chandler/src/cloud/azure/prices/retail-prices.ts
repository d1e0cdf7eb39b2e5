/**
 * Reads Azure's public price list: Linux VMs by the hour in one region, page after page. A page that could not be read is
 * requested again. All pages or nothing: half a price list says nothing about the other half. What is done with the prices, `price-list.ts` says.
 */
import { type Clock, type Fetch, rethrowProgramError } from '@chandler/kube';

export interface RetailPrices {
  /** US dollars per hour, by full size name. */
  readonly onDemand: ReadonlyMap<string, number>;
  readonly spot: ReadonlyMap<string, number>;
}

export interface RetailPricesRequest {
  readonly fetch: Fetch;
  readonly clock: Clock;
  /** As ARM names it: `eastus`. */
  readonly region: string;
  /** Default the public one. */
  readonly endpoint?: string;
  /** For each page. Default 30 s. */
  readonly timeoutMs?: number;
}

export const RETAIL_PRICES_ENDPOINT = 'https://prices.azure.com/api/retail/prices';
export const RETAIL_PRICES_API_VERSION = '2023-01-01-preview';

export type RetailPricesProblem =
  | 'Unreachable'
  | 'TimedOut'
  | 'BadStatus'
  | 'NotJson'
  | 'WrongShape'
  | 'ForeignNextPage'
  | 'TooManyPages';

export class RetailPricesError extends Error {
  override readonly name = 'RetailPricesError';
  readonly problem: RetailPricesProblem;

  constructor(problem: RetailPricesProblem, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.problem = problem;
  }

  /** Whether the same request may be answered in a moment. */
  get retriable(): boolean {
    return this.problem !== 'ForeignNextPage' && this.problem !== 'TooManyPages';
  }
}

/** @throws {RetailPricesError} when one page could not be read, also not when it was requested again. */
export async function readRetailPrices(request: RetailPricesRequest): Promise<RetailPrices> {
  const onDemand = new Map<string, number>();
  const spot = new Map<string, number>();
  const first = firstPage(request);
  let next: string | undefined = first;
  for (let page = 0; next !== undefined; page++) {
    if (page >= MAX_PAGES)
      throw new RetailPricesError('TooManyPages', `more than ${MAX_PAGES} pages of prices`);
    const { items, nextPage } = await readPageWithRetries(request, next);
    for (const item of items) addItem(item, request.region, onDemand, spot);
    next = nextPage === undefined ? undefined : sameOrigin(nextPage, first);
  }
  return { onDemand, spot };
}

// ---------------------------------------------------------------------------------------------------------------

/** A region has some 40 pages today. */
const MAX_PAGES = 1_000;
const TIMEOUT_MS = 30_000;
/** Before each further attempt at a page. */
const RETRY_WAITS_MS: readonly number[] = [1_000, 5_000, 15_000];

function firstPage({ endpoint = RETAIL_PRICES_ENDPOINT, region }: RetailPricesRequest): string {
  const filter = [
    ['priceType', 'Consumption'],
    ['currencyCode', 'USD'],
    ['serviceFamily', 'Compute'],
    ['serviceName', 'Virtual Machines'],
    ['armRegionName', region],
  ]
    .map(([field, value]) => `${field} eq '${value}'`)
    .join(' and ');
  return `${endpoint}?api-version=${RETAIL_PRICES_API_VERSION}&$filter=${encodeURIComponent(filter)}`;
}

/** The list sends us on; it may not send us elsewhere. */
function sameOrigin(next: string, first: string): string {
  const from = new URL(first);
  const to = URL.canParse(next, first) ? new URL(next, first) : undefined;
  // The service writes its default port into the links.
  if (to === undefined || to.protocol !== from.protocol || to.host !== from.host)
    throw new RetailPricesError(
      'ForeignNextPage',
      `the price list has an invalid link to the next page: ${JSON.stringify(next)}`,
    );
  return to.href;
}

interface Page {
  readonly items: readonly unknown[];
  readonly nextPage: string | undefined;
}

async function readPageWithRetries(request: RetailPricesRequest, url: string): Promise<Page> {
  for (const waitMs of RETRY_WAITS_MS) {
    try {
      return await readPage(request, url);
    } catch (error) {
      if (!(error instanceof RetailPricesError) || !error.retriable) throw error;
      await request.clock.sleep(waitMs);
    }
  }
  return readPage(request, url);
}

async function readPage(request: RetailPricesRequest, url: string): Promise<Page> {
  const { body, status } = await readBody(request, url);
  if (status !== 200)
    throw new RetailPricesError('BadStatus', `the price list answered with status ${status}`);
  const page = parse(body);
  const items = (page as { Items?: unknown } | null)?.Items;
  const next = (page as { NextPageLink?: unknown } | null)?.NextPageLink;
  if (!Array.isArray(items) || (next !== undefined && next !== null && typeof next !== 'string'))
    throw new RetailPricesError('WrongShape', 'a page of the price list has no list of items');
  return { items, nextPage: next === null || next === '' ? undefined : (next as string | undefined) };
}

async function readBody(
  request: RetailPricesRequest,
  url: string,
): Promise<{ body: string; status: number }> {
  const abort = new AbortController();
  const timer = request.clock.after(request.timeoutMs ?? TIMEOUT_MS, () => abort.abort());
  try {
    const response = await request.fetch(url, {
      signal: abort.signal,
      headers: { accept: 'application/json' },
    });
    return { body: await response.text(), status: response.status };
  } catch (error) {
    if (abort.signal.aborted)
      throw new RetailPricesError('TimedOut', 'the request for the price list timed out');
    rethrowProgramError(error);
    throw new RetailPricesError('Unreachable', 'the price list is unreachable', error);
  } finally {
    timer.cancel();
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new RetailPricesError('NotJson', 'a page of the price list is not JSON', error);
  }
}

interface Item {
  readonly armSkuName?: unknown;
  readonly armRegionName?: unknown;
  readonly skuName?: unknown;
  readonly meterName?: unknown;
  readonly productName?: unknown;
  readonly retailPrice?: unknown;
  readonly currencyCode?: unknown;
  readonly unitOfMeasure?: unknown;
  readonly type?: unknown;
}

/**
 * Several meters may carry the same size: an old one beside its successor, or one that has a Windows licence in its
 * price and does not say so. The lowest price counts: it is the VM alone, and the pages come in no promised
 * order, so the last one would be chance. What costs nothing is not a price.
 */
function addItem(
  item: unknown,
  region: string,
  onDemand: Map<string, number>,
  spot: Map<string, number>,
): void {
  if (typeof item !== 'object' || item === null || !isHourlyLinux(item as Item, region)) return;
  const { armSkuName, skuName, retailPrice } = item as Item;
  if (typeof armSkuName !== 'string' || armSkuName === '') return;
  if (typeof retailPrice !== 'number' || !Number.isFinite(retailPrice) || retailPrice <= 0) return;
  const prices = endsWith(skuName, ' Spot') ? spot : onDemand;
  prices.set(armSkuName, Math.min(prices.get(armSkuName) ?? Number.POSITIVE_INFINITY, retailPrice));
}

function isHourlyLinux(item: Item, region: string): boolean {
  return (
    !endsWith(item.productName, ' Windows') &&
    // VMs of Azure Batch, not available here.
    !endsWith(item.meterName, ' Low Priority') &&
    isOr(item.armRegionName, region) &&
    isOr(item.currencyCode, 'USD') &&
    isOr(item.unitOfMeasure, '1 Hour') &&
    isOr(item.type, 'Consumption')
  );
}

function endsWith(value: unknown, suffix: string): boolean {
  return typeof value === 'string' && value.endsWith(suffix);
}

/** The list was filtered already: only a contradiction counts. */
function isOr(value: unknown, wanted: string): boolean {
  return typeof value !== 'string' || value === wanted;
}
