/** The page as the package has it, in a real browser: of a playground, and of `chandler page` on its cluster. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { findChromium, launchChromium, WITHOUT_CHROMIUM } from '../page/chromium.ts';
import { untilLive } from '../page/page.fixture.ts';
import { type Ready, startProcess } from '../playground/process.ts';
import type { Stage } from './suite.ts';

export async function checkPage(stage: Stage): Promise<void> {
  if (findChromium() === undefined) {
    console.log(`     *** SKIPPED *** ${WITHOUT_CHROMIUM}`);
    return;
  }
  const place = join(stage.folder, 'page');
  mkdirSync(place);
  const args = ['--boot-time', '1s', '--write-kubeconfig', join(place, 'kubeconfig')];
  const playground = startProcess(args, stage.chandler.files);
  const browser = await launchChromium();
  try {
    const ready = (await playground.ready) as Ready & { readonly page: string };
    await playground.printed('controller', 'is the leader', PATIENCE_MS);
    await stage.suite.check('the page of the playground shows every view', () =>
      lookAt(browser, ready.page, [...VIEWS, 'Playground']),
    );
    await stage.suite.check('chandler page shows every view of the cluster', () =>
      withPage(stage, ready.kubeconfig, (address) => lookAt(browser, address, VIEWS)),
    );
  } finally {
    await browser.close();
    await playground.stop();
  }
}

// ---------------------------------------------------------------------------------------------------

const PATIENCE_MS = 180_000;
const SEEN_MS = 60_000;
const VIEWS = ['Cluster', 'Pending', 'Claims', 'Savings', 'Timeline', 'What if'] as const;

async function lookAt(browser: Browser, address: string, views: readonly string[]): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(SEEN_MS);
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  try {
    await page.goto(address);
    await untilLive(page);
    const menu = page.getByRole('navigation', { name: 'Views' });
    const offered = await menu.getByRole('link').allTextContents();
    assert.deepEqual(
      offered.map((text) => text.replace(/\d+$/, '').trim()),
      views,
    );
    for (const view of views) await open(page, view);
    await open(page, 'Cluster');
    await page.getByRole('radio', { name: 'table' }).check();
    await page.getByRole('link', { name: 'system-1' }).click();
    await page.getByText('kubectl describe node system-1').first().waitFor();
    await open(page, 'What if');
    await page.getByRole('button', { name: 'Use the example' }).click();
    await page.getByRole('button', { name: 'Simulate' }).click();
    await page.getByText('Nodes to launch').waitFor();
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
  }
}

/** A view that has failed says so. */
async function open(page: Page, view: string): Promise<void> {
  await page
    .getByRole('navigation', { name: 'Views' })
    .getByRole('link', { name: new RegExp(`^${view}`) })
    .click();
  await page.getByRole('heading', { level: 1, name: view }).waitFor({ state: 'attached' });
  await page.getByText(/^Loading/).waitFor({ state: 'detached' });
  assert.equal(await page.getByText('This could not be read').count(), 0, `${view} could not be read`);
}

async function withPage(
  { chandler }: Stage,
  kubeconfig: string,
  use: (address: string) => Promise<void>,
): Promise<void> {
  const { command, cwd, env } = chandler.files;
  const [file, ...first] = command;
  const child = spawn(file, [...first, 'page', '--port', '0', '--kubeconfig', kubeconfig], {
    cwd,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const address = new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      printed += String(data);
      const found = /http:\/\/\S+#token=\S+/.exec(printed);
      if (found !== null) resolve(found[0]);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('exit', (code) => reject(new Error(`ended with code ${code}: ${printed}`)));
  });
  try {
    await use(await address);
  } finally {
    child.kill('SIGINT');
  }
}
