import { virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { PriceList } from './price-list.ts';

test('a region in capitals has the prices of that region, listed and built in', async () => {
  const { clock, log } = virtualWorld();
  const asked: string[] = [];
  const item = { armSkuName: 'Standard_X', armRegionName: 'westeurope', retailPrice: 2, currencyCode: 'USD' };
  const prices = (region: string) =>
    new PriceList({
      clock,
      log,
      region,
      published: true,
      fetch: async (url) => {
        asked.push(decodeURIComponent(String(url)));
        return Response.json({ Items: [item] });
      },
    });
  const capitals = prices('WestEurope');
  expect(capitals.price('Standard_D4s_v5', 'on-demand')).toBe(
    prices('westeurope').price('Standard_D4s_v5', 'on-demand'),
  );
  await capitals.refreshIfDue();
  expect(asked[0]).toContain("armRegionName eq 'westeurope'");
  expect(capitals.price('Standard_X', 'on-demand')).toBe(2);
});
