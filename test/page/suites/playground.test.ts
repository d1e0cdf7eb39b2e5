/** The page of a real playground, started as a command: what a person sees there, and what they see when it is gone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DEPLOYMENTS, type KubeObject, NODES } from '@chandler/kube';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type Ready, ROOT, startProcess } from '../../playground/process.ts';
import { launchChromium } from '../chromium.ts';
import { untilLive } from '../page.fixture.ts';

/** Processes are started, on a machine that may be busy. */
const SLOW = { timeout: 60_000 };
const PLAYED_MS = 240_000;
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

/** `chandler page` on this port; 0: any. It can be stopped, and killed as the kernel kills a process. */
function servePage(kubeconfig: string, port: string, ...more: readonly string[]) {
  return startPage('--kubeconfig', kubeconfig, '--port', port, ...more);
}

async function startPage(...args: readonly string[]) {
  const command = ['packages/chandler/src/cli/main.ts', 'page', '-o', 'json'];
  const child = spawn(process.execPath, [...command, ...args], { cwd: ROOT, stdio: 'pipe' });
  const ended = once(child, 'exit');
  const end = async (signal: 'SIGINT' | 'SIGKILL') => {
    child.kill(signal);
    await ended;
  };
  stops.unshift(() => end('SIGINT'));
  const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
  const page = new URL((JSON.parse(line) as { readonly address: string }).address);
  return { page, stop: () => end('SIGINT'), kill: () => end('SIGKILL') };
}

test(
  'nodes appear for a Deployment, with prices; when the page is served anew, its new address shows them',
  async () => {
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
    await expect.poll(() => page.getByLabel('Time runs').inputValue(), SLOW).toBe('10');
    await page.goto(`${new URL(ready.page).origin}/?shape=table`);

    const { client, close } = await clientOf(ready);
    await client.create(DEPLOYMENTS, WEB as KubeObject);
    await close();
    await nodes.filter({ hasText: 'Ready' }).filter({ hasText: '$' }).first().waitFor();
    // The run can be looked at again, from before the Deployment.
    await page.getByRole('button', { name: 'Look back' }).click();
    const slider = page.getByRole('slider', { name: 'Time in the recording' });
    await slider.fill('0');
    await page.getByRole('row', { name: /system-1/ }).waitFor();
    await expect.poll(() => nodes.count(), SLOW).toBe(0);
    await slider.fill((await slider.getAttribute('max'))!);
    await nodes.filter({ hasText: 'Ready' }).first().waitFor();
    await page.getByRole('button', { name: 'Return to live' }).click();
    await nodes.filter({ hasText: 'Ready' }).first().waitFor();

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
    await second.stop();
  },
  PLAYED_MS,
);

test(
  'a page whose server is killed says so, and goes on by itself with what changed meanwhile',
  async () => {
    const kubeconfig = join(folder, 'kubeconfig');
    const token = ['--token-file', join(folder, 'token')];
    const killed = await servePage(kubeconfig, '0', ...token);
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${killed.page.origin}/?shape=table${killed.page.hash}`);
    await untilLive(page);
    await page.getByRole('row', { name: /system-1/ }).waitFor();
    await killed.kill();
    await page.getByText('The connection was lost at').waitFor();
    await page.getByText('What is shown is from then.').waitFor();
    const { client, close } = await clientOf({ kubeconfig } as Ready);
    await client.create(NODES, { apiVersion: 'v1', kind: 'Node', metadata: { name: 'while-away' } });
    await close();
    expect(await page.getByRole('row', { name: /while-away/ }).count()).toBe(0);
    const again = await servePage(kubeconfig, killed.page.port, ...token);
    expect(again.page.href).toBe(killed.page.href);
    // Nobody touches the page.
    await page.getByRole('row', { name: /while-away/ }).waitFor();
    await untilLive(page);
    expect(await page.getByText('The connection was lost at').count()).toBe(0);
  },
  PLAYED_MS,
);

test(
  'a seed of the fault simulation opens as a recording: its faults, and what became of the nodes',
  async () => {
    const file = join(folder, 'seed.jsonl');
    const args = ['test/faults/run.ts', '--cloud', 'azure', '--seed', '7', '--quiet', '--record', file];
    const run = spawn(process.execPath, args, { cwd: ROOT, stdio: 'ignore' });
    expect(await once(run, 'exit')).toEqual([0, null]);
    const served = await startPage('--recording', file);
    const page = await browser.newPage();
    page.setDefaultTimeout(60_000);
    await page.goto(`${served.page.origin}/?view=timeline${served.page.hash}`);
    await page.getByText('seed 7 on azure').waitFor();
    await page.getByRole('cell', { name: 'Fault', exact: true }).first().waitFor();
    await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Cluster' }).click();
    await page.getByText('There are no nodes yet').waitFor();
    const slider = page.getByRole('slider', { name: 'Time in the recording' });
    await slider.fill((await slider.getAttribute('max'))!);
    await page.getByText('There are no nodes yet').waitFor({ state: 'detached' });
    expect(await page.getByRole('button', { name: 'Return to live' }).count()).toBe(0);
  },
  PLAYED_MS,
);
