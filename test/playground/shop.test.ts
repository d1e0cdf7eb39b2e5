/** A shop as a Helm chart would install it: examples/playground/shop.yaml, in virtual time and with the real kubectl. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  conditionOf,
  JOBS,
  KUBE_YAML,
  type KubeClient,
  type KubeObject,
  PERSISTENT_VOLUME_CLAIMS,
  PERSISTENT_VOLUMES,
  PODS,
  STORAGE_CLASSES,
} from '@chandler/kube';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type PlaygroundProcess, ROOT, startProcess } from './process.ts';
import { type ScenarioHarness, SMALL_CATALOGUE, startScenarioHarness } from './scenario-harness.ts';

const SHOP = join(ROOT, 'examples/playground/shop.yaml');
const TIMEOUT_MS = 120_000;
const shop = () =>
  parseAllDocuments(readFileSync(SHOP, 'utf8'), KUBE_YAML).map((one) => one.toJS() as KubeObject);

describe('the shop', () => {
  let harness: ScenarioHarness | undefined;
  afterEach(async () => {
    await harness?.stop();
    harness = undefined;
  });

  test(
    'contains the kinds that charts usually contain, and all of it runs',
    async () => {
      const kinds = new Set(shop().map((object) => object['kind']));
      for (const kind of KINDS) expect(kinds, kind).toContain(kind);

      harness = await startScenarioHarness([], SMALL_CATALOGUE);
      const { admin, world } = harness;
      for (const object of shop()) await apply(admin, object);
      const phases = async () => {
        const pods = (await admin.list(PODS, { namespace: 'shop' })).items;
        return pods.map(({ metadata, status }) => `${metadata.labels?.['app']} ${status?.phase}`).sort();
      };
      await until(world, async () => (await phases()).join() === RUNNING.join());
      expect(await phases()).toEqual(RUNNING);
      const job = (await admin.list(JOBS, { namespace: 'shop' })).items[0]!;
      expect(conditionOf(job, 'Complete')?.status).toBe('True');
    },
    TIMEOUT_MS,
  );

  test(
    'its claims are bound to volumes of the StorageClasses of AKS: a disk in one zone, a file share in none',
    async () => {
      harness = await startScenarioHarness([], SMALL_CATALOGUE);
      const { admin, world } = harness;
      const classes = (await admin.list(STORAGE_CLASSES)).items.map(({ metadata }) => metadata.name);
      expect(classes).toEqual(AKS_CLASSES);
      for (const object of shop()) await apply(admin, object);
      const bound = async () =>
        (await admin.list(PERSISTENT_VOLUME_CLAIMS, { namespace: 'shop' })).items.filter(
          ({ status }) => status?.phase === 'Bound',
        );
      await until(world, async () => (await bound()).length === 2);
      const volumes = (await admin.list(PERSISTENT_VOLUMES)).items;
      const affinityOf = (driver: string) =>
        volumes.find(({ spec }) => spec.csi?.driver === driver)?.spec['nodeAffinity'];
      expect(JSON.stringify(affinityOf('disk.csi.azure.com'))).toContain('topology.kubernetes.io/zone');
      expect(affinityOf('file.csi.azure.com')).toBeUndefined();
    },
    TIMEOUT_MS,
  );
});

/** As `kubectl apply --server-side`: the resource of a kind is taken from the server. */
async function apply(admin: KubeClient, object: KubeObject): Promise<void> {
  const { apiVersion = '', kind = '', metadata } = object;
  const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
  const { resources } = JSON.parse(await admin.raw(root)) as {
    resources: { name: string; kind: string; namespaced: boolean }[];
  };
  const found = resources.find((one) => one.kind === kind && !one.name.includes('/'));
  if (found === undefined) throw new Error(`the server has no ${kind} in ${apiVersion}`);
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const { name: plural, namespaced } = found;
  const { name = '', namespace } = metadata;
  await admin.patch(
    { group, version, plural, kind, namespaced },
    { name, ...(namespaced ? { namespace: namespace ?? 'default' } : {}) },
    { type: 'apply', patch: object },
    { fieldManager: 'shop', force: true },
  );
}

/** Advances virtual time until it is true, for at most ten minutes. */
async function until({ clock }: ScenarioHarness['world'], isTrue: () => Promise<boolean>): Promise<void> {
  for (let second = 0; second < 600 && !(await isTrue()); second++) await clock.advance(1_000);
}

