import { expect, test } from 'vitest';
import { untilLive, withBrowser } from '../page.fixture.ts';
import { HOSTILE_TEXTS } from '../world/hostile-texts.table.ts';

const open = withBrowser();
/** 47 pages, beside other work of the machine. */
const WHILE_OPENING_PAGES = 240_000;

test(
  '40 hostile names and texts are shown as they are, in every view, and nothing of them runs',
  async () => {
    expect(HOSTILE_TEXTS).toHaveLength(40);
    const { page, go, problems } = await open({ world: 'hostile', search: '?shape=table' });
    const dialogs: string[] = [];
    page.on('dialog', (dialog) => {
      dialogs.push(dialog.message());
      void dialog.dismiss();
    });
    const outside: string[] = [];
    page.on('request', (request) => {
      const { protocol, hostname } = new URL(request.url());
      if (protocol !== 'blob:' && protocol !== 'data:' && hostname !== '127.0.0.1')
        outside.push(request.url());
    });
    await untilLive(page);
    for (const text of HOSTILE_TEXTS) {
      const names = await page.locator('tbody th .name').allTextContents();
      expect(names).toContain(text);
    }
    for (const search of [
      '?',
      '?group=zone&size=large',
      '?view=pending',
      '?view=claims',
      '?view=savings',
      '?view=timeline',
    ]) {
      await go(search);
      await untilLive(page);
    }
    await page.getByText(HOSTILE_TEXTS[1]!).first().waitFor();
    for (const text of HOSTILE_TEXTS) {
      await go(`?${new URLSearchParams({ view: 'object', subject: `Node/${text}`, q: text })}`);
      await page.getByRole('heading', { name: 'Commands' }).waitFor();
      expect(await page.locator('h1').textContent()).toBe(`Node/${text}`);
      expect(new URL(page.url()).hash).toBe('');
    }
    expect(await page.evaluate('window.hostile')).toBeUndefined();
    expect({ dialogs, outside, problems }).toEqual({ dialogs: [], outside: [], problems: [] });
  },
  WHILE_OPENING_PAGES,
);

test('a hostile name in a file is no formula', async () => {
  const { page } = await open({ world: 'hostile', search: '?shape=table&q=HYPERLINK' });
  await untilLive(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: /^CSV/ }).click(),
  ]);
  let text = '';
  for await (const piece of await download.createReadStream()) text += String(piece);
  expect(text.split('\r\n')[1]).toMatch(/^"'=HYPERLINK/);
});
