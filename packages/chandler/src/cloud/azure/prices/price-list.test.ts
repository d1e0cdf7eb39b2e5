import { settle, type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { PRICES_REFRESH_MS, PRICES_RETRY_MS, PriceList } from './price-list.ts';
import { BUILT_IN_PRICES } from './prices.table.ts';

interface Item {
  readonly armSkuName?: string;
  readonly skuName?: string;
  readonly meterName?: string;
  readonly productName?: string;
  readonly retailPrice?: unknown;
  readonly unitOfMeasure?: string;
  readonly armRegionName?: string;
}

function item(name: string, retailPrice: unknown, more: Item = {}): Item {
  return {
    armSkuName: `Standard_${name}`,
    skuName: name,
    meterName: name,
    productName: 'Virtual Machines Series',
    retailPrice,
    ...more,
  };
}

const spot = (name: string, price: number) => item(name, price, { skuName: `${name} Spot` });

/** A price list of these pages; a page may be any answer. */
function aPriceList(pages: (readonly unknown[] | Response | Error)[], region = 'eastus', published = true) {
  const asked: URL[] = [];
  const list = { pages };
  const world = virtualWorld({
    fetch: async (input) => {
      const url = new URL(String(input));
      asked.push(new URL(url));
      const number = Number(url.searchParams.get('page') ?? 0);
      const page = list.pages[number]!;
      if (page instanceof Error) throw page;
      if (page instanceof Response) return page.clone();
      url.searchParams.set('page', String(number + 1));
      const next = number + 1 < list.pages.length ? url.href.replace('.com/', '.com:443/') : null;
      return Response.json({ BillingCurrency: 'USD', Items: page, NextPageLink: next, Count: page.length });
    },
  });
  const { clock, log, fetch } = world;
  return { prices: new PriceList({ clock, log, fetch, region, published }), asked, list, world };
}

/** Longer than all attempts at one page take. */
async function untilGivenUp({ clock }: VirtualWorld): Promise<void> {
  for (let second = 0; second < 180; second++) {
    await settle();
    await clock.advance(1_000);
  }
}

describe('the published price list', () => {
  test('is read for Linux VMs by the hour in the region, page by page', async () => {
    const { prices, asked } = aPriceList([
      [item('D2s_v5', 0.1)],
      [item('D4s_v5', 0.2), spot('D2s_v5', 0.02)],
    ]);
    expect(await prices.refreshIfDue()).toBe(true);
    expect(asked[0]!.origin + asked[0]!.pathname).toBe('https://prices.azure.com/api/retail/prices');
    expect(asked[0]!.searchParams.get('api-version')).toBe('2023-01-01-preview');
    expect(asked[0]!.searchParams.get('$filter')).toBe(
      "priceType eq 'Consumption' and currencyCode eq 'USD' and serviceFamily eq 'Compute' and serviceName eq 'Virtual Machines' and armRegionName eq 'eastus'",
    );
    expect(asked).toHaveLength(2);
    expect(prices.known('Standard_D4s_v5', 'on-demand')).toEqual({ price: 0.2, source: 'list' });
    expect(prices.price('Standard_D2s_v5', 'spot')).toBe(0.02);
  });

  test('what is no price of a Linux VM is skipped', async () => {
    const { prices } = aPriceList([
      [
        spot('D2s_v5', 0.01),
        item('D2s_v5', 0.1),
        item('D2s_v5', 0.05, { productName: 'Virtual Machines Dsv5 Series Windows' }),
        item('D2s_v5', 0.05, { meterName: 'D2s v5 Low Priority' }),
        item('D2s_v5', 0.05, { unitOfMeasure: '1/Month' }),
        item('D2s_v5', 0.05, { armRegionName: 'westus' }),
        item('D2s_v5', 0),
        item('D2s_v5', 'cheap'),
        { retailPrice: 0.01 },
        null,
        'text',
      ],
    ]);
    await prices.refreshIfDue();
    expect(prices.price('Standard_D2s_v5', 'on-demand')).toBe(0.1);
  });

  test('of several prices the lowest counts, in whatever order they come', async () => {
    for (const order of [
      [0.09, 0.1, 0.18],
      [0.18, 0.1, 0.09],
    ]) {
      const { prices } = aPriceList([[spot('D2s_v5', 0.01), ...order.map((price) => item('D2s_v5', price))]]);
      await prices.refreshIfDue();
      expect(prices.price('Standard_D2s_v5', 'on-demand')).toBe(0.09);
    }
  });

  test('a size that the list does not have costs what an earlier list said, else the built-in price', async () => {
    const { prices, list, world } = aPriceList([[item('D2s_v5', 0.096), item('X1_v9', 7), spot('X1_v9', 2)]]);
    await prices.refreshIfDue();
    list.pages = [[item('D2s_v5', 0.096), spot('D2s_v5', 0.02)]];
    await world.clock.advance(PRICES_REFRESH_MS);
    await prices.refreshIfDue();
    expect(prices.known('Standard_X1_v9', 'on-demand')).toEqual({ price: 7, source: 'earlierList' });
    expect(prices.known('Standard_X1_v9', 'spot')).toEqual({ price: 2, source: 'earlierList' });
    expect(prices.known('Standard_D4s_v5', 'on-demand')).toEqual({ price: 0.192, source: 'builtIn' });
    expect(prices.known('Standard_D4s_v5', 'spot')).toBeUndefined();
    expect(prices.known('Standard_X2_v9', 'on-demand')).toBeUndefined();
  });

  test('a page that fails is requested again, not the whole list', async () => {
    const { prices, asked, list, world } = aPriceList([
      [item('D2s_v5', 0.5)],
      new Response('busy', { status: 503 }),
    ]);
    const read = prices.refreshIfDue();
    await settle();
    list.pages[1] = [item('D4s_v5', 0.7)];
    await world.clock.advance(1_000);
    expect(await read).toBe(true);
    expect(asked.map((url) => url.searchParams.get('page'))).toEqual([null, '1', '1']);
    expect(prices.price('Standard_D4s_v5', 'on-demand')).toBe(0.7);
  });
});

describe('a list that cannot be read changes nothing', () => {
  const good = [item('D2s_v5', 0.1), spot('D2s_v5', 0.02)];
  const answers: readonly [problem: string, page: readonly unknown[] | Response | Error][] = [
    ['Unreachable', new Error('no route')],
    ['BadStatus', new Response('busy', { status: 503 })],
    ['NotJson', new Response('<html>')],
    ['WrongShape', Response.json({ Items: 'none' })],
    ['WrongShape', Response.json(null)],
    ['ForeignNextPage', Response.json({ Items: [], NextPageLink: 'https://evil.example/prices' })],
  ];

  test.each(answers)('%s', async (problem, page) => {
    const { prices, list, world } = aPriceList([good]);
    await prices.refreshIfDue();
    const before = prices.sequence;
    await world.clock.advance(PRICES_REFRESH_MS);
    list.pages = [[item('D2s_v5', 0.5)], page];
    const read = prices.refreshIfDue();
    await untilGivenUp(world);
    expect(await read).toBe(false);
    expect(world.lines.at(-1)).toMatchObject({ level: 'warn', fields: { problem } });
    expect([prices.price('Standard_D2s_v5', 'on-demand'), prices.sequence]).toEqual([0.1, before]);
    expect(await prices.refreshIfDue()).toBe(false);
    list.pages = [[item('D2s_v5', 0.5)]];
    await world.clock.advance(PRICES_RETRY_MS);
    expect(await prices.refreshIfDue()).toBe(true);
    // The list has no spot prices this time: those that are known stay.
    expect(prices.price('Standard_D2s_v5', 'on-demand')).toBe(0.5);
    expect(prices.price('Standard_D2s_v5', 'spot')).toBe(0.02);
    expect(prices.sequence).toBeGreaterThan(before);
  });

  test('a list that never answers is given up', async () => {
    const world = virtualWorld({
      fetch: (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason));
        }),
    });
    const prices = new PriceList({ ...world, region: 'eastus', published: true });
    const read = prices.refreshIfDue();
    await untilGivenUp(world);
    expect(await read).toBe(false);
    expect(world.lines.at(-1)).toMatchObject({ fields: { problem: 'TimedOut' } });
  });

  test('the same prices again are no change', async () => {
    const { prices, world } = aPriceList([good]);
    await prices.refreshIfDue();
    const first = prices.sequence;
    await world.clock.advance(PRICES_REFRESH_MS);
    expect([await prices.refreshIfDue(), prices.sequence]).toEqual([true, first]);
  });
});

