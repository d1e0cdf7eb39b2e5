/** What a person checks beside the views themselves: reasons, focus, tabs, zones, files, things that are gone. */
import { expect, test } from 'vitest';
import { untilLive, withBrowser } from '../page.fixture.ts';

const open = withBrowser();

test('Pending names the nearest NodePool and what it would need, and the reasons of the others', async () => {
  const { page } = await open({ search: '?view=pending&q=index' });
  await page
    .getByText('needs 96Gi memory with its daemons; the largest instance type offers 59Gi')
    .first()
    .waitFor();
  await page.getByText('NodePool batch: taint batch:NoSchedule is not tolerated').first().waitFor();
});

test('a link that is opened in a new tab does not ask for the token', async () => {
  const { page } = await open();
  await untilLive(page);
  const other = await page.context().newPage();
  await other.goto(new URL('?view=pending', page.url()).href);
  await untilLive(other);
  // Without a tab to ask, the token is asked for.
  await page.close();
  const third = await other.context().browser()!.newContext();
  const alone = await third.newPage();
  await alone.goto(other.url());
  await alone.getByText('This page needs its token').waitFor();
  await third.close();
});

test('after a link the title has the focus, and the way back leads to the same place', async () => {
  const { page } = await open({ search: '?view=timeline', viewport: { width: 1000, height: 400 } });
  await untilLive(page);
  const link = page.locator('td a.name').nth(20);
  await link.scrollIntoViewIfNeeded();
  await link.focus();
  const before = await page.evaluate<number>('window.scrollY');
  expect(before).toBeGreaterThan(100);
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('title');
  await page.goBack();
  await page.getByText('Zoom in').waitFor();
  await expect.poll(() => page.evaluate<number>('window.scrollY')).toBe(before);
});

test('times have one zone, which is named; those in texts as well', async () => {
  const { page } = await open({
    search: '?view=object&subject=Node%2Fsystem-1',
    timezoneId: 'America/New_York',
  });
  await page.getByText('times in America/New_York').waitFor();
  await page.getByText('2026-06-01 07:47:00').waitFor();
  expect(await page.locator('main').textContent()).not.toMatch(/\dT\d\d:\d\d:\d\dZ/);
});

test('lanes of the timeline are filtered with the keyboard, and prices are in words', async () => {
  const { page } = await open({ search: '?view=timeline' });
  await page.getByText(/^Price: \$/).waitFor();
  await page.getByLabel('What').selectOption('failure');
  expect(new URL(page.url()).searchParams.get('only')).toBe('failure');
  const lanes = await page.locator('.lane').allTextContents();
  expect(new Set(lanes)).toEqual(new Set(['failure']));
});

test('a node that is gone says so, with what the timeline has about it', async () => {
  const { page } = await open({ search: '?view=object&subject=Node%2Fip-gone' });
  await page.getByText('Node ip-gone is not in the cluster').waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  await page.getByRole('link', { name: 'Everything about ip-gone in the timeline' }).click();
  await page.getByText('Zoom in').waitFor();
  expect(new URL(page.url()).searchParams.get('q')).toBe('ip-gone');
});

test('at 390 pixels the rows of tables are cards: nothing is out of sight', async () => {
  const { page, go } = await open({ viewport: { width: 390, height: 844 } });
  for (const search of [
    '?shape=table',
    '?view=timeline',
    '?view=savings',
    '?view=object&subject=Node%2Fsystem-1',
  ]) {
    await go(search);
    await page.locator('.cards td:visible').first().waitFor();
    const wide = await page.evaluate(
      '[...document.querySelectorAll(".cards")].filter((each) => each.scrollWidth > each.clientWidth).length',
    );
    expect({ search, wide }).toEqual({ search, wide: 0 });
  }
});

