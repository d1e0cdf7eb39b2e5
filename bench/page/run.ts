/**
 * `npm run bench:page`: the page with 5,000 nodes and 150,000 pods in a real Chromium: until the first picture, the work on the main
 * thread per frame while 200 changes a second arrive, frames per second, memory, and traffic at rest. Prints JSON.
 */
import type { CDPSession, Page } from 'playwright-core';
import { bundleApp } from '../../test/page/bundle.ts';
import { findChromium, launchChromium, WITHOUT_CHROMIUM } from '../../test/page/chromium.ts';
import { FixtureServer, TOKEN } from '../../test/page/fixture-server.ts';
import { makeWorld } from '../../test/page/world/index.ts';
import { assertWork, atMost, report, rounded } from '../result.ts';
import { frameWork } from './frame-work.ts';

const STREAM_SECONDS = 20;
const REST_SECONDS = 20;

/** Run in the browser. */
const HAS_PICTURE = `(() => {
  const canvas = document.querySelector('canvas');
  if (!canvas || canvas.width < 100) return false;
  return canvas.getContext('2d').getImageData(0, 0, 200, 200).data.some((value) => value !== 0);
})()`;

if (findChromium() === undefined) {
  console.log(JSON.stringify({ name: 'page', skipped: WITHOUT_CHROMIUM }));
  process.exit(0);
}

const { world, step } = makeWorld('huge');
const server = new FixtureServer(world, await bundleApp());
const address = await server.listen();
const browser = await launchChromium(['--enable-precise-memory-info', '--js-flags=--expose-gc']);
try {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  const devtools = await context.newCDPSession(page);
  await devtools.send('Performance.enable');
  const firstPictureMs = await untilPicture(page);
  const before = world.sequence;
  server.play(step);
  await page.waitForTimeout(2000);
  const frames = await frameWork(browser, page, STREAM_SECONDS);
  server.pause();
  const changesPerSecond = (world.sequence - before) / (STREAM_SECONDS + 2);
  await page.waitForTimeout(1000);
  const shown = await page
    .locator('.figure', { has: page.getByText('Nodes', { exact: true }) })
    .textContent();
  const memoryMb = await heapMb(page, devtools);
  const asked = requestCount();
  await page.waitForTimeout(REST_SECONDS * 1000);
  const figures = {
    nodes: world.nodes.size,
    pods: world.pods.size,
    firstPictureMs: rounded(firstPictureMs),
    changesPerSecond: rounded(changesPerSecond),
    frameWorkP50Ms: rounded(frames.p50Ms),
    frameWorkP95Ms: rounded(frames.p95Ms),
    frameWorkMaxMs: rounded(frames.maxMs),
    framesPerSecond: rounded(frames.perSecond),
    heapMb: rounded(memoryMb),
    requestsAtRest: requestCount() - asked,
  };
  report({
    name: 'page',
    figures,
    goals: {
      firstPictureMs: atMost(figures.firstPictureMs, 2000),
      frameWorkP95Ms: atMost(figures.frameWorkP95Ms, 33),
      heapMb: atMost(figures.heapMb, 400),
    },
    checked: [
      assertWork(shown?.includes('5,000') === true, 'the page shows 5000 nodes'),
      assertWork(changesPerSecond >= 200, 'at least 200 changes a second were sent'),
      assertWork(figures.requestsAtRest === 0, 'at rest nothing was asked'),
    ],
  });
} finally {
  await browser.close();
  await server.close();
}

/** From the request for the page until tiles are on the canvas. */
async function untilPicture(page: Page): Promise<number> {
  const start = performance.now();
  await page.goto(`${address}/#token=${TOKEN}`, { waitUntil: 'commit' });
  await page.waitForFunction(HAS_PICTURE, undefined, { polling: 50 });
  return performance.now() - start;
}

async function heapMb(page: Page, devtools: CDPSession): Promise<number> {
  await devtools.send('HeapProfiler.collectGarbage');
  await page.waitForTimeout(500);
  const { metrics } = await devtools.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value / 1024 ** 2;
}

function requestCount(): number {
  return [...server.requests.values()].reduce((sum, each) => sum + each, 0);
}
