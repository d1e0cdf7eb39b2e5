/** Checks of a cluster from inside: the result as a ConfigMap of bounded size and as metrics, with the roles of deploy/ and examples/. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADMIN } from '@chandler/apiserver';
import {
  CLUSTER_ROLE_BINDINGS,
  CONFIG_MAPS,
  fetchTransport,
  KUBE_YAML,
  KubeClient,
  type KubeObject,
  promMetrics,
  type ResourceRef,
  ROLE_BINDINGS,
  resources,
  STORAGE_CLASSES,
  type Transport,
} from '@chandler/kube';
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type Playground, startPlayground } from '../../../packages/chandler/src/playground/index.ts';
import {
  CHECKS,
  type Finding,
  judge,
  NO_INPUTS,
  RESULT_CONFIG_MAP,
  type Report,
  type WatchOptions,
  watchReadiness,
} from '../../../packages/chandler/src/readiness/index.ts';
import { renderPrometheus, resultData } from '../../../packages/chandler/src/readiness/testing.ts';

const ROOT = join(import.meta.dirname, '../../..');
let world: VirtualWorld;
let playground: Playground;
let admin: KubeClient;

beforeEach(async () => {
  world = virtualWorld();
  playground = await startPlayground({ world, port: false, systemNodes: 1, azure: false });
  admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
});
afterEach(() => playground.stop());

async function apply(file: string): Promise<readonly KubeObject[]> {
  const objects = parseAllDocuments(readFileSync(join(ROOT, file), 'utf8'), KUBE_YAML).map(
    (document) => document.toJS() as KubeObject,
  );
  const known = Object.values(resources).filter((one): one is ResourceRef => typeof one === 'object');
  for (const object of objects) await admin.create(known.find(({ kind }) => kind === object.kind)!, object);
  return objects;
}

interface Watching {
  readonly lines: string[];
  readonly metrics: ReturnType<typeof promMetrics>;
  leads: boolean;
  stop(): Promise<void>;
}

/** @param client Makes the client of the transport. */
function watching(
  account: string,
  namespace: string,
  client = (transport: Transport) => new KubeClient({ transport }),
  given: Partial<WatchOptions> = {},
): Watching {
  const stopping = new AbortController();
  const send = playground.server.fetchAs({
    username: `system:serviceaccount:${account}`,
    groups: ['system:serviceaccounts', 'system:authenticated'],
  });
  const metrics = promMetrics({ processMetrics: false });
  const state = { lines: [] as string[], metrics, leads: true };
  const ended = watchReadiness({
    client: client(fetchTransport(send)),
    clock: world.clock,
    metrics,
    configMap: { namespace, name: RESULT_CONFIG_MAP },
    intervalMs: 60_000,
    isLeading: () => state.leads,
    finished: ({ score }) => state.lines.push(`fail ${score.checks.fail}`),
    failed: (message) => state.lines.push(message),
    signal: stopping.signal,
    ...given,
  });
  const result: Watching = Object.assign(state, {
    async stop() {
      stopping.abort();
      await ended;
    },
  });
  return result;
}

async function result(namespace: string) {
  const found = await admin.find(CONFIG_MAPS, { namespace, name: RESULT_CONFIG_MAP });
  const data = found?.['data'] as { summary: string; result: string } | undefined;
  return data === undefined ? undefined : { ...data, report: JSON.parse(data.result) };
}

const idsOf = (findings: readonly { id: string }[]) => findings.map(({ id }) => id);

