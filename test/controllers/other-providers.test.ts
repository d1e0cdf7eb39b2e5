import type { KubeObject } from '@chandler/kube';
import { NODES, PODS } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { DEFAULT_SETTINGS } from '../../packages/chandler/src/controllers/testing.ts';

import { type FullStage, fullStage } from './all-controllers.ts';
import { pod, pool } from './stage.ts';

let full: FullStage;
afterEach(() => full.stage.end());

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const NAME = 'theirs';
const NODE = 'their-node';
const PROVIDER_ID = 'kwok://their-node';
const FINALIZER = 'karpenter.sh/termination';
const labels = {
  'karpenter.kwok.sh/kwoknodeclass': 'default',
  'karpenter.sh/registered': 'true',
  'karpenter.sh/nodepool': 'theirs',
};
const claim = () => full.stage.get(NODE_CLAIMS, NAME);
const node = () => full.stage.get(NODES, NODE);
const advance = (ms: number) => full.stage.world.clock.advance(ms);

/** As a controller of another cloud would have left them: registered, on a Node that runs a pod. */
beforeEach(async () => {
  full = await fullStage({ settings: { gates: { ...DEFAULT_SETTINGS.gates, NodeRepair: true } } });
  const { stage } = full;
  const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
  const requirements = [{ key: 'kubernetes.io/arch', operator: 'In', values: ['s390x'] }];
  await stage.apply(NODE_POOLS, pool(NAME, { template: { spec: { nodeClassRef, requirements } } }));
  await stage.apply(NODE_CLAIMS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name: NAME, labels, finalizers: [FINALIZER] },
    spec: {
      nodeClassRef,
      requirements: [],
      resources: { requests: { cpu: '1' } },
      expireAfter: '1h',
    },
  });
  const now = new Date(stage.world.clock.now()).toISOString().replace(/\.\d+Z$/, 'Z');
  const conditions = ['Launched', 'Registered', 'Initialized', 'Ready'].map((type) => ({
    type,
    status: 'True',
    reason: type,
    message: '',
    lastTransitionTime: now,
  }));
  const status = { providerID: PROVIDER_ID, nodeName: NODE, capacity: { cpu: '16' }, conditions };
  const patch = { status };
  await stage.admin.patchStatus(NODE_CLAIMS, { name: NAME }, { type: 'merge', patch });
  await stage.playground.standins!.addNode({
    name: NODE,
    cpu: '4',
    memory: '16Gi',
    providerID: PROVIDER_ID,
    labels,
    taints: [],
  });
  const finalizers = { metadata: { finalizers: [FINALIZER] } };
  await stage.admin.patch(NODES, { name: NODE }, { type: 'merge', patch: finalizers });
  await stage.apply(PODS, pod('a', { nodeName: NODE }));
  await advance(5_000);
});

/** Writes of ours to their things. */
const writes = () =>
  full.stage.writes.filter((line) => line.includes(`/nodeclaims/${NAME}`) || line.includes(NODE));

describe('the claim of another provider', () => {
  test('gets no event, no annotation and no condition, and is not expired', async () => {
    await advance(2 * HOUR_MS);
    expect(writes()).toEqual([]);
    expect(await full.stage.eventsOf(NAME)).toEqual([]);
    expect((await claim())!.metadata.deletionTimestamp).toBeUndefined();
    expect((await claim()) as KubeObject & { status: object }).not.toHaveProperty('status.lastPodEventTime');
  });

  test('is not repaired when its node is unhealthy', async () => {
    full.stage.playground.standins!.stopNode(NODE);
    await advance(30 * MINUTE_MS);
    expect(writes()).toEqual([]);
  });
});

describe('the node of another provider', () => {
  test.each([
    ['Ready', false],
    ['silent', true],
  ])('that is deleted (%s) keeps its finalizer, because its own controller drains it', async (_, silent) => {
    if (silent) full.stage.playground.standins!.stopNode(NODE);
    await advance(2 * MINUTE_MS);
    await full.stage.admin.delete(NODES, { name: NODE });
    await advance(2 * MINUTE_MS);
    expect(writes()).toEqual([]);
    expect((await node())!.metadata.finalizers).toEqual([FINALIZER]);
    expect((await claim())!.metadata.deletionTimestamp).toBeUndefined();
  });

  test('that is deleted and has no claim is ignored too', async () => {
    const patch = { metadata: { finalizers: null } };
    await full.stage.admin.patch(NODE_CLAIMS, { name: NAME }, { type: 'merge', patch });
    await full.stage.admin.delete(NODE_CLAIMS, { name: NAME });
    await full.stage.admin.delete(NODES, { name: NODE });
    await advance(2 * MINUTE_MS);
    expect(writes()).toEqual([]);
    expect((await node())!.metadata.finalizers).toEqual([FINALIZER]);
  });
});
