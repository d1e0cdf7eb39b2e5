/** The page that a controller serves, in the browser: signing in with a token of Kubernetes. */
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { fill } from '../../../packages/chandler/src/cli/testing.ts';
import { withControllerPage } from '../../operator/page-stage.ts';
import { launchChromium } from '../chromium.ts';
import { untilLive } from '../page.fixture.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(() => browser.close());

test('a token of Kubernetes is pasted, shows what its user may list, and is kept nowhere', async () => {
  await withControllerPage(async (stage) => {
    await fill(stage.admin);
    const token = await stage.person('guard', 'nodes');
    const page = await browser.newPage();
    await page.goto(`http://localhost:${stage.port}/`);
    await page.getByText('Sign in with a token of Kubernetes').waitFor();
    await page.getByLabel('Token').fill('nonsense');
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('the API server does not accept the token').waitFor();
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Connect' }).click();
    await untilLive(page);
    await page.getByText(/^Not shown: .*pods/).waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...sessionStorage }, { ...localStorage }, document.cookie, location.href])',
    );
    expect(kept).not.toContain(token.slice(0, 40));
    await page.reload();
    await page.getByText('Sign in with a token of Kubernetes').waitFor();
    // The fragment is a way, too: it leaves the address at once.
    await page.goto(`http://localhost:${stage.port}/?view=timeline#token=${token}`);
    await untilLive(page);
    expect(page.url()).not.toContain('token');
  });
});
