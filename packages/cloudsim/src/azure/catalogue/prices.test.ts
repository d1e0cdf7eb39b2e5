import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { anAzure, type TestAzure } from '../cluster/azure.fixture.ts';
import { FilterError, parseFilter } from './odata-filter.ts';
import { type PricePage, RETAIL_PRICES_PATH, type RetailPrice } from './retail-prices.ts';

describe('the price list', () => {
  let simulation: TestAzure;

  beforeEach(async () => {
    simulation = await anAzure();
  });

  afterEach(() => simulation.close());

  /** As a client would: open, following the links to the end. */
  async function prices(filter: string): Promise<RetailPrice[]> {
    const items: RetailPrice[] = [];
    const version = 'api-version=2023-01-01-preview';
    let next: string | null = `${RETAIL_PRICES_PATH}?${version}&$filter=${encodeURIComponent(filter)}`;
    while (next !== null) {
      const page: { status: number; body: PricePage } = await simulation.callWith<PricePage>(undefined, next);
      expect(page.status).toBe(200);
      expect(page.body.Count).toBe(page.body.Items.length);
      expect(page.body.Count).toBeLessThanOrEqual(1000);
      items.push(...page.body.Items);
      next = page.body.NextPageLink;
    }
    return items;
  }

  const REGION =
    "priceType eq 'Consumption' and currencyCode eq 'USD' and serviceFamily eq 'Compute' and serviceName eq 'Virtual Machines' and armRegionName eq 'eastus'";

  test('a price can be read as it is listed, also after it was set', async () => {
    const { prices: list } = simulation.azure.catalogue;
    const listed = await prices(`${REGION} and armSkuName eq 'Standard_D4s_v5'`);
    const meter = (suffix: string) =>
      listed.find((item) => item.meterName === `D4s v5${suffix}` && !item.productName.endsWith('Windows'));
    expect(list.priceOf('Standard_D4s_v5', 'eastus', 'Regular')).toBe(meter('')?.retailPrice);
    expect(list.priceOf('standard_d4s_v5', 'eastus', 'Spot')).toBe(meter(' Spot')?.retailPrice);
    expect(list.priceOf('Standard_None', 'eastus', 'Regular')).toBeUndefined();
    expect(list.changes).toBe(0);
    list.set('Standard_D4s_v5', 'eastus', 'Regular', 0.5);
    expect(list.priceOf('Standard_D4s_v5', 'eastus', 'Regular')).toBe(0.5);
    expect(list.changes).toBe(1);
  });

  test('lists every size of a region over several pages, each meter once', async () => {
    const items = await prices(REGION);
    expect(items.length).toBeGreaterThan(2000);
    expect(new Set(items.map((item) => item.meterId)).size).toBe(items.length);
    expect(new Set(items.map((item) => item.armRegionName))).toEqual(new Set(['eastus']));
  });

  test('mixes Windows, spot and low-priority meters with the plain one', async () => {
    const items = await prices(`${REGION} and armSkuName eq 'Standard_D4s_v5'`);
    expect(items.map((item) => [item.productName, item.meterName, item.retailPrice])).toEqual([
      ['Virtual Machines Dsv5 Series', 'D4s v5', 0.192],
      ['Virtual Machines Dsv5 Series', 'D4s v5 Spot', 0.0384],
      ['Virtual Machines Dsv5 Series', 'D4s v5 Low Priority', 0.048],
      ['Virtual Machines Dsv5 Series Windows', 'D4s v5', 0.36864],
      ['Virtual Machines Dsv5 Series Windows', 'D4s v5 Spot', 0.07296],
      ['Virtual Machines Dsv5 Series Windows', 'D4s v5 Low Priority', 0.096],
    ]);
    expect(items[0]).toMatchObject({ unitOfMeasure: '1 Hour', type: 'Consumption', location: 'US East' });
  });

  test('lists reservations unless the filter asks for consumption only', async () => {
    const items = await prices("armSkuName eq 'Standard_D4s_v5' and armRegionName eq 'westeurope'");
    expect(items.filter((item) => item.type === 'Reservation')).toMatchObject([
      { reservationTerm: '1 Year' },
    ]);
  });

  test('has no row for a size without a price', async () => {
    expect(await prices("armSkuName eq 'Standard_D11_v2_Promo'")).toEqual([]);
  });

  test('shows a changed price', async () => {
    simulation.azure.catalogue.prices.set('Standard_D4s_v5', 'eastus', 'Spot', 0.01);
    const items = await prices(
      `${REGION} and armSkuName eq 'Standard_D4s_v5' and not endswith(productName, 'Windows')`,
    );
    expect(items.map((item) => item.retailPrice)).toEqual([0.192, 0.01, 0.048]);
  });

  test.each([
    "armRegionName eq eastus'",
    'armRegionName lt 5',
    "nonsense eq 'x'",
    '((((',
    "skuName eq 'a' or",
  ])('rejects the filter %s', async (filter) => {
    const url = `${RETAIL_PRICES_PATH}?$filter=${encodeURIComponent(filter)}`;
    const answer = await simulation.callWith<{ Error: { Code: string } }>(undefined, url);
    expect([answer.status, answer.body.Error.Code]).toEqual([400, 'BadRequest']);
  });
});

describe('a filter', () => {
  const matches = (text: string, fields: Record<string, string>) => parseFilter(text)((name) => fields[name]);

  test('gives and precedence over or, and supports brackets and not', () => {
    expect(matches("a eq '1' or a eq '2' and b eq '3'", { a: '1', b: 'x' })).toBe(true);
    expect(matches("(a eq '1' or a eq '2') and b eq '3'", { a: '1', b: 'x' })).toBe(false);
    expect(matches("not (a eq '1')", { a: '1' })).toBe(false);
    expect(matches("a ne '1'", { a: '2' })).toBe(true);
  });

  test('reads quotes inside texts', () => {
    expect(matches("a eq 'it''s'", { a: "it's" })).toBe(true);
    expect(matches("startswith(a, 'Stan') and contains(a,'d4')", { a: 'Standard_d4s' })).toBe(true);
  });

  test('compares case-sensitively by default', () => {
    expect(matches("a eq 'X'", { a: 'x' })).toBe(false);
    expect(parseFilter("a eq 'X'", { ignoreCase: true })(() => 'x')).toBe(true);
  });

  test('has a maximum length', () => {
    expect(() => parseFilter(`${'('.repeat(100)}a eq 'x'`)).toThrow(FilterError);
    expect(() => parseFilter(`a eq '${'x'.repeat(5000)}'`)).toThrow(FilterError);
    expect(() => parseFilter('')).toThrow(FilterError);
  });
});
