/** The page while something it needs cannot be read: an API server without answers, a catalogue that is being written. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CONFIG_MAPS, type KubeObject, type Transport, TransportError } from '@chandler/kube';
import { expect, onTestFinished, test } from 'vitest';
import type { wire } from '../../dashboard/index.ts';
import { KEPT_JOURNEYS_NAME } from '../../diagnose/index.ts';
import { fill, withCluster } from '../top/top.fixture.ts';
import { OpenPage } from './open-page.ts';
import { withPageCluster } from './page.fixture.ts';

const CHECK_MS = 2_100;

test('a catalogue that cannot be read is logged once, and read again', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-page-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const catalogue = join(folder, 'catalogue.json');
  await withCluster(async ({ world, client, transport }) => {
    const { signal } = new AbortController();
    const page = new OpenPage({ transport, world, env: {}, signal, catalogue });
    const { model } = await page.open();
    await fill(client);
    const problems = () => world.lines.filter(({ message }) => message.includes('prices of the page'));
    for (let time = 0; time < 3; time++) await world.clock.advance(CHECK_MS);
    await expect.poll(() => problems().length).toBe(1);
    writeFileSync(catalogue, '[{"half": ');
    await expect
      .poll(async () => {
        await world.clock.advance(CHECK_MS);
        return problems().length;
      })
      .toBe(2);
    expect(model.totals.pricePerHour).toBeNull();
    await page.stop();
  });
});

test('a page that is stopped while it reads the lower bound ends without an error', async () => {
  await withCluster(async ({ world, client, transport }) => {
    await fill(client);
    const stop = new AbortController();
    let isArmed = false;
    const stopping: Transport = async (request) => {
      if (!isArmed || !request.path.includes('/csinodes')) return transport(request);
      stop.abort(new Error('stopped by Ctrl-C'));
      throw stop.signal.reason;
    };
    const { signal } = stop;
    const page = new OpenPage({ transport: stopping, world, env: {}, signal, catalogue: undefined });
    const failures: unknown[] = [];
    const note = (error: unknown) => failures.push(error);
    process.on('unhandledRejection', note);
    onTestFinished(() => void process.off('unhandledRejection', note));
    await page.open();
    isArmed = true;
    await world.clock.advance(CHECK_MS);
    await expect.poll(() => signal.aborted).toBe(true);
    await new Promise((resolve) => setImmediate(resolve));
    expect(failures).toEqual([]);
    expect(world.lines.filter(({ level }) => level === 'error')).toEqual([]);
    await page.stop();
  });
});

test('an API server without answers is said to be that, not a missing permission; the timeline shows what is known', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    let isDown = false;
    const { ask } = await open((request) => {
      if (isDown && !request.path.includes('watch=')) throw new TransportError('unreachable', 'no route');
      return transport(request);
    });
    isDown = true;
    for (const path of ['pending', 'object?subject=Pod/default/waits'])
      expect([path, (await ask(path)).status]).toEqual([path, 503]);
    const timeline = (await ask('timeline?from=0')).json as wire.TimelineAnswer;
    expect(timeline.happened.filter(({ what }) => what === 'launch')).toHaveLength(3);
    isDown = false;
    expect((await ask('pending')).status).toBe(200);
  });
});

const KEPT = {
  at: '2026-01-01T00:10:00Z',
  metadata: { name: 'general-x', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' } },
  status: {
    conditions: [
      {
        type: 'Launched',
        status: 'False',
        reason: 'QuotaExceeded',
        message: 'no quota',
        lastTransitionTime: '2026-01-01T00:10:00Z',
      },
    ],
  },
};

test('a NodeClaim that failed has its page when it is gone; what is kept wrongly is left out', async () => {
  await withPageCluster(async ({ client, transport, open }) => {
    await fill(client);
    const broken = { ...KEPT, metadata: { ...KEPT.metadata, name: 'broken' }, status: { conditions: 5 } };
    await client.create(CONFIG_MAPS, {
      metadata: { name: KEPT_JOURNEYS_NAME, namespace: 'kube-system' },
      data: { 'general-x': JSON.stringify(KEPT), broken: JSON.stringify(broken) },
    } as unknown as KubeObject);
    const { ask } = await open(transport);
    const { status, json } = await ask('object?subject=NodeClaim/general-x');
    const object = json as wire.ObjectAnswer;
    expect(status).toBe(200);
    expect(object.conditions).toMatchObject([{ type: 'Launched', reason: 'QuotaExceeded' }]);
    expect(object.answer.subject).toEqual({ kind: 'nodeclaim', name: 'general-x' });
    expect((await ask('object?subject=NodeClaim/nobody')).status).toBe(404);
    const claims = (await ask('claims')).json as wire.ClaimsAnswer;
    expect(claims.claims.filter(({ outcome }) => outcome === 'failed').map(({ name }) => name)).toEqual([
      'general-x',
    ]);
  });
});

test('a lower bound is not shown any more when there are too many pods for it', async () => {
  await withCluster(async ({ world, client, transport }) => {
    await fill(client);
    const { signal } = new AbortController();
    const request = { transport, world, env: {}, signal, catalogue: undefined, maxBoundPods: 2 };
    const page = new OpenPage(request);
    const { model } = await page.open();
    model.setLowerBound(0.1);
    await world.clock.advance(200);
    expect(model.totals.lowerBoundPerHour).toBe(0.1);
    await world.clock.advance(CHECK_MS);
    expect(model.totals).toMatchObject({ lowerBoundPerHour: null, noLowerBound: 'too-many-pods' });
    await page.stop();
  });
});
