/** A browser, a fixture world and its server, for suites. */
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type Asset, bundleApp } from './bundle.ts';
import { launchChromium } from './chromium.ts';
import { FixtureServer, PLAYGROUND_TOKEN, TOKEN } from './fixture-server.ts';
import { makeWorld, type WorldName } from './world/index.ts';

export interface Opened {
  readonly page: Page;
  readonly server: FixtureServer;
  readonly step: () => void;
  /** What the page logged as errors, and what its policy refused. */
  readonly problems: string[];
  /** To another address of the page: `?view=pending`. */
  readonly go: (search: string) => Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  readonly world?: WorldName;
  readonly search?: string;
  readonly fragment?: string;
  /** Before the page is opened. */
  readonly prepare?: (server: FixtureServer, step: () => void) => void;
}

/** Starts a browser for the file; the answer opens the page on a world of its own. */
export function withBrowser(): (options?: OpenOptions) => Promise<Opened> {
  let browser: Browser;
  let assets: ReadonlyMap<string, Asset>;
  const contexts: BrowserContext[] = [];
  const servers: FixtureServer[] = [];
  beforeAll(async () => {
    [browser, assets] = await Promise.all([launchChromium(), bundleApp()]);
  });
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close();
    for (const server of servers.splice(0)) await server.close();
  });
  afterAll(() => browser.close());
  return async ({ world: name = 'small', search = '', fragment, prepare, ...options } = {}) => {
    const { world, step } = makeWorld(name);
    const server = new FixtureServer(world, assets);
    servers.push(server);
    prepare?.(server, step);
    const address = await server.listen();
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
    contexts.push(context);
    const page = await context.newPage();
    const problems: string[] = [];
    page.on('pageerror', (error) => problems.push(String(error)));
    page.on('console', (message) => {
      // A request that failed is logged by the browser; the page shows it itself.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
        problems.push(message.text());
    });
    const end = fragment ?? `#token=${TOKEN}&playground=${PLAYGROUND_TOKEN}`;
    await page.goto(`${address}/${search}${end}`);
    const go = async (to: string) => {
      // The tab keeps the token once the server has accepted it.
      await page.waitForFunction('!history.state?.tokens');
      await page.goto(`${address}/${to}`);
    };
    return { page, server, step, problems, go };
  };
}

/** Until the world was read. */
export async function untilLive(page: Page): Promise<void> {
  await page.getByText('Live', { exact: true }).waitFor();
}
