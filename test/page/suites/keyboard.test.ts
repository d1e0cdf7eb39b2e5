import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { untilLive, withBrowser } from '../page.fixture.ts';

const open = withBrowser();
/** What has the focus: its name. */
const focused = (page: Page) =>
  page.evaluate<string>(
    `(document.activeElement.getAttribute('aria-label') ?? document.activeElement.textContent)`,
  );

/** Presses Tab until something with this name has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let presses = 0; presses < 80; presses++) {
    if (name.test(await focused(page))) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${name}`);
}

test('from the address to the page of a node, of its NodePool and to every view, without a mouse', async () => {
  const { page, problems } = await open();
  await untilLive(page);
  await page.keyboard.press('Tab');
  expect(await focused(page)).toBe('Skip to the view');
  await page.keyboard.press('Enter');
  expect(await page.evaluate('document.activeElement.id')).toBe('view');
  await tabTo(page, /^[\w-]+, NodePool /);
  const first = await focused(page);
  await page.keyboard.press('ArrowRight');
  const second = await focused(page);
  expect(second).toMatch(/, NodePool /);
  expect(second).not.toBe(first);
  await page.keyboard.press('ArrowDown');
  expect(await focused(page)).not.toBe(second);
  await page.keyboard.press('End');
  expect(await focused(page)).toMatch(/no NodePool/);
  await page.keyboard.press('Home');
  expect(await focused(page)).toBe(first);
  await page.keyboard.press('Enter');
  await page.getByText('Values and where they came from').waitFor();
  await tabTo(page, /^NodePool\/general$/);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'NodePool/general' }).waitFor();
  for (const view of ['Cluster', 'Pending', 'Claims', 'Savings', 'Timeline', 'What if', 'Playground']) {
    await page.evaluate('document.activeElement.blur()');
    await tabTo(page, new RegExp(`^${view}(\\d+ pods)?$`));
    await page.keyboard.press('Enter');
    await page.locator('nav a[aria-current=page]', { hasText: view }).waitFor();
  }
  expect(problems).toEqual([]);
});

test('a slash leads to the search, and a table is sorted with the keyboard', async () => {
  const { page } = await open({ search: '?shape=table' });
  await untilLive(page);
  await page.keyboard.press('/');
  await page.keyboard.type('memory');
  expect(new URL(page.url()).searchParams.get('q')).toBe('memory');
  await tabTo(page, /^\$\/h/);
  await page.keyboard.press('Enter');
  await page.locator('th[aria-sort=ascending]', { hasText: '$/h' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('th[aria-sort=descending]', { hasText: '$/h' }).waitFor();
});

test('the focus is always to be seen', async () => {
  const { page } = await open();
  await untilLive(page);
  for (let presses = 0; presses < 25; presses++) {
    await page.keyboard.press('Tab');
    const [id, outline] = await page.evaluate<[string, string]>(
      '[document.activeElement.id || document.activeElement.tagName, getComputedStyle(document.activeElement).outlineStyle]',
    );
    if (id === 'view' || id === 'BODY') continue;
    expect(outline).not.toBe('none');
  }
});
