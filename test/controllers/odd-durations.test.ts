/** Values that the patterns of the schema accept and that are longer, or other, than they can be. */
import { PODS } from '@chandler/kube';
import { afterEach, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { type FullStage, fullStage } from './all-controllers.ts';
import { conditionOf } from './bootstrap-outcome.fixture.ts';
import { NODE_CLASS, pod, pool } from './stage.ts';

const TOO_LONG = '9999999h';

let full: FullStage;
afterEach(() => full.stage.end());

const template = (values: Record<string, unknown>, labels: Record<string, string>) => ({
  template: {
    metadata: { labels },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
      ...values,
    },
  },
});

test.each([
  ['expireAfter', { ...template({ expireAfter: TOO_LONG }, { which: 'odd' }) }],
  ['terminationGracePeriod', { ...template({ terminationGracePeriod: TOO_LONG }, { which: 'odd' }) }],
  ['consolidateAfter', { ...template({}, { which: 'odd' }), disruption: { consolidateAfter: TOO_LONG } }],
  ['limits[cpu]', { ...template({}, { which: 'odd' }), limits: { cpu: '1e1.5' } }],
])('a NodePool with an unusable %s says so and launches nothing; the others go on', async (field, spec) => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_POOLS, pool('odd', spec));
  await stage.apply(NODE_POOLS, pool('good', template({}, { which: 'good' })));
  await stage.apply(PODS, pod('waits', { nodeSelector: { which: 'odd' } }));
  await stage.world.clock.advance(60_000);
  const valid = conditionOf((await stage.get(NODE_POOLS, 'odd'))!, 'ValidationSucceeded');
  expect(valid).toMatchObject({ status: 'False' });
  expect(valid?.message).toContain(field);
  await stage.apply(PODS, pod('runs', { nodeSelector: { which: 'good' } }));
  await stage.world.clock.advance(60_000);
  const owners = (await stage.list(NODE_CLAIMS)).map(({ metadata }) => metadata.labels?.['which']);
  expect(owners).toEqual(['good']);
});

test('a claim whose terminationGracePeriod cannot be read is still terminated', async () => {
  full = await fullStage();
  const { stage } = full;
  await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await stage.apply(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: 'by-hand' },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
      terminationGracePeriod: TOO_LONG,
      expireAfter: 'Never',
      resources: { requests: {} },
    },
  });
  await stage.until('it has an instance', () => stage.cloud.machines.size === 1);
  await stage.world.clock.advance(60_000);
  await stage.admin.delete(NODE_CLAIMS, { name: 'by-hand' });
  await stage.until('its instance is gone', () => stage.cloud.machines.size === 0, 10 * 60_000);
});