const found = spawnSync('kubectl', ['version', '--client']);
const noKubectl = found.error === undefined ? undefined : 'kubectl is not on the PATH';
if (noKubectl !== undefined) process.stderr.write(`skipped: kubectl against the playground: ${noKubectl}\n`);

describe.skipIf(noKubectl !== undefined)('kubectl against the playground', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chandler-shop-'));
  const kubeconfig = join(folder, 'kubeconfig');
  let playground: PlaygroundProcess;
  beforeAll(async () => {
    playground = startProcess(['--write-kubeconfig', kubeconfig, '--no-controller']);
    await playground.ready;
  }, TIMEOUT_MS);
  afterAll(async () => {
    expect(await playground.stop()).toBe(0);
    rmSync(folder, { recursive: true });
  });

  const env = { ...process.env, KUBECONFIG: kubeconfig, HOME: folder };
  const run = (...args: readonly string[]) => {
    const { status, stdout, stderr } = spawnSync('kubectl', args, { env, encoding: 'utf8', timeout: 60_000 });
    return { status, out: stdout, err: stderr };
  };

  test(
    'applies the shop, also on the server side and a second time',
    () => {
      const apply = (...more: string[]) =>
        execFileSync('kubectl', ['apply', '-f', SHOP, ...more], { env, encoding: 'utf8' });
      expect(apply()).toContain('horizontalpodautoscaler.autoscaling/web created');
      expect(apply()).toContain('horizontalpodautoscaler.autoscaling/web unchanged');
      expect(apply('--server-side', '--force-conflicts')).toContain(
        'horizontalpodautoscaler.autoscaling/web',
      );
      expect(run('-n', 'shop', 'get', 'hpa').out).toMatch(
        /web +Deployment\/web +cpu: <unknown>\/70% +2 +10 +0/,
      );
    },
    TIMEOUT_MS,
  );

  test('reports a kind of an unknown group in its usual sentence', () => {
    const file = join(folder, 'monitor.yaml');
    writeFileSync(
      file,
      'apiVersion: monitoring.coreos.com/v1\nkind: ServiceMonitor\nmetadata: { name: web }\nspec: {}\n',
    );
    const { status, err } = run('apply', '-f', file);
    expect(status).toBe(1);
    expect(err).toContain('no matches for kind "ServiceMonitor" in version "monitoring.coreos.com/v1"');
    expect(err).toContain('ensure CRDs are installed first');
  });

  test('explains the fields of built-in kinds', () => {
    const explained = run('explain', 'pod.spec.containers.resources').out;
    expect(explained).toMatch(/limits\t<map\[string\]Quantity>/);
    const autoscaler = run('explain', 'hpa.spec').out;
    expect(autoscaler).toMatch(/maxReplicas\t<integer> -required-/);
    expect(run('explain', 'deployment').out).toContain('https://kubernetes.io/docs/reference/');
  });

  test.each([
    ['logs', ['logs', 'x']],
    ['exec', ['exec', 'x', '--', 'ls']],
    ['attach', ['attach', 'x']],
    ['port-forward', ['port-forward', 'pod/x', '18080:80']],
  ])('%s says that no container is run', (_name, args) => {
    run('run', 'x', '--image=nginx');
    run('wait', '--for=condition=Ready', 'pod/x', '--timeout=30s');
    const { status, err } = run(...args);
    expect(status).toBe(1);
    expect(err).toContain('no container is run');
  });
});

const KINDS = [
  'HorizontalPodAutoscaler',
  'ReplicaSet',
  'Job',
  'CronJob',
  'Ingress',
  'NetworkPolicy',
  'ServiceAccount',
  'Role',
  'RoleBinding',
  'ClusterRole',
  'ClusterRoleBinding',
  'PodDisruptionBudget',
  'PriorityClass',
  'StorageClass',
  'ResourceQuota',
  'LimitRange',
];

const RUNNING = [
  'shop-cache Running',
  'shop-database Running',
  'shop-migrate Succeeded',
  'shop-web Running',
  'shop-web Running',
];

const AKS_CLASSES = [
  'azurefile',
  'azurefile-csi',
  'azurefile-csi-premium',
  'azurefile-premium',
  'default',
  'managed',
  'managed-csi',
  'managed-csi-premium',
  'managed-premium',
];
