/** Objects of a newer version: CRDs of a later release, with values that this release does not know. */
import { CUSTOM_RESOURCE_DEFINITIONS, PODS } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';
import { conditionOf } from './story.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;

beforeEach(async () => {
  ground = await embeddedGround({ quiet: true });
  for (const name of [
    'nodepools.karpenter.sh',
    'nodeclaims.karpenter.sh',
    'aksnodeclasses.karpenter.azure.com',
  ])
    await loosen(name);
  await ground.startOperator();
  await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await ground.apply(NODE_POOLS, pool('default'));
});
afterEach(() => ground.end());

const later = (ms: number) => ground.stage.world.clock.advance(ms);

describe('objects that a newer version wrote', () => {
  test('an unknown operator in a requirement: the pool names it, and other pools are not affected', async () => {
    const made = pool('newer') as { spec: { template: { spec: { requirements: object[] } } } };
    made.spec.template.spec.requirements.push({
      key: 'kubernetes.io/arch',
      operator: 'Resembles',
      values: ['amd64'],
    });
    await ground.apply(NODE_POOLS, made);
    await later(5_000);
    expect(conditionOf(await ground.find(NODE_POOLS, 'newer'), 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      message: 'spec.template.spec.requirements[0].operator: "Resembles" is not supported',
    });
    await othersGoOn();
  });

  test('an unknown image family: the class names it, its pool is not ready, and other pools are not affected', async () => {
    await ground.apply(AKS_NODE_CLASSES, {
      ...NODE_CLASS,
      metadata: { name: 'newer' },
      spec: { imageFamily: 'Ubuntu2804' },
    });
    const made = pool('newer') as { spec: { template: { spec: { nodeClassRef: { name: string } } } } };
    made.spec.template.spec.nodeClassRef.name = 'newer';
    await ground.apply(NODE_POOLS, made);
    await later(30_000);
    const nodeClass = await ground.find(AKS_NODE_CLASSES, 'newer');
    expect(conditionOf(nodeClass, 'Ready')?.status).toBe('False');
    expect(conditionOf(nodeClass, 'ImagesReady')).toMatchObject({
      status: 'False',
      reason: 'ImagesNotFound',
      message: expect.stringContaining('spec.imageFamily: Ubuntu2804 is not supported'),
    });
    expect(conditionOf(await ground.find(NODE_POOLS, 'newer'), 'NodeClassReady')?.status).toBe('False');
    await othersGoOn();
  });

  test('durations in an unknown form: claims are kept, and others are not affected', async () => {
    await othersGoOn('first');
    const [claim] = await ground.list(NODE_CLAIMS);
    await ground.apply(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: {
        name: 'newer',
        labels: { 'karpenter.sh/nodepool': 'default' },
        // It is empty, and would be removed for that.
        annotations: { 'karpenter.sh/do-not-disrupt': 'true' },
      },
      spec: { ...(claim!['spec'] as object), expireAfter: 'P30D', terminationGracePeriod: 'soon' },
    });
    await later(10 * 60_000);
    expect(await ground.find(NODE_CLAIMS, 'newer')).toBeDefined();
    await othersGoOn('second');
  });

  test('unknown conditions and annotations are kept', async () => {
    await othersGoOn('first');
    const [claim] = await ground.list(NODE_CLAIMS);
    const name = claim!.metadata.name!;
    const { conditions } = claim!['status'] as { conditions: object[] };
    const unknown = {
      type: 'Hibernated',
      status: 'Unknown',
      reason: 'Soon',
      message: 'x',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    };
    const { admin, inTime } = ground.stage;
    const patch = { status: { conditions: [...conditions, unknown] } };
    await inTime(admin.patchStatus(NODE_CLAIMS, { name }, { type: 'merge', patch }));
    const annotations = {
      'karpenter.sh/nodepool-hash': '1',
      'karpenter.sh/nodepool-hash-version': 'v9',
      'karpenter.sh/of-the-future': 'yes',
    };
    await inTime(admin.patch(NODE_CLAIMS, { name }, { type: 'merge', patch: { metadata: { annotations } } }));
    await later(20 * 60_000);
    const after = await ground.find(NODE_CLAIMS, name);
    expect(conditionOf(after, 'Hibernated')).toMatchObject({ reason: 'Soon' });
    expect(conditionOf(after, 'Drifted'), 'hashes of two versions cannot be compared').toBeUndefined();
    expect(after?.metadata.annotations).toMatchObject(annotations);
    await othersGoOn('second');
  });
});

// ---------------------------------------------------------------------------------------------------

async function othersGoOn(name = 'other'): Promise<void> {
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1500m' } } }];
  await ground.apply(PODS, pod(name, { containers, nodeSelector: { 'karpenter.sh/nodepool': 'default' } }));
  await ground.stage.until(
    `the pod ${name} runs`,
    async () => {
      const found = (await ground.list(PODS)).find(({ metadata }) => metadata.name === name);
      return (found?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
    },
    120_000,
  );
}

/** The same kind, with every enumeration, pattern and rule taken out: whatever a newer one would allow. */
async function loosen(name: string): Promise<void> {
  const { admin, inTime } = ground.stage;
  const definition = structuredClone(await inTime(admin.get(CUSTOM_RESOURCE_DEFINITIONS, { name })));
  withoutRules(definition['spec']);
  await inTime(admin.update(CUSTOM_RESOURCE_DEFINITIONS, definition));
}

function withoutRules(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  const record = value as Record<string, unknown>;
  const isSchema = typeof record['type'] === 'string';
  if (isSchema) {
    delete record['pattern'];
    if (Array.isArray(record['enum'])) delete record['enum'];
    if (Array.isArray(record['x-kubernetes-validations'])) delete record['x-kubernetes-validations'];
  }
  for (const each of Object.values(record)) withoutRules(each);
}
