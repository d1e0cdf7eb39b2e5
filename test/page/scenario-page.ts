/** The page of a real playground, as a person uses it: chooses the speed, presses the button of a scenario, and looks at views. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type PlaygroundCloudName, scenariosOf } from '../../packages/chandler/src/playground/index.ts';
import { RUNS_ALL } from '../part.ts';
import { type PlaygroundProcess, startProcess } from '../playground/process.ts';
import { launchChromium } from './chromium.ts';
import { untilLive } from './page.fixture.ts';

/** What a person checks, of one scenario. */
export interface Play {
  /** Default 20. Lower where much must be done in a step. */
  readonly speed?: number;
  /** From this step on another speed: the rest is waiting. */
  readonly faster?: { readonly fromStep: number; readonly speed: number };
  /** While it runs. */
  readonly during?: (page: ScenarioPage) => Promise<void>;
  /** After it has passed. */
  readonly after: (page: ScenarioPage) => Promise<void>;
}

/**
 * A test for each scenario that the page offers on this cloud; a scenario without a row is an error.
 * @param always those that are played without CHANDLER_TESTS=all, too: all of them take minutes.
 */
export function playScenarios(
  cloud: PlaygroundCloudName,
  plays: Readonly<Record<string, Play>>,
  always: readonly string[],
): void {
  describe(`scenarios played through the page, on ${cloud}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'chandler-scenarios-'));
    let browser: Browser;
    let playground: PlaygroundProcess;
    let shown: ScenarioPage;
    beforeAll(async () => {
      playground = startProcess(['--cloud', cloud, '--write-kubeconfig', join(folder, 'kubeconfig')]);
      const [launched, ready] = await Promise.all([launchChromium(), playground.ready]);
      browser = launched;
      await playground.printed('controller', 'is the leader');
      const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
      page.setDefaultTimeout(SEEN_MS);
      await page.goto((ready as unknown as { readonly page: string }).page);
      await untilLive(page);
      shown = new ScenarioPage(page);
    }, START_MS);
    afterAll(async () => {
      await browser?.close();
      await playground.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    test('the page offers every scenario that needs no other flags of the controller', async () => {
      const expected = scenariosOf(cloud).filter(({ controllerArgs = [] }) => controllerArgs.length === 0);
      await shown.open('Playground');
      await shown.page.getByRole('heading', { name: 'Scenarios' }).waitFor();
      const offered = await shown.page.getByRole('button', { name: /^Play / }).allTextContents();
      expect(offered).toEqual(expected.map(({ name }) => `Play ${name}`));
      expect(Object.keys(plays).sort()).toEqual(expected.map(({ name }) => name).sort());
    });

    const chosen = Object.entries(plays).filter(([name]) => RUNS_ALL || always.includes(name));
    if (!RUNS_ALL)
      console.log(
        `${chosen.length} of ${Object.keys(plays).length} scenarios of ${cloud}; CHANDLER_TESTS=all plays all`,
      );

    test.each(chosen)(
      '%s',
      async (name, { speed = 20, faster, during, after }) => {
        await shown.play(name, speed);
        await during?.(shown);
        if (faster !== undefined) {
          await shown.untilStep(faster.fromStep);
          await shown.setSpeed(faster.speed);
        }
        await shown.untilPassed(name);
        await after(shown);
      },
      PLAYED_MS,
    );
  });
}

export class ScenarioPage {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  async open(view: 'Cluster' | 'Pending' | 'Claims' | 'Timeline' | 'Playground'): Promise<void> {
    await this.page
      .getByRole('navigation', { name: 'Views' })
      .getByRole('link', { name: new RegExp(`^${view}`) })
      .click();
    await this.page.getByRole('heading', { level: 1, name: view }).waitFor({ state: 'attached' });
  }

  async setSpeed(speed: number): Promise<void> {
    await this.open('Playground');
    await this.page.getByLabel('Time runs').selectOption(String(speed));
    await expect
      .poll(() => this.page.getByLabel('Time runs').inputValue(), { timeout: SEEN_MS })
      .toBe(String(speed));
  }

  async play(name: string, speed: number): Promise<void> {
    await this.setSpeed(speed);
    await this.page.getByRole('button', { name: `Play ${name}`, exact: true }).click();
    await this.page.getByText(`Scenario ${name} is running.`).waitFor();
  }

  /** Until this step is shown, or a later one. */
  async untilStep(step: number): Promise<void> {
    await this.open('Playground');
    await this.page
      .locator('.notice', { hasText: new RegExp(`is running\\. [${step}-9]/`) })
      .waitFor({ timeout: PLAYED_MS });
  }

  async untilPassed(name: string): Promise<void> {
    await this.open('Playground');
    const ended = this.page.locator('.notice', {
      hasText: new RegExp(`^Scenario ${name} (passed|failed)\\.`),
    });
    await ended.waitFor({ timeout: PLAYED_MS });
    expect(await ended.textContent()).toContain('passed. the scenario is complete');
  }

  /** The rows of the table of nodes that a NodePool has, with this text. */
  async nodes(text: string | RegExp = ''): Promise<Locator> {
    await this.open('Cluster');
    await this.page.getByRole('radio', { name: 'table' }).check();
    await this.page.getByLabel('Search').fill('');
    const rows = this.page.locator('tbody tr', { hasText: 'default' });
    // A text alone would be found in NotReady, too.
    if (text === 'Ready') return rows.filter({ has: this.page.locator('td', { hasText: /^Ready/ }) });
    return rows.filter({ hasText: text });
  }

  /** Until the table has as many nodes of NodePools with this text. */
  async untilNodes(number: number, text: string | RegExp = 'Ready'): Promise<void> {
    const rows = await this.nodes(text);
    await expect.poll(() => rows.count(), { timeout: SEEN_MS }).toBe(number);
  }

  /** The price of all nodes, as the page shows it; `–` where nothing is paid for. */
  async price(): Promise<string> {
    await this.open('Cluster');
    const figure = this.page.locator('.figure', { has: this.page.getByText('Price', { exact: true }) });
    return (await figure.locator('.figure-value').textContent()) ?? '';
  }

  /** Until the timeline has an entry that a search finds and that has all of these texts. */
  async untilHappened(search: string, ...texts: readonly (string | RegExp)[]): Promise<void> {
    let rows = this.page.getByRole('region', { name: 'Events' }).locator('tbody tr');
    for (const text of texts) rows = rows.filter({ hasText: text });
    const isSeen = async () => {
      // Opened anew: what only the answer has is asked for once.
      await this.open('Cluster');
      await this.open('Timeline');
      await this.page.getByLabel('Search').fill(search);
      return rows
        .first()
        .waitFor({ timeout: LOOK_MS })
        .then(
          () => true,
          () => false,
        );
    };
    await expect.poll(isSeen, { timeout: SEEN_MS }).toBe(true);
    await this.page.getByLabel('Search').fill('');
  }

  /** The page of an object. */
  async object(subject: string): Promise<void> {
    const { origin } = new URL(this.page.url());
    await this.page.goto(`${origin}/?${new URLSearchParams({ view: 'object', subject })}`);
    await this.page.getByRole('heading', { name: subject }).waitFor();
  }

  /** Shows what is folded below this text. */
  async unfold(text: RegExp): Promise<void> {
    await this.page.locator('summary', { hasText: text }).first().click();
  }

  async untilText(text: string | RegExp): Promise<void> {
    await this.page.getByText(text).filter({ visible: true }).first().waitFor();
  }
}

// ---------------------------------------------------------------------------------------------------

const START_MS = 120_000;
const SEEN_MS = 60_000;
const LOOK_MS = 5_000;
/** Many times what it takes on two processors. */
const PLAYED_MS = 480_000;
