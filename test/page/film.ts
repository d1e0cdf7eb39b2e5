/**
 * `node test/page/film.ts FILE.webp`: a short film of the page of a real playground, for the README: pods are created, nodes come,
 * most pods go, and the nodes that are not needed any more go too. With `FILE.png` it takes one picture, when the nodes are there.
 * Needs Chromium and, for the film, `img2webp` (Debian: webp).
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEPLOYMENTS, type KubeClient, type KubeObject } from '@chandler/kube';
import type { Page } from 'playwright-core';
import { clientOf, type Ready, startProcess } from '../playground/process.ts';
import { launchChromium } from './chromium.ts';
import { untilLive } from './page.fixture.ts';

const MAX_BYTES = 2_000_000;
const SIZE = { width: 1200, height: 675 };
/** Between two pictures, and how long each is shown. */
const EVERY_MS = 700;
const SHOWN_MS = 220;
/** Of the film; and how long to wait for what it shows. */
const MAX_FRAMES = 90;
const MAX_WAIT_MS = 240_000;

const WORKLOADS = [
  ['web', '900m', '1Gi', 40],
  ['search', '1800m', '6Gi', 16],
  ['queue', '400m', '2Gi', 30],
] as const;

const [file] = process.argv.slice(2);
if (file === undefined || !/\.(?:webp|png)$/.test(file)) {
  console.error('usage: node test/page/film.ts FILE.webp|FILE.png');
  process.exit(2);
}
const folder = mkdtempSync(join(tmpdir(), 'chandler-film-'));
const frames: string[] = [];
let last: Buffer | undefined;
const playground = startProcess(['--speed', '5']);
const browser = await launchChromium();
try {
  const ready = (await playground.ready) as Ready & { readonly page: string };
  const { client, close } = await clientOf(ready);
  const page = await browser.newPage({ viewport: SIZE, colorScheme: 'dark', deviceScaleFactor: 1 });
  await page.goto(ready.page);
  await untilLive(page);
  await take(page, 3);
  for (const [name, cpu, memory, replicas] of WORKLOADS)
    await client.create(DEPLOYMENTS, deployment(name, { cpu, memory, replicas }));
  const most = await takeUntil(page, (now) => now.pending === 0 && now.nodes > 3);
  await take(page, 6);
  if (file.endsWith('.png')) await page.screenshot({ path: file });
  else {
    for (const [name] of WORKLOADS) await scale(client, name, 2);
    await takeUntil(page, (now) => now.nodes < most.nodes);
    await take(page, 25);
    encode(file);
  }
  await close();
} finally {
  await browser.close();
  await playground.stop();
  rmSync(folder, { recursive: true, force: true });
}

// ---------------------------------------------------------------------------------------------------

function deployment(
  name: string,
  { cpu, memory, replicas }: { cpu: string; memory: string; replicas: number },
): KubeObject {
  const labels = { app: name };
  const containers = [{ name: 'main', image: 'nginx', resources: { requests: { cpu, memory } } }];
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: 'default' },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers } },
    },
  } as KubeObject;
}

async function scale(client: KubeClient, name: string, replicas: number): Promise<void> {
  await client.patch(
    DEPLOYMENTS,
    { namespace: 'default', name },
    { type: 'merge', patch: { spec: { replicas } } },
  );
}

async function take(page: Page, count: number): Promise<void> {
  for (let at = 0; at < count; at++) {
    await page.waitForTimeout(EVERY_MS);
    const picture = await page.screenshot();
    // A picture that shows nothing new is left out.
    if (frames.length === MAX_FRAMES || (last !== undefined && picture.equals(last))) continue;
    last = picture;
    const path = join(folder, `${String(frames.length).padStart(4, '0')}.png`);
    writeFileSync(path, picture);
    frames.push(path);
  }
}

interface Seen {
  readonly nodes: number;
  readonly pending: number;
}

/** Until the page says so; an error if it never does. */
async function takeUntil(page: Page, done: (now: Seen) => boolean): Promise<Seen> {
  for (let waitedMs = 0; waitedMs < MAX_WAIT_MS; waitedMs += EVERY_MS) {
    await take(page, 1);
    const now = await seenOn(page);
    if (done(now)) return now;
  }
  throw new Error(`not seen within ${MAX_WAIT_MS / 1000} s`);
}

async function seenOn(page: Page): Promise<Seen> {
  const [nodes, pending] = await Promise.all([figure(page, 'Nodes'), figure(page, 'Pending')]);
  return { nodes, pending };
}

/** 0 while the page does not show it. */
async function figure(page: Page, name: string): Promise<number> {
  const value = page
    .locator('.figure', { has: page.getByText(name, { exact: true }) })
    .locator('.figure-value');
  return (await value.count()) === 0 ? 0 : Number.parseInt((await value.textContent()) ?? '0', 10);
}

function encode(into: string): void {
  const args = ['-loop', '0', '-lossy', '-q', '45', '-m', '6', '-d', `${SHOWN_MS}`, ...frames, '-o', into];
  const { status, stderr, error } = spawnSync('img2webp', args, { encoding: 'utf8' });
  if (error !== undefined || status !== 0) throw new Error(`img2webp failed: ${error?.message ?? stderr}`);
  const { size } = statSync(into);
  console.log(`${into}: ${frames.length} pictures, ${Math.round(size / 1000)} kB`);
  if (size > MAX_BYTES) throw new Error(`${into} is larger than ${MAX_BYTES / 1e6} MB`);
}
