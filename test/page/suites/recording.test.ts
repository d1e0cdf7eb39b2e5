/** A recorded run: looked at with the slider, by steps and as it plays, and left again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, expect, test } from 'vitest';
import { readRecording } from '../../../packages/chandler/src/dashboard/index.ts';
import { axeFindings } from '../axe.ts';
import { untilLive, withBrowser } from '../page.fixture.ts';
import { record, recordFile } from '../world/record.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-recording-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const open = withBrowser();

const slider = (page: Page) => page.getByRole('slider', { name: 'Time in the recording' });
const pending = (page: Page) => page.getByRole('complementary', { name: 'Pending pods' });

test('the slider leads back to when pods were pending and forward to when they run; the present returns with one button', async () => {
  const { page, problems, server } = await open({ search: '?shape=table&q=checkout', prepare: record });
  await untilLive(page);
  await page.getByRole('button', { name: 'Look back' }).click();
  await slider(page).fill('4');
  await pending(page).getByText('6 pods').waitFor();
  // Nobody takes the past for the present.
  await page.getByRole('status').getByText('Recording', { exact: true }).waitFor();
  await slider(page).fill('0');
  await pending(page).getByText('No pending pod matches the search.').waitFor();
  expect(await slider(page).getAttribute('aria-valuetext')).toMatch(/, 0s of 20s$/);
  // The present goes on meanwhile.
  const before = server.requests.get('/api/v1/snapshot');
  await page.getByRole('button', { name: 'Return to live' }).click();
  await page.getByRole('button', { name: 'Look back' }).waitFor();
  expect(await slider(page).count()).toBe(0);
  expect(server.requests.get('/api/v1/snapshot')).toBe(before);
  expect(problems).toEqual([]);
});

test('a step shows the next change, and playing goes on to the end by itself', async () => {
  const { page } = await open({ prepare: recordFile });
  await slider(page).waitFor();
  expect(await slider(page).inputValue()).toBe('0');
  await page.getByRole('button', { name: 'Step forward' }).click();
  const first = Number(await slider(page).inputValue());
  expect(first).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Step back' }).click();
  expect(Number(await slider(page).inputValue())).toBeLessThan(first);
  await page.getByRole('button', { name: 'Play the recording' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await page.getByRole('button', { name: 'Play the recording' }).waitFor();
  expect(await slider(page).inputValue()).toBe(await slider(page).getAttribute('max'));
});

test('without a mouse: slider, steps, playing and its speed', async () => {
  const { page } = await open({ prepare: record });
  await untilLive(page);
  const focus = async (name: string) => {
    for (let presses = 0; presses < 40; presses++) {
      const text = await page.evaluate<string>(
        `((e) => e.getAttribute('aria-label') ?? e.labels?.[0]?.textContent ?? e.textContent)(document.activeElement)`,
      );
      if (text.length < 80 && text.includes(name)) return;
      await page.keyboard.press('Tab');
    }
    throw new Error(`Tab does not lead to ${name}`);
  };
  await focus('Look back');
  await page.keyboard.press('Enter');
  await slider(page).waitFor();
  await focus('Time in the recording');
  await page.keyboard.press('Home');
  expect(await slider(page).inputValue()).toBe('0');
  await page.keyboard.press('ArrowRight');
  expect(await slider(page).inputValue()).toBe('1');
  await page.keyboard.press('End');
  expect(await slider(page).inputValue()).toBe(await slider(page).getAttribute('max'));
  await focus('Playback speed');
  await page.keyboard.press('ArrowDown');
  await expect.poll(() => page.getByLabel('Playback speed').inputValue()).toBe('60');
  await focus('Return to live');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Look back' }).waitFor();
});

test('a file shows rows and timeline, says what it does not have, and cannot be left', async () => {
  const { page, go, problems } = await open({ prepare: recordFile, search: '?view=timeline' });
  await page.getByText('6 pods of Deployment/checkout are pending').waitFor();
  expect(await page.getByRole('button', { name: 'Return to live' }).count()).toBe(0);
  // A time in the list leads there.
  const position = await slider(page).inputValue();
  await page
    .getByRole('button', { name: /^Go to/ })
    .first()
    .click();
  await expect.poll(() => slider(page).inputValue()).not.toBe(position);
  expect(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').allTextContents()).toEqual([
    'Cluster',
    'Timeline',
  ]);
  await go('?view=object&subject=Node%2Fsystem-1');
  await page.getByText('This is not in the recording').waitFor();
  expect(problems).toEqual([]);
});

test('a recording that is saved is one that the program opens', async () => {
  const { page } = await open({ prepare: record });
  await untilLive(page);
  await page.getByRole('button', { name: 'Look back' }).click();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save the recording' }).click(),
  ]);
  const file = join(folder, 'saved.jsonl');
  await download.saveAs(file);
  const { startMs, endMs } = await readRecording(file);
  expect(endMs - startMs).toBe(20_000);
  expect((await readFile(file, 'utf8')).split('\n')).toHaveLength(23);
});

test.each(['light', 'dark'] as const)('axe finds nothing, with %s colours', async (colorScheme) => {
  const { page, go } = await open({ prepare: record, colorScheme });
  await untilLive(page);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole('button', { name: 'Look back' }).click();
  await slider(page).fill('5');
  expect(await axeFindings(page)).toEqual([]);
  await go('?view=playground');
  await page.getByLabel('Time runs').waitFor();
  expect(await axeFindings(page)).toEqual([]);
});

test('at 390 pixels the recording is not wider than the window', async () => {
  const { page } = await open({ prepare: record, viewport: { width: 390, height: 844 } });
  await untilLive(page);
  await page.getByRole('button', { name: 'Look back' }).click();
  await slider(page).waitFor();
  expect(await page.evaluate('document.documentElement.scrollWidth - window.innerWidth')).toBe(0);
});

test('in a recording nothing leads to what it does not have; a view that it does not have leads back', async () => {
  const { page } = await open({ prepare: record });
  await untilLive(page);
  await page.getByRole('button', { name: 'Look back' }).click();
  await slider(page).fill('4');
  await pending(page).getByText('6 pods').waitFor();
  expect(await pending(page).getByRole('link').count()).toBe(0);
  const tile = page.locator('.tile-links a[tabindex="0"]');
  await tile.focus();
  await page.keyboard.press('Enter');
  await tile.click({ force: true });
  await page.locator('.scroller').click({ position: { x: 40, y: 80 } });
  await page.getByRole('radio', { name: 'table' }).check();
  await page.getByRole('region', { name: 'Table of nodes' }).waitFor();
  expect(await page.getByRole('region', { name: 'Table of nodes' }).getByRole('link').count()).toBe(0);
  await page.getByRole('link', { name: 'Claims' }).click();
  await page.getByText('This is not in the recording').waitFor();
  await page.locator('main').getByRole('button', { name: 'Return to live' }).click();
  await untilLive(page);
  expect(await slider(page).count()).toBe(0);
});
