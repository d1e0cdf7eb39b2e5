import { expect, test } from 'vitest';
import { untilLive, withBrowser } from '../page.fixture.ts';

const open = withBrowser();

test('pending pods appear, get a node and leave the list; the node is in the table with them', async () => {
  const { page, server, step } = await open({ search: '?shape=table&q=checkout' });
  await untilLive(page);
  const side = page.getByRole('complementary', { name: 'Pending pods' });
  const play = async (ticks: number) => {
    for (let at = 0; at < ticks * 10; at++) step();
    server.send();
  };
  await play(2);
  await side.getByText('Deployment/checkout').waitFor();
  await side.getByText('6 pods').waitFor();
  await play(12);
  await side.getByText('No pending pod matches the search.').waitFor();
  const joined = [...server.world.nodes.values()].at(-1)!;
  await page.getByRole('row', { name: joined.name }).waitFor();
});

test('a lost connection is shown, and the page goes on where it was when the server is back', async () => {
  const { page, server, step } = await open();
  await untilLive(page);
  server.failWith = 500;
  server.cutStreams();
  await page.getByText('The connection was lost at').waitFor();
  await page.getByText('What is shown is from then.').waitFor();
  await page.getByText('The page connects again by itself.').waitFor();
  // The time of the cluster, not that of the browser.
  await page.getByText(/lost at 2026-06-01 /).waitFor();
  for (let at = 0; at < 40; at++) step();
  server.send();
  await page.getByRole('button', { name: 'Connect now' }).click();
  server.failWith = undefined;
  await untilLive(page);
  expect(await page.getByText('The connection was lost at').count()).toBe(0);
  // The changes of the time without a connection came with the stream: no second snapshot.
  await expect
    .poll(() => page.locator('.badge').textContent())
    .toContain(String(server.world.totals().pending));
  expect(server.requests.get('/api/v1/snapshot')).toBe(1);
});

test('a server that was started anew is read anew', async () => {
  const { page, server } = await open();
  await untilLive(page);
  Object.assign(server.world, { epoch: 'another' });
  server.cutStreams();
  await expect.poll(() => server.requests.get('/api/v1/snapshot'), { timeout: 10_000 }).toBe(2);
  await untilLive(page);
});

test('at rest nothing is asked', async () => {
  const { page, server } = await open({ search: '?view=savings' });
  await untilLive(page);
  await page.getByText('What keeps the other nodes').waitFor();
  const before = JSON.stringify([...server.requests]);
  await page.waitForTimeout(6000);
  expect(JSON.stringify([...server.requests])).toBe(before);
});

test('a token that is refused later is asked for again, and what is shown stays', async () => {
  const { page, server } = await open();
  await untilLive(page);
  server.failWith = 401;
  server.cutStreams();
  await page.getByText('The server does not accept the token any more.').waitFor();
  expect(await page.getByText('Over the lower bound').count()).toBe(1);
});

test('a new address that is opened in a tab with a refused token is used, and its token stays nowhere', async () => {
  const { page, server } = await open();
  await untilLive(page);
  server.failWith = 401;
  server.cutStreams();
  await page.getByText('The server does not accept the token any more.').waitFor();
  server.failWith = undefined;
  await page.evaluate("location.hash = '#token=fixture-token'");
  await untilLive(page);
  expect(page.url()).not.toContain('token');
  await expect.poll(() => page.evaluate('JSON.stringify(history.state)')).not.toContain('token');
});

test('events are announced to screen readers', async () => {
  const { page, server, step } = await open();
  await untilLive(page);
  for (let at = 0; at < 20; at++) step();
  server.send();
  await expect
    .poll(() => page.getByRole('log').textContent(), { timeout: 10_000 })
    .toContain('6 pods of Deployment/checkout are pending');
});

test('a change of the price is in the line of the timeline and in the sentence below it', async () => {
  const { page, server } = await open({ search: '?view=timeline' });
  await untilLive(page);
  const sentence = page.getByText(/^Price: /);
  await sentence.waitFor();
  server.world.nowMs += 1000;
  server.world.setPrice(77);
  server.send();
  await page.locator('.chart').getByText('$77.00/h').waitFor();
  expect(await sentence.textContent()).toContain('$77.00/h');
});

test('while a watch fails what is known stays, and the page says that it is not up to date', async () => {
  const { page, server } = await open();
  await untilLive(page);
  server.world.setMissing([
    { resource: 'nodes', reason: 'failed', text: 'nodes are not up to date: HTTP 503' },
    { resource: 'pods', reason: 'failed', text: 'pods are not up to date: HTTP 503' },
  ]);
  server.send();
  await page.getByText('Not up to date: nodes, pods').waitFor();
  expect(await page.getByText('Not shown:').count()).toBe(0);
  expect(await page.getByText('cannot be read').count()).toBe(0);
  await page.getByText('CPU requested', { exact: true }).waitFor();
  await page.getByRole('complementary', { name: 'Pending pods' }).waitFor();
  server.world.setMissing([]);
  server.send();
  await page.getByText('Not up to date: nodes, pods').waitFor({ state: 'detached' });
});
