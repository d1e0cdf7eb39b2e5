/** The page shows the time of the cluster, which is not that of the browser, nor that of the snapshot. */
import { expect, test } from 'vitest';
import { untilLive, withBrowser } from '../page.fixture.ts';
import { HOUR_MS, START_MS } from '../world/world.ts';

const open = withBrowser();

async function openNode(speed: number) {
  let name = '';
  const opened = await open({
    search: '?view=cluster',
    prepare: (server) => {
      const node = server.world.nodes.values().next().value!;
      name = node.name;
      server.world.nodes.set(name, { ...node, createdMs: START_MS });
      // The snapshot was made three hours ago; since then nothing has changed.
      server.time = { nowMs: START_MS + 3 * HOUR_MS, speed };
    },
  });
  await untilLive(opened.page);
  await opened.go(`?view=object&subject=Node/${name}`);
  await untilLive(opened.page);
  const age = () =>
    opened.page.locator('.facts').getByText('Age', { exact: true }).locator('..').textContent();
  return { ...opened, age };
}

/** Of "Age11h57m" 11, of "Age2d3h" 51. */
function hours(text: string): number {
  const [days, hoursOfDay] = ['d', 'h'].map((unit) => Number(text.match(`(\\d+)${unit}`)?.[1] ?? 0));
  return days! * 24 + hoursOfDay!;
}

test('after a rest of three hours a node is three hours older than in the snapshot', async () => {
  const { age } = await openNode(1);
  await expect.poll(age).toContain('3h');
});

test('ages follow the speed of the playground, also when it changes', async () => {
  const { age, server } = await openNode(3600);
  // An hour in every second; a slow machine may read it later than that, never earlier.
  await expect.poll(async () => hours((await age())!), { timeout: 10_000 }).toBeGreaterThan(5);
  server.time = { nowMs: START_MS + 90 * 24 * HOUR_MS, speed: 1 };
  server.sendTime();
  await expect.poll(age, { timeout: 10_000 }).toContain('90d');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await age()).toContain('90d');
});

test('the timeline follows what happens and what it costs, and asks again only where the stream has a gap', async () => {
  const { page, server } = await open({ search: '?view=timeline' });
  await untilLive(page);
  await page.getByText('Nothing happened').or(page.getByRole('table')).first().waitFor();
  const asked = () => server.requests.get('/api/v1/timeline');
  const launch = { what: 'launch', reason: 'Created', warning: false } as const;
  server.world.tell({ ...launch, subject: 'NodeClaim/new-1', text: 'NodeClaim new-1 was created' });
  server.world.setPrice(77.77);
  server.send();
  await page.getByText('NodeClaim new-1 was created').first().waitFor();
  await page.locator('svg').getByText('$77.77').waitFor();
  expect(asked()).toBe(1);
  // More than the page keeps.
  for (let at = 0; at < 600; at++)
    server.world.tell({
      ...launch,
      subject: `NodeClaim/many-${at}`,
      text: `NodeClaim many-${at} was created`,
    });
  server.send();
  await expect.poll(asked, { timeout: 10_000 }).toBe(2);
  await page.getByRole('searchbox').fill('many-77');
  await page.getByText('NodeClaim many-77 was created').first().waitFor();
  await page.waitForTimeout(5_000);
  expect(asked()).toBe(2);
});
