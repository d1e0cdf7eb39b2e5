/** The status of a pool, and what its writes trigger. */
import { CUSTOM_RESOURCE_DEFINITIONS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage, settledPod } from './all-controllers.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const advance = (ms: number) => full.stage.world.clock.advance(ms);

interface PoolStatus {
  readonly resources?: Record<string, string>;
  readonly nodes?: number;
  readonly nodeClassObservedGeneration?: number;
  readonly conditions?: { readonly type: string; readonly status: string }[];
}

const status = async () => (await full.stage.get(NODE_POOLS, 'general'))?.['status'] as PoolStatus;
const poolWrites = () => full.stage.writes.filter((write) => /nodepools\/general/.test(write)).length;
const healthOf = ({ conditions = [] }: PoolStatus) =>
  conditions.find(({ type }) => type === 'NodeRegistrationHealthy')?.status;

test('a resource that no node of the pool has any more is removed from its status, once', async () => {
  full = await fullStage();
  await settledPod(full);
  await advance(5_000);
  const patch = { status: { resources: { 'nvidia.com/gpu': '4' } } };
  await full.stage.admin.patchStatus(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
  await advance(5_000);
  expect((await status()).resources).not.toHaveProperty('nvidia.com/gpu');
  expect((await status()).resources).toMatchObject({ cpu: '2', nodes: '1' });
  const before = poolWrites();
  await advance(30 * MINUTE_MS);
  expect(poolWrites()).toBe(before);
});

test('a write of the status of a pool does not check its claims for drift again; an edit does', async () => {
  full = await fullStage();
  await settledPod(full);
  await advance(15 * MINUTE_MS);
  const reconciles = () =>
    [...full.stage.world.values]
      .filter(([key]) =>
        key.startsWith('controller_runtime_reconcile_total{controller="nodeclaim.disruption"'),
      )
      .reduce((sum, [, value]) => sum + value, 0);
  const before = reconciles();
  const patch = { status: { resources: { cpu: '77' } } };
  await full.stage.admin.patchStatus(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
  await advance(3_000);
  expect(reconciles()).toBe(before);
  const edit = { spec: { template: { metadata: { labels: { team: 'red' } } } } };
  await full.stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch: edit });
  await advance(3_000);
  expect(reconciles()).toBeGreaterThan(before);
});

describe('with an older CRD of NodePool, which drops nodeClassObservedGeneration and status.nodes', () => {
  async function withOlderCrd(): Promise<void> {
    full = await fullStage();
    const name = 'nodepools.karpenter.sh';
    const { stage } = full;
    const definition = structuredClone(await stage.admin.get(CUSTOM_RESOURCE_DEFINITIONS, { name }));
    type Version = {
      subresources?: { scale?: unknown };
      schema: { openAPIV3Schema: { properties: { status: { properties: Record<string, unknown> } } } };
    };
    for (const version of (definition['spec'] as { versions: Version[] }).versions) {
      const { properties } = version.schema.openAPIV3Schema.properties.status;
      delete properties['nodeClassObservedGeneration'];
      delete properties['nodes'];
      delete version.subresources?.scale;
    }
    await stage.admin.update(CUSTOM_RESOURCE_DEFINITIONS, definition);
    await advance(2_000);
  }

  test('registration health stays True, also across a restart, and nothing is written again and again', async () => {
    await withOlderCrd();
    await settledPod(full);
    await advance(15 * MINUTE_MS);
    expect(await status()).not.toHaveProperty('nodes');
    expect(healthOf(await status())).toBe('True');
    const before = poolWrites();
    await advance(60 * MINUTE_MS);
    expect(poolWrites()).toBe(before);
    await full.restart();
    await advance(15 * MINUTE_MS);
    expect(healthOf(await status())).toBe('True');
    expect(poolWrites()).toBeLessThanOrEqual(before + 2);
  });

  test('an edit of the class still resets registration health', async () => {
    await withOlderCrd();
    await settledPod(full);
    await advance(5_000);
    expect(healthOf(await status())).toBe('True');
    const edit = { type: 'merge' as const, patch: { spec: { tags: { team: 'red' } } } };
    await full.stage.admin.patch(AKS_NODE_CLASSES, { name: 'default' }, edit);
    await advance(5_000);
    expect(healthOf(await status())).toBe('Unknown');
  });
});
