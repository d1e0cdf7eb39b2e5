/** What the comments in examples/playground/ promise, in virtual time. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EVENTS, type KubeObject, NODES, PODS, type PodStatus, type ResourceRef } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_NODE_POOL } from '../../packages/chandler/src/playground/index.ts';
import { type Act, applyObject, type Check } from '../../packages/chandler/src/playground/testing.ts';

import { type StoryStage, storyStage } from './story-stage.ts';

const FOLDER = join(import.meta.dirname, '../../examples/playground');
const PATIENCE_MS = 120_000;

let stage: StoryStage;
beforeEach(async () => {
  stage = await storyStage();
}, PATIENCE_MS);
afterEach(() => stage.end());

const objectsOf = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), 'utf8')).map((one) => one.toJS() as KubeObject);

/** Applies the example and waits for what is to come of it. */
async function applied(file: string, until: readonly Check[], acts: readonly Act[] = []): Promise<void> {
  const apply = objectsOf(file).map((object) => ({ apply: object }));
  const steps = [{ say: file, acts: [...apply, ...acts], until, withinMs: 120_000 }];
  const { end } = await stage.play({ name: file, summary: '', speed: 1, steps });
  expect(end).toEqual({ end: 'told' });
}

async function list(resource: ResourceRef): Promise<readonly KubeObject[]> {
  return (await stage.admin.list(resource)).items;
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

  test('general.yaml: one machine for twelve pods, none on the system nodes', async () => {
    await applied('general.yaml', [{ pods: { app: 'general', running: 12 } }, { claims: { exactly: 1 } }]);
    const nodes = new Set((await list(PODS)).map((pod) => (pod['spec'] as { nodeName?: string }).nodeName));
    expect([...nodes].filter((name) => name?.startsWith('system-'))).toEqual([]);
    expect((await list(NODES)).length).toBe(4);
  });

  test('zones.yaml: a machine in each zone', async () => {
    await applied('zones.yaml', [{ pods: { app: 'zones', running: 6 } }]);
    expect(await labelsOf('topology.kubernetes.io/zone')).toEqual(['eastus-1', 'eastus-2', 'eastus-3']);
  });

  test('spot.yaml: machines of the spot pool, at spot prices', async () => {
    await applied('spot.yaml', [{ pods: { app: 'spot', running: 4 } }]);
    expect(new Set(await labelsOf('karpenter.sh/capacity-type'))).toEqual(new Set(['spot']));
    expect(new Set(await labelsOf('karpenter.sh/nodepool'))).toEqual(new Set(['spot']));
  });

  test('gpu.yaml: nothing is bought, the pod says why; with another family allowed it runs', async () => {
    await applied('gpu.yaml', [
      { event: { reason: 'FailedScheduling', words: 'incompatible with nodepool "default"' } },
      { claims: { exactly: 0 } },
      { pods: { app: 'gpu', pending: 1 } },
    ]);
    expect((await list(EVENTS)).length).toBeGreaterThan(0);
    const [, path, value] = /"path":"([^"]+)","value":(\[[^\]]+\])/.exec(
      readFileSync(join(FOLDER, 'gpu.yaml'), 'utf8'),
    )!;
    expect(path).toBe('/spec/template/spec/requirements/3/values');
    const pool = structuredClone(DEFAULT_NODE_POOL) as unknown as PoolShape;
    pool.spec.template.spec.requirements[3]!.values = JSON.parse(value!) as string[];
    await stage.admin.patch(NODE_POOLS, { name: 'default' }, { type: 'merge', patch: { spec: pool.spec } });
    await applied('gpu.yaml', [{ pods: { app: 'gpu', running: 1 } }]);
  });

  test('budget.yaml: the claims are deleted, and at any time two pods run', async () => {
    await applied('budget.yaml', [{ pods: { app: 'budget', running: 3 } }, { claims: { exactly: 3 } }]);
    const before = (await list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
    const { store } = stage.playground.standins!.watched.pods;
    let fewest = 3;
    const unsubscribe = store.subscribe(() => {
      const serving = [...store.values()].filter(
        ({ metadata, status }) => isReady(status) && !metadata.deletionTimestamp,
      );
      fewest = Math.min(fewest, serving.length);
    });
    const gone = { say: 'x', acts: [{ deleteClaims: {} }], waitMs: 300_000, until: [{ pods: RUN_AGAIN }] };
    const { end } = await stage.play({ name: 'drain', summary: '', speed: 1, steps: [gone] });
    unsubscribe();
    expect(end).toEqual({ end: 'told' });
    expect(fewest).toBeGreaterThanOrEqual(2);
    const after = (await list(NODE_CLAIMS)).map(({ metadata }) => metadata.name);
    expect(after.filter((name) => before.includes(name))).toEqual([]);
  });

  test('encrypted.yaml: the disk is encrypted with the set of the class', async () => {
    const set = (objectsOf('encrypted.yaml')[0]!['spec'] as { osDiskDiskEncryptionSetID: string })
      .osDiskDiskEncryptionSetID;
    await applied('encrypted.yaml', [
      { pods: { app: 'encrypted', running: 1 } },
      { disksEncryptedWith: { app: 'encrypted', set } },
      {
        condition: {
          kind: 'AKSNodeClass',
          name: 'encrypted',
          type: 'DiskEncryptionVerified',
          status: 'True',
        },
      },
    ]);
  });

  test('they can all be applied at once, and pods of one stay off the special pools of another', async () => {
    for (const file of readdirSync(FOLDER))
      for (const object of objectsOf(file)) await applyObject(stage.admin, object);
    const apps = { general: 12, zones: 6, spot: 4, budget: 3, encrypted: 1 };
    const until = Object.entries(apps).map(([app, running]) => ({ pods: { app, running } }));
    const { end } = await stage.play({ name: 'all', summary: '', speed: 1, steps: [{ say: 'all', until }] });
    expect(end).toEqual({ end: 'told' });
    const pools = await labelsOf('karpenter.sh/nodepool');
    expect(pools.filter((pool) => pool === 'encrypted')).toHaveLength(1);
    expect(pools).toContain('default');
  });
});

const isReady = (status: PodStatus | undefined) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

const RUN_AGAIN = { app: 'budget', running: 3 };

interface PoolShape {
  spec: { template: { spec: { requirements: { values: string[] }[] } } };
}
