/** Checks what the comments in examples/playground/ describe, in virtual time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  EVENTS,
  KUBE_YAML,
  type KubeObject,
  NODES,
  PODS,
  type PodStatus,
  type ResourceRef,
} from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import {
  applyObject,
  type Check,
  type ScenarioAction,
} from '../../packages/chandler/src/playground/testing.ts';
import { inFull } from '../part.ts';
import { type ScenarioHarness, startScenarioHarness } from './scenario-harness.ts';

const FOLDER = join(import.meta.dirname, '../../examples/playground');
const TIMEOUT_MS = 120_000;

const whole = inFull('some examples, and all of them together');
let harness: ScenarioHarness;
beforeEach(async () => {
  harness = await startScenarioHarness();
}, TIMEOUT_MS);
afterEach(() => harness.stop());

const objectsOf = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8'), KUBE_YAML).map(
    (one) => one.toJS() as KubeObject,
  );

/** Applies the example and waits until the checks pass. */
async function applied(
  file: string,
  until: readonly Check[],
  actions: readonly ScenarioAction[] = [],
): Promise<void> {
  const apply = objectsOf(file).map((object) => ({ apply: object }));
  const steps = [{ description: file, actions: [...apply, ...actions], until, withinMs: 120_000 }];
  const { result } = await harness.run({ name: file, summary: '', speed: 1, steps });
  expect(result).toEqual({ outcome: 'completed' });
}

async function list(resource: ResourceRef): Promise<readonly KubeObject[]> {
  return (await harness.admin.list(resource)).items;
}

const labelsOf = async (name: string) =>
  (await list(NODE_CLAIMS)).map(({ metadata }) => metadata.labels?.[name] ?? '').sort();

describe('the examples', () => {
  test('each begins with what to do and what to expect', () => {
    for (const file of readdirSync(FOLDER)) {
      const head = readFileSync(join(FOLDER, file), 'utf8').split('\napiVersion')[0]!;
      expect(head, file).toContain(`kubectl apply -f examples/playground/${file}`);
      expect(head, file).toContain('What to expect:');
    }
  });

  test('general.yaml: one node for twelve pods, no pod on the system nodes', async () => {
    await applied('general.yaml', [{ pods: { app: 'general', running: 12 } }, { claims: { exactly: 1 } }]);
    const nodes = new Set((await list(PODS)).map((pod) => (pod['spec'] as { nodeName?: string }).nodeName));
    expect([...nodes].filter((name) => name?.startsWith('system-'))).toEqual([]);
    expect((await list(NODES)).length).toBe(4);
  });

  test.runIf(whole)('zones.yaml: one node in each zone', async () => {
    await applied('zones.yaml', [{ pods: { app: 'zones', running: 6 } }]);
    expect(await labelsOf('topology.kubernetes.io/zone')).toEqual(['eastus-1', 'eastus-2', 'eastus-3']);
  });

  test.runIf(whole)('spot.yaml: nodes of the NodePool spot, with capacity type spot', async () => {
    await applied('spot.yaml', [{ pods: { app: 'spot', running: 4 } }]);
    expect(new Set(await labelsOf('karpenter.sh/capacity-type'))).toEqual(new Set(['spot']));
    expect(new Set(await labelsOf('karpenter.sh/nodepool'))).toEqual(new Set(['spot']));
  });

  test('gpu.yaml: no node is launched and an event says why; the pod runs when another VM family is allowed', async () => {
    await applied('gpu.yaml', [
      { event: { reason: 'FailedScheduling', message: 'incompatible with nodepool "default"' } },
      { claims: { exactly: 0 } },
      { pods: { app: 'gpu', pending: 1 } },
    ]);
    expect((await list(EVENTS)).length).toBeGreaterThan(0);
    const [, path, value] = /"path":"([^"]+)","value":(\[[^\]]+\])/.exec(
      readFileSync(join(FOLDER, 'gpu.yaml'), 'utf8'),
    )!;
    expect(path).toBe('/spec/template/spec/requirements/3/values');
    const pool = structuredClone(harness.playground.cloud!.defaultPool()) as unknown as PoolShape;
    pool.spec.template.spec.requirements[3]!.values = JSON.parse(value!) as string[];
    await harness.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch: { spec: pool.spec } });
    await applied('gpu.yaml', [{ pods: { app: 'gpu', running: 1 } }]);
  });

  test.runIf(whole)(
    'budget.yaml: while the NodeClaims are deleted, at least two pods are always ready',
    async () => {
      await applied('budget.yaml', [{ pods: { app: 'budget', running: 3 } }, { claims: { exactly: 3 } }]);
      const before = (await list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
      const { store } = harness.playground.standins!.watched.pods;
      let fewest = 3;
      const unsubscribe = store.subscribe(() => {
        const serving = [...store.values()].filter(
          ({ metadata, status }) => isReady(status) && !metadata.deletionTimestamp,
        );
        fewest = Math.min(fewest, serving.length);
      });
      const gone = {
        description: 'x',
        actions: [{ deleteClaims: {} }],
        waitMs: 300_000,
        until: [{ pods: ALL_RUNNING }],
      };
      const { result } = await harness.run({ name: 'drain', summary: '', speed: 1, steps: [gone] });
      unsubscribe();
      expect(result).toEqual({ outcome: 'completed' });
      expect(fewest).toBeGreaterThanOrEqual(2);
      const after = (await list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
      expect(after.filter((name) => before.includes(name))).toEqual([]);
    },
  );

  test('encrypted.yaml: the OS disk is encrypted with the disk encryption set of the AKSNodeClass', async () => {
    const set = (objectsOf('encrypted.yaml')[0]!['spec'] as { osDiskDiskEncryptionSetID: string })
      .osDiskDiskEncryptionSetID;
    await applied('encrypted.yaml', [
      { pods: { app: 'encrypted', running: 1 } },
      { disksEncryptedWith: { app: 'encrypted', set } },
      {
        condition: {
          kind: 'NodeClass',
          name: 'encrypted',
          type: 'DiskEncryptionVerified',
          status: 'True',
        },
      },
    ]);
  });

  test.runIf(whole)(
    'all examples can be applied together, and pods use only the NodePools meant for them',
    async () => {
      // The shop has a namespace and a test of its own.
      for (const file of readdirSync(FOLDER).filter((name) => name !== 'shop.yaml'))
        for (const object of objectsOf(file)) await applyObject(harness.admin, object);
      const apps = { general: 12, zones: 6, spot: 4, budget: 3, encrypted: 1 };
      const until = Object.entries(apps).map(([app, running]) => ({ pods: { app, running } }));
      const { result } = await harness.run({
        name: 'all',
        summary: '',
        speed: 1,
        steps: [{ description: 'all', until }],
      });
      expect(result).toEqual({ outcome: 'completed' });
      const pools = await labelsOf('karpenter.sh/nodepool');
      expect(pools.filter((pool) => pool === 'encrypted')).toHaveLength(1);
      expect(pools).toContain('default');
    },
  );
});

const isReady = (status: PodStatus | undefined) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

const ALL_RUNNING = { app: 'budget', running: 3 };

interface PoolShape {
  spec: { template: { spec: { requirements: { values: string[] }[] } } };
}