test('at 390 pixels the nodes are sorted without headings, and each value says what it is', async () => {
  const { page } = await open({ search: '?shape=table', viewport: { width: 390, height: 844 } });
  await untilLive(page);
  await page.getByLabel('Sort by').selectOption('$/h');
  await page.getByRole('button', { name: 'ascending' }).click();
  await page.getByRole('button', { name: 'descending' }).waitFor();
  const prices = await page.locator('td[data-label="$/h"]').allTextContents();
  const known = prices.filter((text) => text !== '–').map((text) => Number(text.slice(1)));
  expect(known.length).toBeGreaterThan(10);
  expect(known).toEqual(known.toSorted((a, b) => b - a));
});

test('at 1440 pixels a reason has two lines, and the name of a node stays in sight in a narrower window', async () => {
  const { page } = await open({ search: '?shape=table' });
  await untilLive(page);
  const box = await page
    .getByRole('cell', { name: 'no cheaper node has room for its pods' })
    .first()
    .boundingBox();
  expect(box!.width).toBeGreaterThan(180);
  await page.setViewportSize({ width: 800, height: 844 });
  await page.locator('.table-view .table-scroll').evaluate('(each) => { each.scrollLeft = 400; }');
  const name = await page.locator('tbody th').first().boundingBox();
  expect(name!.x).toBeLessThan(40);
});

test('what if tells pods that were pending before apart, and stays when the view is left', async () => {
  const { page } = await open({ search: '?view=what-if' });
  await page.getByRole('button', { name: 'Use the example' }).click();
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('5 pods of the cluster were pending before').waitFor();
  await page.getByRole('link', { name: 'Claims' }).click();
  await page.getByRole('link', { name: 'What if' }).click();
  await page.getByText('5 pods of the cluster were pending before').waitFor();
  await page.getByLabel(/^Manifests/).fill('kind: Other');
  await page.getByText('The manifests have changed since this was simulated.').waitFor();
});

test('the waterfall of a NodeClaim has an axis, a legend, and medians by stage', async () => {
  const { page } = await open({ search: '?view=claims' });
  await page.getByRole('list', { name: 'Colours of steps' }).getByText('Network interface').waitFor();
  expect(await page.locator('.waterfall').first().locator('.ticks span').count()).toBeGreaterThan(2);
  await page.getByText('Stages of general-inflight').click();
  await page.getByRole('columnheader', { name: 'Median' }).first().waitFor();
});

test('budgets of a frozen NodePool are drawn as frozen, and schedules are in UTC wherever they are', async () => {
  const { page, go } = await open({ search: '?view=savings', timezoneId: 'Europe/Berlin' });
  const batch = page.locator('.budget', { hasText: 'permits none now: frozen' });
  await batch.waitFor();
  const [frozen, line] = [
    await batch.locator('.window-frozen').boundingBox(),
    await batch.locator('.windows').boundingBox(),
  ];
  // Three hours of 48.
  expect(frozen!.width / line!.width).toBeCloseTo(3 / 48, 2);
  expect(await page.locator('.window-frozen').count()).toBe(1);
  await go('?view=object&subject=NodePool%2Fgeneral');
  await page.getByText('0 nodes for Drifted at 0 8 * * mon-fri UTC for 9h').waitFor();
  await page.getByText('10% of the nodes').waitFor();
});

test('what could be saved is without moves of which the controller said otherwise', async () => {
  const { page } = await open({ search: '?view=savings' });
  const figure = page.locator('.figure', { hasText: 'Could be saved now' });
  await figure.getByText(/not in it: \$0\.\d+\/h where the controller said otherwise/).waitFor();
});

test('pods and prices of a row of nodes are of each, with their sum; requests beside a number of pods as well', async () => {
  const { page } = await open({ search: '?view=what-if' });
  await page.getByRole('button', { name: 'Use the example' }).click();
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByRole('columnheader', { name: 'Sum $/h' }).waitFor();
  const cells = await page.getByRole('row', { name: 'm7g.2xlarge' }).getByRole('cell').allTextContents();
  const [count, , , , , , each, sum] = cells.map((text) => Number(text.replace('$', '')));
  expect(sum).toBeCloseTo(count! * each!, 3);
  await page.getByRole('link', { name: 'Cluster' }).click();
  await page.getByText('search · 4 pods · CPU 2 and 96 Gi each').waitFor();
});
