/** NodePools that are edited while a plan is computed: a node has the template whose hash it has. */
import { type KubeObject, PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { claims, driftAll, nodeNames, runningWorkloads } from './disruption.fixture.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

const TIMEOUT_MS = 120_000;
const MINUTE_MS = 60_000;
const HASH = 'karpenter.sh/nodepool-hash';

let full: FullStage;
afterEach(() => full.stage.end());

/** Edits the pool once while the cloud is asked for instance types, which takes a moment. */
function editDuringPlan(template: object, when: () => Promise<boolean>): { readonly done: boolean } {
  const { stage } = full;
  const answer = stage.cloud.instanceTypes;
  const edit = { done: false };
  stage.cloud.instanceTypes = async (...request) => {
    const types = await answer(...request);
    if (!edit.done && (await when())) {
      edit.done = true;
      const patch = { spec: { template } };
      await stage.admin.patch(NODE_POOLS, { name: 'general' }, { type: 'merge', patch });
      await stage.world.clock.sleep(500);
    }
    return types;
  };
  return edit;
}

/** Claims that never drift, because they have the hash of their pool. */
async function undrifted(): Promise<readonly KubeObject[]> {
  const hash = (await full.stage.get(NODE_POOLS, 'general'))?.metadata.annotations?.[HASH];
  return (await claims(full)).filter(({ metadata }) => metadata.annotations?.[HASH] === hash);
}

test('a NodePool that is edited while pods are planned gets nodes of its new template', async () => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('general'));
  await stage.world.clock.advance(5_000);
  const taints = [{ key: 'team', value: 'a', effect: 'NoSchedule' }];
  const edit = editDuringPlan(
    { spec: { taints } },
    async () => (await stage.admin.list(PODS)).items.length > 0,
  );
  const tolerations = [{ key: 'team', operator: 'Exists' }];
  await stage.apply(PODS, pod('a', { tolerations }));
  await stage.until('a claim exists', async () => (await claims(full)).length > 0);
  expect(edit.done).toBe(true);
  await stage.world.clock.advance(5_000);
  expect((await undrifted()).map((claim) => (claim['spec'] as { taints?: object[] }).taints)).toEqual([
    taints,
  ]);
});

test(
  'a NodePool that is edited while its drifted node is planned gets a replacement of its new template',
  async () => {
    full = await runningWorkloads({ a: '9' }, { disruption: { consolidateAfter: 'Never' } });
    const { stage } = full;
    await stage.world.clock.advance(MINUTE_MS);
    const [old] = await nodeNames(full);
    const drifted = async () =>
      (await stage.admin.list(NODE_CLAIMS)).items.some(({ status }) =>
        (status?.conditions ?? []).some(({ type, status: value }) => type === 'Drifted' && value === 'True'),
      );
    const edit = editDuringPlan({ metadata: { labels: { version: '3' } } }, drifted);
    await driftAll(full);
    await stage.until(
      'a replacement exists',
      async () => (await claims(full)).some(({ metadata }) => `aks-${metadata.name}` !== old),
      5 * MINUTE_MS,
    );
    expect(edit.done).toBe(true);
    await stage.world.clock.advance(5_000);
    expect((await undrifted()).map(({ metadata }) => metadata.labels?.['version'])).toEqual(['3']);
  },
  TIMEOUT_MS,
);
