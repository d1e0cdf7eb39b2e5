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

test('after a rest of three hours a node is three hours older than in the snapshot', async () => {
  const { age } = await openNode(1);
  await expect.poll(age).toContain('3h');
});

test('ages follow the speed of the playground, also when it changes', async () => {
  const { age, server } = await openNode(3600);
  // An hour in every second.
  await expect.poll(age, { timeout: 10_000 }).toContain('6h');
  server.time = { nowMs: START_MS + 20 * HOUR_MS, speed: 1 };
  server.sendTime();
  await expect.poll(age, { timeout: 10_000 }).toContain('20h');
  await new Promise((resolve) => setTimeout(resolve, 2_000));
  expect(await age()).toContain('20h');
});
