/**
 * `node test/page/screenshots.ts FOLDER [VIEW …]`: a picture of every view at 1440 and 390 pixels, dark and light, of the fixture
 * worlds. The pictures are for looking at; they are no part of the repository.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { bundleApp } from './bundle.ts';
import { launchChromium } from './chromium.ts';
import { FixtureServer, PLAYGROUND_TOKEN, TOKEN } from './fixture-server.ts';
import { makeWorld, type WorldName } from './world/index.ts';

const SHOTS: readonly (readonly [name: string, world: WorldName, search: string])[] = [
  ['cluster', 'small', '?'],
  ['cluster-medium', 'small', '?size=medium&group=zone'],
  ['cluster-table', 'small', '?shape=table'],
  ['cluster-huge', 'huge', '?'],
  ['cluster-empty', 'empty', '?'],
  ['cluster-denied', 'denied', '?'],
  ['cluster-hostile', 'hostile', '?'],
  ['pending', 'small', '?view=pending'],
  ['claims', 'small', '?view=claims'],
  ['savings', 'small', '?view=savings'],
  ['timeline', 'small', '?view=timeline'],
  ['node', 'small', '?view=object&subject=Node%2Fsystem-1'],
  ['what-if', 'small', '?view=what-if'],
  ['playground', 'small', '?view=playground'],
];
const WIDTHS = [1440, 390];

const [folder, ...asked] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node test/page/screenshots.ts FOLDER [VIEW …]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launchChromium();
const assets = await bundleApp();
try {
  for (const [name, world, search] of SHOTS) {
    if (asked.length > 0 && !asked.includes(name)) continue;
    const made = makeWorld(world);
    const server = new FixtureServer(made.world, assets);
    const address = await server.listen();
    // Some seconds of life, so that something is being launched.
    for (let at = 0; at < 75; at++) made.step();
    made.world.takeChanges();
    for (const width of WIDTHS)
      for (const theme of ['light', 'dark'] as const)
        await take(browser, `${address}/${search}`, { name, width, theme, folder });
    await server.close();
  }
} finally {
  await browser.close();
}

async function take(
  from: Browser,
  address: string,
  {
    name,
    width,
    theme,
    folder: into,
  }: { name: string; width: number; theme: 'light' | 'dark'; folder: string },
): Promise<void> {
  const context = await from.newContext({
    viewport: { width, height: width > 800 ? 900 : 844 },
    colorScheme: theme,
  });
  const page = await context.newPage();
  await page.goto(`${address}#token=${TOKEN}&playground=${PLAYGROUND_TOKEN}`);
  await page.locator('.link-live').waitFor();
  await page.waitForTimeout(700);
  const path = join(into, `${name}-${width}-${theme}.png`);
  await page.screenshot({ path, fullPage: !name.startsWith('cluster') || width < 800 });
  console.log(path);
  await context.close();
}