describe('built-in prices', () => {
  test('hold until the list was read; spot costs as much as on demand', () => {
    const { prices } = aPriceList([]);
    expect(prices.known('Standard_D2s_v5', 'on-demand')).toEqual({ price: 0.096, source: 'builtIn' });
    expect(prices.price('Standard_D2s_v5', 'spot')).toBe(0.096);
    expect(prices.price('Standard_NC24ads_A100_v4', 'on-demand')).toBe(3.673);
  });

  test('are those of the region where there are some, else of eastus', () => {
    expect(aPriceList([], 'westeurope').prices.price('Standard_D2s_v5', 'on-demand')).toBe(0.115);
    expect(aPriceList([], 'southindia').prices.price('Standard_D2s_v5', 'on-demand')).toBe(0.096);
  });

  test('are the only ones in clouds without a list, which is not read', async () => {
    const { prices, asked } = aPriceList([], 'usgovvirginia', false);
    expect(await prices.refreshIfDue()).toBe(false);
    expect(asked).toEqual([]);
    expect(prices.dueAtMs).toBe(Number.POSITIVE_INFINITY);
  });

  test('name each size once and cost something', () => {
    const names = BUILT_IN_PRICES.flatMap(({ sizes, units }) =>
      units.map((unit) => sizes.replace('#', String(unit))),
    );
    expect(new Set(names).size).toBe(names.length);
    expect(names.length).toBeGreaterThan(150);
    for (const { sizes, perUnit } of BUILT_IN_PRICES) {
      expect([sizes, perUnit.eastus > 0 && perUnit.westeurope > 0]).toEqual([sizes, true]);
    }
  });
});
