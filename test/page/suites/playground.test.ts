/** The page of a real playground, started as a command: what a person sees there, and what they see when it is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEPLOYMENTS, type KubeObject } from '@chandler/kube';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type Ready, ROOT, startProcess } from '../../playground/process.ts';
import { launchChromium } from '../chromium.ts';
import { untilLive } from '../page.fixture.ts';

const folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
/** The last started first. */
const stops: (() => Promise<unknown>)[] = [];
let browser: Browser;

beforeAll(async () => {
  browser = await launchChromium();
});
afterAll(async () => {
  await browser.close();
  for (const stop of stops) await stop();
  rmSync(folder, { recursive: true, force: true });
});

const WEB = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace: 'default' },
  spec: {
    replicas: 6,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        containers: [
          { name: 'main', image: 'nginx', resources: { requests: { cpu: '900m', memory: '1Gi' } } },
        ],
      },
    },
  },
};

/** `chandler page` on this port; 0: any. */
async function servePage(kubeconfig: string, port: string) {
  const args = ['packages/chandler/src/cli/main.ts', 'page', '-o', 'json', '--kubeconfig', kubeconfig];
  const child = spawn(process.execPath, [...args, '--port', port], { cwd: ROOT, stdio: 'pipe' });
  const ended = once(child, 'exit');
  const stop = async () => {
    child.kill('SIGINT');
    await ended;
  };
  stops.unshift(stop);
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { page: new URL((JSON.parse(line) as { readonly address: string }).address), stop };
}

test('nodes appear for a Deployment, with prices; when the page is served anew, its new address shows them', async () => {
  const kubeconfig = join(folder, 'kubeconfig');
  const playground = startProcess(['--write-kubeconfig', kubeconfig]);
  stops.push(() => playground.stop());
  const ready = (await playground.ready) as Ready & { readonly page: string };
  const page = await browser.newPage();
  page.setDefaultTimeout(60_000);
  await page.goto(ready.page);
  await untilLive(page);
  await page.goto(`${new URL(ready.page).origin}/?shape=table`);
  const nodes = page.getByRole('row', { name: /aks-default-/ });
  await page.getByRole('row', { name: /system-1/ }).waitFor();
  expect(await nodes.count()).toBe(0);
  await page.goto(`${new URL(ready.page).origin}/?view=playground`);
  await page.getByLabel('Time runs').selectOption('10');
  await playground.printed('speed', 'time runs 10 times as fast as real time');
  await page.reload();
  await expect.poll(() => page.getByLabel('Time runs').inputValue()).toBe('10');
  await page.goto(`${new URL(ready.page).origin}/?shape=table`);

  const { client, close } = await clientOf(ready);
  await client.create(DEPLOYMENTS, WEB as KubeObject);
  await close();
  await nodes.filter({ hasText: 'Ready' }).filter({ hasText: '$' }).first().waitFor();
  const first = await servePage(kubeconfig, '0');
  await page.goto(first.page.href);
  await untilLive(page);
  await first.stop();
  await page.getByText('The connection was lost at').waitFor();
  const second = await servePage(kubeconfig, first.page.port);
  await page.getByText('The server does not accept the token any more.').waitFor();
  await page.goto('about:blank');
  await page.goto(`${second.page.origin}/?shape=table${second.page.hash}`);
  await nodes.filter({ hasText: 'Ready' }).first().waitFor();
  await untilLive(page);
}, 300_000);
