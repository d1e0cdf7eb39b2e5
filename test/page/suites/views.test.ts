import { describe, expect, test } from 'vitest';
import { axeFindings } from '../axe.ts';
import { untilLive, withBrowser } from '../page.fixture.ts';

const open = withBrowser();

/** Each view with a text that only its content has. */
const VIEWS: readonly (readonly [search: string, text: string])[] = [
  ['?', 'Over the lower bound'],
  ['?shape=table', 'no cheaper node has room for its pods'],
  ['?group=zone&size=medium', 'Over the lower bound'],
  ['?view=pending', 'No instance type is large enough'],
  ['?view=claims', 'The quota of the VM family is used up'],
  ['?view=savings', 'What keeps the other nodes'],
  ['?view=timeline', 'Zoom in'],
  ['?view=what-if', 'Nothing was simulated yet'],
  ['?view=playground', 'Scenarios'],
  ['?view=object&subject=Node%2Fsystem-1', 'Values and where they came from'],
  ['?view=object&subject=NodePool%2Fgeneral', 'Commands'],
];

describe.each(['light', 'dark'] as const)('with %s colours', (colorScheme) => {
  test.each(VIEWS)('the view %s shows its content, and axe finds nothing', async (search, text) => {
    const { page, problems } = await open({ search, colorScheme });
    await page.getByText(text).first().waitFor();
    await untilLive(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(problems).toEqual([]);
  });
});

test('at 390 pixels no view is wider than the window', async () => {
  const { page, go } = await open({ viewport: { width: 390, height: 844 } });
  for (const [search, text] of VIEWS) {
    await go(search);
    await page.getByText(text).first().waitFor();
    const wide = await page.evaluate('document.documentElement.scrollWidth - window.innerWidth');
    expect({ search, wide }).toEqual({ search, wide: 0 });
  }
});

test('the token leaves the address, and the page still has it after a reload', async () => {
  const { page } = await open();
  await untilLive(page);
  expect(page.url()).not.toContain('token');
  await page.reload();
  await untilLive(page);
});

test('a page that is reloaded before its server answered still has its token', async () => {
  const { page, server } = await open({
    prepare: (server) => {
      server.failWith = 500;
    },
  });
  await page.getByText('Connection lost').waitFor();
  await page.reload();
  await page.getByText('Connection lost').waitFor();
  server.failWith = undefined;
  await page.reload();
  await untilLive(page);
  expect(page.url()).not.toContain('token');
});

test('a wrong token leaves the address too', async () => {
  const { page } = await open({ fragment: '#token=wrong' });
  await page.getByText('This page needs its token').waitFor();
  expect(page.url()).not.toContain('token');
});

test('without a token the page asks for one, and takes it', async () => {
  const { page } = await open({ fragment: '' });
  await page.getByText('This page needs its token').waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel('Token').fill('fixture-token');
  await page.getByRole('button', { name: 'Connect' }).click();
  await untilLive(page);
});

test('an empty cluster says so in every view', async () => {
  const { page, go } = await open({ world: 'empty' });
  await page.getByText('There are no nodes yet').waitFor();
  await go('?view=pending');
  await page.getByText('No pod is pending').first().waitFor();
  await go('?view=savings');
  await page.getByText('Nothing would be disrupted now').waitFor();
});

test('kinds that may not be read are named, and the rest is shown', async () => {
  const { page } = await open({ world: 'denied' });
  // Unfolded: without it nobody knows why.
  await page.getByText('you are not permitted to read them').first().waitFor();
  await page.getByText('Ask for a role that may list pods, and start the page again.').waitFor();
  expect(await page.getByRole('complementary', { name: 'Pending pods' }).count()).toBe(0);
  expect(
    await page.locator('.figure', { has: page.getByText('Nodes', { exact: true }) }).textContent(),
  ).toMatch(/Nodes2\dpods cannot be read/);
});

test('where pods may not be read the page of a node has no share of requests: 0 % would say that it is idle', async () => {
  const { page } = await open({ world: 'denied', search: '?view=object&subject=Node%2Fsystem-1' });
  await untilLive(page);
  for (const name of ['CPU requested', 'Memory requested'])
    expect(await page.locator('.facts').getByText(name, { exact: true }).locator('..').textContent()).toMatch(
      /–$/,
    );
});

test('search and filter are in the address, and an address shows them again', async () => {
  const { page, go } = await open({ search: '?shape=table' });
  await page.getByLabel('Search').fill('aks-memory');
  await page.getByLabel('Phase').selectOption('ready');
  await page.getByText('4 in all').waitFor();
  const { search } = new URL(page.url());
  expect(new URLSearchParams(search).get('q')).toBe('aks-memory');
  await go(search);
  await page.getByText('4 in all').waitFor();
  expect(await page.getByLabel('Search').inputValue()).toBe('aks-memory');
});

test('tables and tiles can be saved as CSV, JSON and PNG', async () => {
  const { page, go } = await open({ search: '?shape=table' });
  const saved = async (name: RegExp) => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name }).click(),
    ]);
    const pieces: Buffer[] = [];
    for await (const piece of await download.createReadStream()) pieces.push(piece as Buffer);
    return Buffer.concat(pieces);
  };
  expect((await saved(/^CSV/)).toString()).toMatch(
    /^\ufeffname,phase,pool,type,.*\r\n.*(general|batch|memory)/,
  );
  const rows = JSON.parse((await saved(/^JSON/)).toString()) as readonly { pool: string }[];
  expect(rows.filter(({ pool }) => pool === 'batch')).toHaveLength(7);
  await go('?');
  await untilLive(page);
  expect((await saved(/^PNG/)).subarray(1, 4).toString()).toBe('PNG');
});

test('what if: manifests are simulated, and what is none is said', async () => {
  const { page } = await open({ search: '?view=what-if' });
  await page.getByLabel(/^Manifests/).fill('hello');
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('this is no manifest').waitFor();
  await page.getByRole('button', { name: 'Use the example' }).click();
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.getByText('m7g.2xlarge').waitFor();
  await page.getByText('no NodePool has instance types with nvidia.com/gpu').waitFor();
});

test('playground: faults, scenarios and the speed are sent with the second token; without it nothing can be changed', async () => {
  const { page } = await open({ search: '?view=playground' });
  await page.getByLabel('nodes boot slowly').click();
  await expect.poll(() => page.getByLabel('nodes boot slowly').isChecked()).toBe(true);
  await page.getByRole('button', { name: 'Play burst' }).click();
  await page.getByText('Scenario burst is running.').waitFor();
  await page.getByLabel('Time runs').selectOption('10 times as fast as real time');
  await expect.poll(() => page.getByLabel('Time runs').inputValue()).toBe('10');
  const without = await open({ search: '?view=playground', fragment: '#token=fixture-token' });
  await without.page.getByText('This tab has no second token').waitFor();
  expect(await without.page.getByRole('button', { name: 'Play burst' }).isDisabled()).toBe(true);
  expect(await without.page.getByLabel('Time runs').isDisabled()).toBe(true);
});
