/**
 * `npm run bench:page`: the page with 5,000 nodes and 150,000 pods in a real Chromium: until the first picture, the work on the main
 * thread per frame while 200 changes a second arrive, frames per second, memory, and traffic at rest. Prints JSON.
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
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
  const { heapMb, processMb } = await memory(page);
  const asked = requestCount();
  await page.waitForTimeout(REST_SECONDS * 1000);
  const figures = {
    nodes: world.nodes.size,
    pods: world.pods.size,
    firstPictureMs: rounded(firstPictureMs),
    changesPerSecond: rounded(changesPerSecond),
    frameWorkP50Ms: rounded(frames.p50Ms),
    frameWorkP95Ms: rounded(frames.p95Ms),
    frameCpuP95Ms: rounded(frames.cpuP95Ms),
    frameWorkMaxMs: rounded(frames.maxMs),
    framesPerSecond: rounded(frames.perSecond),
    heapMb: rounded(heapMb),
    processMb: rounded(processMb),
    requestsAtRest: requestCount() - asked,
  };
  report({
    name: 'page',
    figures,
    goals: {
      firstPictureMs: atMost(figures.firstPictureMs, 2000),
      frameWorkP95Ms: atMost(figures.frameWorkP95Ms, 33),
      processMb: atMost(figures.processMb, 400),
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
  while (!(await page.evaluate<boolean>(HAS_PICTURE))) await page.waitForTimeout(20);
  return performance.now() - start;
}

/** After a garbage collection: objects of the page, and private memory of its process, from Linux. */
async function memory(page: Page): Promise<{ readonly heapMb: number; readonly processMb: number }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  await devtools.send('HeapProfiler.collectGarbage');
  await page.waitForTimeout(500);
  const { metrics } = await devtools.send('Performance.getMetrics');
  const heapBytes = metrics.find(({ name }) => name === 'JSHeapUsedSize')!.value;
  const system = await browser.newBrowserCDPSession();
  const { processInfo } = await system.send('SystemInfo.getProcessInfo');
  const renderers = processInfo.filter(({ type }) => type === 'renderer');
  return {
    heapMb: heapBytes / 1024 ** 2,
    processMb: Math.max(...renderers.map(({ id }) => privateMb(id))),
  };
}

function privateMb(process: number): number {
  const text = readFileSync(`/proc/${process}/smaps_rollup`, 'utf8');
  const kilobytes = [...text.matchAll(/^Private_\w+:\s+(\d+) kB/gm)].map((match) => Number(match[1]));
  return kilobytes.reduce((sum, each) => sum + each, 0) / 1024;
}

function requestCount(): number {
  return [...server.requests.values()].reduce((sum, each) => sum + each, 0);
}
