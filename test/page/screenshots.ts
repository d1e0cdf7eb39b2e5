/**
 * `node test/page/screenshots.ts FOLDER [NAME …]`: a picture of every view and of every state at 1440 and 390 pixels, dark and light,
 * of the fixture worlds. The pictures are for looking at; they are no part of the repository.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { bundleApp } from './bundle.ts';
import { launchChromium } from './chromium.ts';
import { FixtureServer, PLAYGROUND_TOKEN, TOKEN } from './fixture-server.ts';
import { makeWorld, type WorldName } from './world/index.ts';
import { record, recordFile } from './world/record.ts';

interface Shot {
  readonly name: string;
  readonly search: string;
  /** Default: small. */
  readonly world?: WorldName;
  /** Default: both tokens. */
  readonly fragment?: string;
  /** Before the page is opened, instead of some seconds of life. */
  readonly prepare?: (server: FixtureServer, step: () => void) => void;
  /** After it was opened. */
  readonly act?: (page: Page, server: FixtureServer) => Promise<void>;
}

const SHOTS: readonly Shot[] = [
  { name: 'cluster', search: '?' },
  { name: 'cluster-medium', search: '?size=medium&group=zone' },
  { name: 'cluster-table', search: '?shape=table' },
  { name: 'cluster-huge', world: 'huge', search: '?' },
  { name: 'cluster-empty', world: 'empty', search: '?' },
  { name: 'cluster-denied', world: 'denied', search: '?' },
  { name: 'cluster-hostile', world: 'hostile', search: '?' },
  { name: 'cluster-lost', search: '?', act: lose },
  { name: 'cluster-no-token', search: '?', fragment: '', act: async (page) => untilText(page, 'token') },
  { name: 'pending', search: '?view=pending' },
  { name: 'pending-empty', world: 'empty', search: '?view=pending' },
  { name: 'claims', search: '?view=claims' },
  { name: 'savings', search: '?view=savings' },
  { name: 'timeline', search: '?view=timeline' },
  { name: 'timeline-empty', world: 'empty', search: '?view=timeline' },
  { name: 'node', search: '?view=object&subject=Node%2Fsystem-1' },
  { name: 'node-denied', world: 'denied', search: '?view=object&subject=Node%2Fsystem-1' },
  { name: 'pod', search: '?shape=table', act: openFirstPod },
  { name: 'pool', search: '?view=object&subject=NodePool%2Fgeneral' },
  { name: 'class', search: '?view=object&subject=EC2NodeClass%2Fdefault' },
  { name: 'gone', search: '?view=object&subject=Node%2Fip-10-0-0-0' },
  { name: 'what-if', search: '?view=what-if' },
  { name: 'what-if-answer', search: '?view=what-if', act: (page) => ask(page, 'kind: Deployment\n') },
  { name: 'what-if-invalid', search: '?view=what-if', act: (page) => ask(page, 'replicas: 3\n') },
  { name: 'playground', search: '?view=playground' },
  { name: 'look-back', search: '?', prepare: record, act: lookBack },
  { name: 'recording', search: '?', prepare: recordFile, act: (page) => page.waitForTimeout(500) },
];
const WIDTHS = [1440, 390];
const STEPS_OF_LIFE = 75;

const [folder, ...asked] = process.argv.slice(2);
if (folder === undefined) {
  console.error('usage: node test/page/screenshots.ts FOLDER [NAME …]');
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const browser = await launchChromium();
const assets = await bundleApp();
try {
  for (const shot of SHOTS)
    if (asked.length === 0 || asked.includes(shot.name))
      for (const width of WIDTHS)
        for (const theme of ['light', 'dark'] as const) await take(browser, shot, { width, theme, folder });
} finally {
  await browser.close();
}

// ---------------------------------------------------------------------------------------------------

async function take(
  from: Browser,
  { name, search, world = 'small', fragment, prepare, act }: Shot,
  { width, theme, folder: into }: { width: number; theme: 'light' | 'dark'; folder: string },
): Promise<void> {
  const made = makeWorld(world);
  const server = new FixtureServer(made.world, assets);
  if (prepare !== undefined) prepare(server, made.step);
  // So that something is being launched.
  else for (let at = 0; at < STEPS_OF_LIFE; at++) made.step();
  made.world.takeChanges();
  const address = await server.listen();
  const context = await from.newContext({
    viewport: { width, height: width > 800 ? 900 : 844 },
    colorScheme: theme,
  });
  const page = await context.newPage();
  await page.goto(`${address}/${search}${fragment ?? `#token=${TOKEN}&playground=${PLAYGROUND_TOKEN}`}`);
  if (fragment === undefined && server.recordingOf === 'live') await page.locator('.link-live').waitFor();
  await page.waitForTimeout(700);
  await act?.(page, server);
  const path = join(into, `${name}-${width}-${theme}.png`);
  await page.screenshot({ path, fullPage: !name.startsWith('cluster') || width < 800 });
  console.log(path);
  await context.close();
  await server.close();
}

async function untilText(page: Page, text: string): Promise<void> {
  await page.getByText(text).first().waitFor();
}

async function lose(page: Page, server: FixtureServer): Promise<void> {
  server.failWith = 503;
  server.cutStreams();
  await page.locator('.link-live').waitFor({ state: 'detached' });
  await page.waitForTimeout(2_000);
}

async function openFirstPod(page: Page, server: FixtureServer): Promise<void> {
  const pod = [...server.world.pods.entries()].find(([, row]) => row[2] !== '')![0];
  const { origin } = new URL(page.url());
  await page.goto(`${origin}/?${new URLSearchParams({ view: 'object', subject: `Pod/${pod}` })}`);
  await page.locator('.link-live').waitFor();
  await page.waitForTimeout(700);
}

async function ask(page: Page, manifest: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Manifests' }).fill(manifest);
  await page.getByRole('button', { name: 'Simulate' }).click();
  await page.waitForTimeout(700);
}

async function lookBack(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Look back' }).click();
  await page.getByRole('slider', { name: 'Time in the recording' }).fill('8');
  await page.waitForTimeout(700);
}
