/** `chandler check --live-azure` as a user runs it, with an Azure that refuses or does not answer in time. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Fetch } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, describe, expect, test } from 'vitest';
// Loaded here, because loading takes real time, and the clock of the test is virtual.
import '../../packages/chandler/src/cloud/azure/index.ts';
import { run, VERBS } from '../../packages/chandler/src/cli/testing.ts';
import { anAksNodeClass, SUBSCRIPTION } from './examples/aks.ts';

const CLUSTER = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop`;
const folder = mkdtempSync(join(tmpdir(), 'check-azure-'));
writeFileSync(join(folder, 'class.yaml'), anAksNodeClass(''));
afterAll(() => rmSync(folder, { recursive: true }));

async function check(
  args: readonly string[],
  fetch: Fetch,
  env: Readonly<Record<string, string>> = {},
  interrupted = new AbortController().signal,
) {
  const world = virtualWorld({ fetch });
  let out = '';
  let err = '';
  let ended = false;
  const end = run(VERBS, {
    args: ['check', folder, '--live-azure', '--azure-cluster', CLUSTER, ...args],
    env: {
      AZURE_TENANT_ID: '5d0a8c3e-61f2-4b7d-9a44-0c2e7b915f36',
      AZURE_CLIENT_ID: '0f3b6a52-9c1d-4e8a-b7f0-3d5c2a9e8146',
      AZURE_CLIENT_SECRET: 'secret',
      ...env,
    },
    terminal: { out: (text) => (out += text), err: (text) => (err += text), color: false },
    interrupted,
    world: async () => world,
  }).finally(() => {
    ended = true;
  });
  end.catch(() => undefined);
  while (!ended) {
    await setImmediate();
    await world.clock.advance(1_000);
  }
  return { code: await end, out, err };
}

const REFUSED: Fetch = async () =>
  Response.json({ error: 'invalid_client', error_description: 'the secret has expired' }, { status: 401 });

describe('chandler check --live-azure', () => {
  test.each([[[]], [['--require-inputs']], [['--exit-zero']]])(
    'without a token the files are judged, and the exit code is 3: %j',
    async (args) => {
      const { code, out, err } = await check(args, REFUSED);
      expect({ code, err }).toMatchObject({
        code: 3,
        err: expect.stringMatching(/^chandler check: --live-azure: /),
      });
      expect(out).toMatch(/^Readiness: /);
    },
  );

  test('a cloud that does not exist is a usage error, and does not become the public one', async () => {
    const asked: string[] = [];
    const { code, err } = await check(
      [],
      async (url) => {
        asked.push(String(url));
        return Response.json({}, { status: 401 });
      },
      { ARM_CLOUD: 'AzureMoonCloud' },
    );
    expect({ code, asked }).toEqual({ code: 2, asked: [] });
    expect(err).toContain('ARM_CLOUD');
  });

  test('an interrupt while it reads ends it with 130, and nothing is reported as not read', async () => {
    const interrupt = new AbortController();
    const { code, out } = await check(
      [],
      async (_, init) => {
        interrupt.abort(new Error('stopped by SIGINT'));
        init?.signal?.throwIfAborted();
        return Response.json({}, { status: 401 });
      },
      {},
      interrupt.signal,
    );
    expect({ code, out }).toEqual({ code: 130, out: '' });
  });
});