describe('a cluster that is watched', () => {
  test('has its result in a ConfigMap and in metrics, and the next result replaces it', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    const watch = watching('kube-system:chandler', 'kube-system');
    await world.clock.advance(1_000);
    const first = await result('kube-system');
    expect(first?.summary).toMatch(/^Readiness: \d+ %.* Next: /);
    expect(first?.report).toMatchObject({ schemaVersion: '1.0', omitted: 0, unread: [] });
    expect(idsOf(first!.report.findings)).toContain('S-23');
    expect(idsOf(first!.report.findings)).not.toContain('K-64');
    const text = await watch.metrics.text();
    expect(text).toMatch(/^chandler_check_score_percent \d+$/m);
    expect(text).toMatch(/^chandler_check_open\{.*id="S-23".*\} 1$/m);
    expect(text).toMatch(/^chandler_check_last_run_timestamp_seconds \d/m);
    await admin.create(STORAGE_CLASSES, {
      apiVersion: 'storage.k8s.io/v1',
      kind: 'StorageClass',
      metadata: { name: 'old' },
      provisioner: 'kubernetes.io/aws-ebs',
    });
    await world.clock.advance(61_000);
    expect(idsOf((await result('kube-system'))!.report.findings)).toContain('K-64');
    await watch.stop();
  });

  test('has no findings that somebody has accepted, or that were not asked for', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    const storageClass = (name: string, annotations: Readonly<Record<string, string>>) =>
      admin.create(STORAGE_CLASSES, {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name, annotations },
        provisioner: 'kubernetes.io/aws-ebs',
      });
    await storageClass('accepted', {
      'readiness/ignore': 'K-64 until 2999-01-31: it goes with the old pool',
    });
    await storageClass('of-418295670013', {});
    const watch = watching('kube-system:chandler', 'kube-system', undefined, {
      checks: CHECKS.filter(({ id }) => id === 'K-64'),
      redact: true,
    });
    await world.clock.advance(1_000);
    const { findings } = (await result('kube-system'))!.report;
    expect(findings.map(({ id, object }: Finding) => [id, object])).toEqual([
      ['K-64', 'StorageClass/of-[account]'],
    ]);
    await watch.stop();
  });

  test('is not checked by a replica that does not lead', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    const watch = watching('kube-system:chandler', 'kube-system');
    watch.leads = false;
    await world.clock.advance(120_000);
    // The first check had begun before.
    const checks = watch.lines.length;
    await world.clock.advance(600_000);
    expect(watch.lines.length).toBe(checks);
    watch.leads = true;
    await world.clock.advance(11_000);
    expect(watch.lines.length).toBe(checks + 1);
    await watch.stop();
  });

  test('without permission to write, says so, counts it, and tries again', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    await admin.delete(ROLE_BINDINGS, { namespace: 'kube-system', name: 'chandler-check' });
    const watch = watching('kube-system:chandler', 'kube-system');
    await world.clock.advance(61_000);
    expect(watch.lines).toHaveLength(2);
    expect(watch.lines[0]).toMatch(/configmaps.*forbidden|forbidden.*configmaps/);
    expect(await watch.metrics.text()).toMatch(/^chandler_check_failures_total 2$/m);
    await watch.stop();
  });

  test('of which nothing can be read: says so, counts it, and keeps the last result', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    const watch = watching('kube-system:chandler', 'kube-system');
    await world.clock.advance(1_000);
    const last = await result('kube-system');
    await admin.delete(CLUSTER_ROLE_BINDINGS, { name: 'chandler-check' });
    await world.clock.advance(60_000);
    expect(watch.lines).toEqual([
      expect.stringMatching(/^fail \d+$/),
      'the cluster cannot be read: the permission to list nodepools.karpenter.sh is missing',
    ]);
    expect(await result('kube-system')).toEqual(last);
    const text = await watch.metrics.text();
    expect(text).toMatch(/^chandler_check_failures_total 1$/m);
    expect(text).not.toMatch(/^chandler_check_score_percent/m);
    await watch.stop();
  });

  test('goes on after a program error, counts it, and has no metrics of an earlier result meanwhile', async () => {
    await apply('deploy/rbac-readiness-check.yaml');
    let isBroken = false;
    const watch = watching('kube-system:chandler', 'kube-system', (transport) => {
      const client = new KubeClient({ transport });
      const patch = client.patch.bind(client);
      return Object.assign(client, {
        patch: (...args: Parameters<typeof patch>) => {
          if (isBroken) throw new TypeError('names is not iterable');
          return patch(...args);
        },
      });
    });
    await world.clock.advance(1_000);
    expect(await watch.metrics.text()).toMatch(/^chandler_check_score_percent \d+$/m);
    isBroken = true;
    await world.clock.advance(60_000);
    expect(watch.lines[1]).toMatch(/^TypeError: names is not iterable\n +at /);
    const text = await watch.metrics.text();
    expect(text).toMatch(/^chandler_check_failures_total 1$/m);
    expect(text).toMatch(/^chandler_check_last_run_timestamp_seconds \d/m);
    expect(text).not.toMatch(/^chandler_check_(score_percent|checks|findings|open|unread_inputs)\b/m);
    isBroken = false;
    await world.clock.advance(60_000);
    expect(watch.lines[2]).toMatch(/^fail \d+$/);
    expect(await watch.metrics.text()).toMatch(/^chandler_check_score_percent \d+$/m);
    await watch.stop();
  });
});

/** A report with 5,000 findings. */
function reportOf(finding: (index: number) => Partial<Finding>): Report {
  const report = judge(NO_INPUTS, CHECKS, { strict: false });
  const [any] = report.findings;
  return {
    ...report,
    findings: Array.from({ length: 5_000 }, (_, index) => ({ ...any!, ...finding(index) })),
  };
}

test('metrics count what is open by check, however many objects it is about', () => {
  const report = reportOf((index) => ({
    id: index % 2 === 0 ? 'K-01' : 'K-02',
    status: 'fail',
    severity: 'high',
    object: `Node/${index}`,
  }));
  const lines = renderPrometheus(report)
    .split('\n')
    .filter((line) => line.startsWith('chandler_check_open{'));
  expect(lines.map((line) => line.replace(/,phase="\d"/, ''))).toEqual([
    'chandler_check_open{id="K-01",status="fail",severity="high"} 2500',
    'chandler_check_open{id="K-02",status="fail",severity="high"} 2500',
  ]);
});

test('the CronJob of examples/check has the permissions that it needs', async () => {
  await apply('deploy/rbac-readiness-check.yaml');
  const objects = await apply('examples/check/cronjob.yaml');
  const job = JSON.stringify(objects.find(({ kind }) => kind === 'CronJob'));
  expect(job).toContain(
    '["check","--live-cluster","--config-map","chandler-check/chandler-check","--exit-zero"]',
  );
  const watch = watching('chandler-check:chandler-check', 'chandler-check');
  await world.clock.advance(1_000);
  expect((await result('chandler-check'))?.report).toMatchObject({ unread: [] });
  await watch.stop();
});

test('a result with thousands of findings is cut, worst first, and says how many are left out', () => {
  const report = reportOf((index) => ({
    status: index === 4_999 ? 'fail' : 'warn',
    object: `Deployment/${index}`,
    message: 'x'.repeat(100),
  }));
  const { result: text } = resultData(report);
  expect(text.length).toBeLessThan(200 * 1024);
  const { findings, omitted } = JSON.parse(text);
  expect(findings[0]).toMatchObject({ status: 'fail', object: 'Deployment/4999' });
  expect(findings.length + omitted).toBe(5_000);
});
