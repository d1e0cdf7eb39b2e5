/** The smoke test of `chandler check` against the simulated clouds: nodes come and go, a failure is explained, nothing is left. */
import { fetchTransport, KubeClient, NAMESPACES } from '@chandler/kube';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import {
  CHECKS,
  judge,
  NO_INPUTS,
  type SmokeResult,
} from '../../../packages/chandler/src/readiness/index.ts';
import { everyNth, inFull } from '../../part.ts';
import { startAwsScenarioHarness } from '../../playground/aws-scenario-harness.ts';
import {
  type ScenarioHarness,
  SMALL_CATALOGUE,
  startScenarioHarness,
} from '../../playground/scenario-harness.ts';
import { claimsOf, inTime, leftovers, smokeRun } from './smoke.fixture.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

const CLOUDS = [
  ['azure', () => startScenarioHarness([], SMALL_CATALOGUE)],
  ['aws', () => startAwsScenarioHarness()],
] as const;

let harness: ScenarioHarness;
afterEach(() => harness.stop());

function verdict(smoke: SmokeResult) {
  const [finding] = judge(
    { ...NO_INPUTS, smoke },
    CHECKS.filter(({ id }) => id === 'S-61'),
    { strict: false },
  ).findings;
  return finding!;
}

async function patchPool(spec: object): Promise<void> {
  await inTime(
    harness,
    harness.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch: { spec } }),
  );
}

describe.each(everyNth('clouds', CLOUDS, 2))('the smoke test on %s', (_, start) => {
  test('ten pods get nodes in time, and the nodes are removed after them', async () => {
    harness = await start();
    const { result, lines } = await smokeRun(harness);
    expect(result, lines.join('\n')).toBeDefined();
    expect(result!.phases.map(({ name, state }) => [name, state])).toEqual([
      ['pending', 'done'],
      ['claims', 'done'],
      ['launched', 'done'],
      ['registered', 'done'],
      ['initialized', 'done'],
      ['running', 'done'],
    ]);
    expect(result).toMatchObject({ running: 10, removal: { state: 'done' }, left: [] });
    expect(result!.nodes[0]).toMatchObject({ nodePool: 'default', capacityType: 'on-demand' });
    expect(result!.nodes.every(({ node, instanceType, zone }) => node && instanceType && zone)).toBe(true);
    expect(verdict(result!)).toMatchObject({ id: 'S-61', status: 'pass' });
    expect(await leftovers(harness)).toEqual([]);
    expect(await claimsOf(harness)).toEqual([]);
  });

  test('a NodePool whose limit is reached: the test stops, says why, and leaves nothing', async () => {
    harness = await start();
    await patchPool({ limits: { cpu: '0' } });
    const { result, lines } = await smokeRun(harness);
    expect(result?.phases.find(({ state }) => state === 'stuck')?.name, lines.join('\n')).toBe('claims');
    expect(result?.why?.cause?.title).toMatch(/limit/i);
    const finding = verdict(result!);
    expect(finding).toMatchObject({ status: 'fail', fix: result?.why?.cause?.fix });
    expect(finding.message).toMatch(/^0 of 10 pods run\. After 2m\d*s? .*limit/);
    expect(result?.left).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
  });

  test('an interrupt while nodes are launched: everything is deleted, then the interrupt is passed on', async () => {
    harness = await start();
    const { result, error, lines } = await smokeRun(harness, {}, /NodeClaims [1-9]/);
    expect(result).toBeUndefined();
    expect(error).toMatchObject({ message: 'stopped by SIGINT' });
    expect(lines.filter((line) => line.startsWith('not deleted'))).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
  });
});

