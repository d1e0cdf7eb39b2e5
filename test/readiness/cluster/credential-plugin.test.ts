/** `chandler check` with a credential plugin that fails: at once, for a minute, or for the rest of a smoke test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialsError, fetchTransport, KubeClient, promMetrics } from '@chandler/kube';
import { virtualWorld } from '@chandler/kube/testing';
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest';
import { watchReadiness } from '../../../packages/chandler/src/readiness/index.ts';
import {
  type ScenarioHarness,
  SMALL_CATALOGUE,
  startScenarioHarness,
} from '../../playground/scenario-harness.ts';
import { chandler } from '../../why/verb.fixture.ts';
import { leftovers, smokeRun } from '../smoke/smoke.fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const MESSAGE = 'kubeconfig: the credential plugin login failed: session expired';

const folder = mkdtempSync(join(tmpdir(), 'chandler-plugin-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('a credential plugin that fails at once', () => {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:1' } }],
      users: [
        {
          name: 'a',
          user: {
            exec: {
              apiVersion: 'client.authentication.k8s.io/v1',
              command: process.execPath,
              args: ['-e', 'process.exit(1)'],
              interactiveMode: 'Never',
            },
          },
        },
      ],
    }),
  );

  test.each([[['--live-cluster']], [['--smoke', '--yes']]])(
    'is no access to the cluster: %j exits with 3 and names the plugin',
    async (args) => {
      const { code, out, err } = await chandler(['check', ...args, '--kubeconfig', kubeconfig]);
      expect({ code, out }).toEqual({ code: 3, out: '' });
      expect(err).toMatch(/^chandler check: .*the credential plugin .* failed/);
      expect(err).not.toContain('defect');
    },
  );

  test('is one line of --watch, without a stack', async () => {
    const world = virtualWorld();
    const stopping = new AbortController();
    const lines: string[] = [];
    const ended = watchReadiness({
      client: new KubeClient({
        transport: async () => {
          throw new CredentialsError(MESSAGE);
        },
      }),
      clock: world.clock,
      metrics: promMetrics({ processMetrics: false }),
      configMap: { namespace: 'default', name: 'check' },
      intervalMs: 60_000,
      isLeading: () => true,
      finished: () => undefined,
      failed: (message) => lines.push(message),
      signal: stopping.signal,
    });
    await world.clock.advance(1_000);
    stopping.abort();
    await ended;
    expect(lines).toEqual([MESSAGE]);
  });
});

describe('a credential plugin that fails during a smoke test', () => {
  let harness: ScenarioHarness;
  afterEach(() => harness.stop());

  /** @param forMs how long it fails, from the first NodeClaim on. */
  async function failing(forMs: number) {
    harness = await startScenarioHarness([], SMALL_CATALOGUE);
    const { clock } = harness.world;
    const send = fetchTransport(harness.playground.server.adminFetch);
    let fromMs = Number.POSITIVE_INFINITY;
    const client = new KubeClient({
      transport: async (request) => {
        const sinceMs = clock.monotonic() - fromMs;
        if (sinceMs >= 0 && sinceMs < forMs) throw new CredentialsError(MESSAGE);
        return send(request);
      },
    });
    const lines: string[] = [];
    const run = await smokeRun(harness, {
      client,
      replicas: 3,
      report(line) {
        lines.push(line);
        if (/NodeClaims [1-9]/.test(line)) fromMs = Math.min(fromMs, clock.monotonic());
      },
    });
    return { ...run, notDeleted: lines.filter((line) => line.startsWith('not deleted')) };
  }

  test('for a minute ends nothing, and nothing is left', async () => {
    const { result, error, notDeleted } = await failing(60_000);
    expect(error).toBeUndefined();
    expect(result).toMatchObject({ running: 3, left: [] });
    expect(notDeleted).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
  });

  test('until its end: every object that is left is named with the command that deletes it', async () => {
    const { error, notDeleted } = await failing(Number.POSITIVE_INFINITY);
    expect(error).toMatchObject({ message: MESSAGE });
    expect(notDeleted).toEqual([
      expect.stringMatching(
        /^not deleted: Deployment \S+ \(kubectl delete deployment -n \S+ \S+\): .*session expired/,
      ),
      expect.stringMatching(
        /^not deleted: Namespace \S+ \(kubectl delete namespace \S+\): .*session expired/,
      ),
    ]);
  });
});
