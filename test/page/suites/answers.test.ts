/** Answers are asked for again until they are as new as the last change, and when the page is looked at or connected again. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { FixtureServer } from '../fixture-server.ts';
import { untilLive, withBrowser } from '../page.fixture.ts';
import { MINUTE_MS } from '../world/world.ts';

const open = withBrowser();
const SAVINGS = '/api/v1/savings';
const asked = (server: FixtureServer) => server.requests.get(SAVINGS) ?? 0;

function change(server: FixtureServer): void {
  const { world } = server;
  world.nowMs += MINUTE_MS;
  world.setFreezes([{ pool: '*', untilMs: null, text: `frozen at ${world.nowMs}` }]);
  server.send();
}

async function hide(page: Page, hidden: boolean): Promise<void> {
  await page.evaluate(
    `Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} });
    document.dispatchEvent(new Event('visibilitychange'));`,
  );
}

test('an answer that is older than the last change is asked for again, and says of when it is', async () => {
  const { page, server } = await open({ search: '?view=savings', timezoneId: 'UTC' });
  await untilLive(page);
  await page.getByText('As of 12:00:00').waitFor({ timeout: 4_000 });
  server.kept.set(SAVINGS, server.answer(new URL(SAVINGS, 'http://fixture')));
  change(server);
  // The first answer after the change is the kept one; then nothing changes any more.
  await expect.poll(() => asked(server), { timeout: 10_000 }).toBe(2);
  await page.getByText('As of 12:00:00').waitFor({ timeout: 4_000 });
  server.kept.clear();
  await page.getByText('As of 12:01:00').waitFor({ timeout: 10_000 });
  const before = asked(server);
  await page.waitForTimeout(5_000);
  expect(asked(server)).toBe(before);
});

test('a tab that was hidden is brought up to date when it is shown, and asks nothing before', async () => {
  const { page, server } = await open({ search: '?view=savings', timezoneId: 'UTC' });
  await untilLive(page);
  await page.getByText('As of 12:00:00').waitFor({ timeout: 4_000 });
  await hide(page, true);
  change(server);
  await page.waitForTimeout(5_000);
  expect(asked(server)).toBe(1);
  await hide(page, false);
  await page.getByText('As of 12:01:00').waitFor({ timeout: 10_000 });
});

test('an answer that failed during an outage is asked for again when the connection is back', async () => {
  const { page, server } = await open();
  await untilLive(page);
  server.failWith = 500;
  server.cutStreams();
  await page.getByText('The connection was lost at').waitFor();
  await page.getByRole('link', { name: /Savings/ }).click();
  await page.getByText('This could not be read').waitFor();
  server.failWith = undefined;
  // By itself: the next attempt is at most 15 s away.
  await untilLive(page);
  await page.getByText('What keeps the other nodes').waitFor({ timeout: 5_000 });
});

test('claims are asked for again when one goes on that looks the same among the nodes, and not before', async () => {
  const { page, server } = await open({ search: '?view=claims', timezoneId: 'UTC' });
  await untilLive(page);
  await page.getByText('As of 12:00:00').waitFor({ timeout: 4_000 });
  await page.waitForTimeout(5_000);
  expect(server.requests.get('/api/v1/claims')).toBe(1);
  server.world.nowMs += MINUTE_MS;
  server.world.changeClaims();
  server.send();
  await page.getByText('As of 12:01:00').waitFor({ timeout: 10_000 });
});