describe('the smoke test', () => {
  test('pods that fit on existing nodes are a warning, in a namespace that is not its own', async () => {
    harness = await startScenarioHarness([], SMALL_CATALOGUE);
    const first = await smokeRun(harness, { awaitsRemoval: false, replicas: 3 });
    expect(first.result).toMatchObject({ removal: { state: 'skipped' }, running: 3 });
    const { result } = await smokeRun(harness, {
      awaitsRemoval: false,
      replicas: 1,
      cpu: '100m',
      namespace: 'default',
      nodePool: 'default',
    });
    expect(result).toMatchObject({ namespace: 'default', nodes: [], left: [] });
    expect(result!.phases.map(({ state }) => state)).toEqual(['done', ...Array(4).fill('notNeeded'), 'done']);
    expect(verdict(result!)).toMatchObject({ status: 'warn' });
    expect(await inTime(harness, harness.admin.find(NAMESPACES, { name: 'default' }))).toBeDefined();
    expect(await leftovers(harness)).toEqual([]);
  });

  test('an API server that cannot be reached for a minute ends nothing, and nothing is left', async () => {
    harness = await startScenarioHarness([], SMALL_CATALOGUE);
    const { clock } = harness.world;
    const send = harness.playground.server.adminFetch;
    let outageFromMs = Number.POSITIVE_INFINITY;
    const client = new KubeClient({
      transport: fetchTransport((url, init) => {
        if (Math.floor((clock.monotonic() - outageFromMs) / 60_000) === 0)
          throw new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } });
        return send(url, init);
      }),
    });
    const first = await smokeRun(harness, {
      client,
      replicas: 3,
      report(line) {
        if (/NodeClaims [1-9]/.test(line)) outageFromMs = Math.min(outageFromMs, clock.monotonic());
      },
    });
    expect(first.error).toBeUndefined();
    expect(first.result).toMatchObject({ running: 3, left: [] });
    expect(await leftovers(harness)).toEqual([]);
    const interrupt = new AbortController();
    const lines: string[] = [];
    const second = await smokeRun(harness, {
      client,
      signal: interrupt.signal,
      report(line) {
        lines.push(line);
        if (!/NodeClaims [1-9]/.test(line)) return;
        outageFromMs = clock.monotonic();
        interrupt.abort(new Error('stopped by SIGINT'));
      },
    });
    expect(second.error).toMatchObject({ message: 'stopped by SIGINT' });
    expect(lines.filter((line) => line.startsWith('not deleted'))).toEqual([]);
    expect(await leftovers(harness)).toEqual([]);
  });

  test.runIf(inFull('nodes that stay after a smoke test'))(
    'nodes that stay are a warning that says why',
    async () => {
      harness = await startScenarioHarness([], SMALL_CATALOGUE);
      await patchPool({ disruption: { consolidateAfter: '1m', budgets: [{ nodes: '0' }] } });
      const { result } = await smokeRun(harness, { replicas: 2 });
      expect(result).toMatchObject({ running: 2, removal: { state: 'unfinished' } });
      expect(result!.removal.why?.text).toMatch(/Why it is not disrupted/);
      expect(verdict(result!)).toMatchObject({ status: 'warn' });
    },
  );

  test.each([
    ['24h', '(consolidateAfter), which is longer than --smoke-timeout (15m)'],
    ['Never', 'does not consolidate (consolidateAfter: Never)'],
  ])(
    'does not wait for a NodePool whose consolidateAfter is %s, and warns that it saw no removal',
    async (consolidateAfter, why) => {
      harness = await startScenarioHarness([], SMALL_CATALOGUE);
      await patchPool({ disruption: { consolidateAfter } });
      const { result } = await smokeRun(harness, { replicas: 2 });
      expect(result).toMatchObject({ running: 2, removal: { state: 'skipped' }, left: [] });
      const { status, message } = verdict(result!);
      expect(status).toBe('warn');
      expect(message).toContain(why);
    },
  );

  test('without permission to create a namespace, nothing is created and nothing is deleted', async () => {
    harness = await startScenarioHarness([], SMALL_CATALOGUE);
    const asked: string[] = [];
    const send = harness.playground.server.fetchAs({ username: 'reader', groups: ['system:authenticated'] });
    const reader = harness.playground.server.adminFetch;
    const client = new KubeClient({
      transport: fetchTransport((url, init) => {
        const method = init?.method ?? 'GET';
        if (method !== 'GET') asked.push(method);
        return (method === 'GET' ? reader : send)(url, init);
      }),
    });
    const { error } = await smokeRun(harness, { client });
    expect(error).toMatchObject({ kind: 'forbidden' });
    expect(asked).toEqual(['POST']);
  });
});
