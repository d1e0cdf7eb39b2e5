import { EVENTS, type KubeObject, NODES, PODS, type ResourceRef } from '@chandler/kube';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS, NODE_POOLS } from '../../packages/chandler/src/api/index.ts';
import { NODE_CLASS, pod, pool } from '../controllers/stage.ts';
import { everyNth } from '../part.ts';
import { type EmbeddedGround, embeddedGround } from './embedded-ground.ts';
import { conditionOf } from './story.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });

let ground: EmbeddedGround;

beforeEach(async () => {
  ground = await embeddedGround({ quiet: true });
  await ground.startOperator();
  await ground.apply(AKS_NODE_CLASSES, NODE_CLASS);
  await ground.apply(NODE_POOLS, pool('default'));
});
afterEach(() => ground.end());

const later = (ms: number) => ground.stage.world.clock.advance(ms);
const merge = (body: object) => ({ type: 'merge' as const, patch: body });
const patch = (resource: ResourceRef, name: string, body: object) =>
  ground.stage.inTime(ground.stage.admin.patch(resource, { name }, merge(body)));
const patchStatus = (resource: ResourceRef, name: string, status: object) =>
  ground.stage.inTime(ground.stage.admin.patchStatus(resource, { name }, merge({ status })));

async function runs(name: string): Promise<boolean> {
  const found = (await ground.list(PODS)).find(({ metadata }) => metadata.name === name);
  return (found?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
}

/** The rest of the cluster goes on: a pod comes and gets a node of its own, and both sides agree. */
async function othersGoOn(name = 'other'): Promise<void> {
  const containers = [{ name: 'm', image: 'i', resources: { requests: { cpu: '1500m' } } }];
  await ground.apply(PODS, pod(name, { containers, nodeSelector: { 'karpenter.sh/nodepool': 'default' } }));
  await ground.stage.until(`the pod ${name} runs`, () => runs(name), 120_000);
}

async function bothSidesAgree(): Promise<void> {
  await ground.stage.until(
    'every claim has a machine and every machine a claim',
    async () => {
      const claims = (await ground.list(NODE_CLAIMS)).map(({ metadata }) => `aks-${metadata.name}`).sort();
      const { vms, nics } = ground.arm.resources;
      const names = (parts: readonly { readonly name: string }[]) => parts.map(({ name }) => name).sort();
      return JSON.stringify([names(vms()), names(nics())]) === JSON.stringify([claims, claims]);
    },
    60 * 60_000,
  );
}

async function eventsOn(name: string): Promise<string> {
  const events = await ground.list(EVENTS);
  const about = (event: KubeObject) =>
    ((event['regarding'] ?? event['involvedObject']) as { name?: string } | undefined)?.name === name;
  return events
    .filter(about)
    .map((event) => `${event['reason']}: ${event['note'] ?? event['message']}`)
    .join('\n');
}

/** A pool with something in its template that others do not have. */
function poolWith(name: string, template: { metadata?: object; spec?: object }): object {
  const made = pool(name) as { spec: { template: { metadata?: object; spec: object } } };
  Object.assign(made.spec.template.spec, template.spec);
  if (template.metadata !== undefined) made.spec.template.metadata = template.metadata;
  return made;
}

describe('a NodePool', () => {
  const taint = { key: 'example.com/a', value: 'b', effect: 'NoSchedule' };
  test.each([
    ['a taint twice', { spec: { taints: [taint], startupTaints: [taint] } }, 'startupTaints[0]'],
    [
      'values that nothing can have',
      { spec: { requirements: [{ key: 'karpenter.sh/capacity-type', operator: 'In', values: ['cheap'] }] } },
      'requirements[0].values: none of cheap is one of on-demand, spot',
    ],
  ])('with %s says which field it is, and others go on', async (_, template, said) => {
    await ground.apply(NODE_POOLS, poolWith('bad', template));
    await later(5_000);
    const bad = await ground.find(NODE_POOLS, 'bad');
    expect(conditionOf(bad, 'ValidationSucceeded')).toMatchObject({
      status: 'False',
      reason: 'NodePoolValidationFailed',
      message: expect.stringContaining(said),
    });
    expect(conditionOf(bad, 'Ready')).toMatchObject({ status: 'False' });
    await othersGoOn();
    const pools = (await ground.list(NODE_CLAIMS)).map(
      ({ metadata }) => metadata.labels!['karpenter.sh/nodepool'],
    );
    expect(pools).toEqual(['default']);
  });

  test.each(
    everyNth(
      'wrong kinds of node classes',
      [
        ['of our own group', { group: 'karpenter.azure.com', kind: 'AKSNodeKlass', name: 'default' }],
        [
          'of a group that nobody serves',
          { group: 'karpenter.example.com', kind: 'OtherNodeClass', name: 'default' },
        ],
      ],
      2,
    ),
  )('with a kind of node class %s says so, and others go on', async (_, nodeClassRef) => {
    await ground.apply(NODE_POOLS, poolWith('bad', { spec: { nodeClassRef } }));
    await later(90_000);
    const bad = await ground.find(NODE_POOLS, 'bad');
    expect(conditionOf(bad, 'NodeClassReady')).toMatchObject({
      status: 'False',
      reason: 'NodeClassNotFound',
      message: expect.stringContaining(`${nodeClassRef.kind}`),
    });
    expect(conditionOf(bad, 'Ready')).toMatchObject({ status: 'False' });
    await othersGoOn();
  });

  test('of another controller keeps what that controller wrote', async () => {
    const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
    await ground.apply(NODE_POOLS, poolWith('theirs', { spec: { nodeClassRef } }));
    const time = { lastTransitionTime: '2026-01-01T00:00:00Z' };
    const ready = { type: 'Ready', status: 'True', reason: 'Ready', message: '', ...time };
    await patchStatus(NODE_POOLS, 'theirs', { conditions: [ready] });
    const before = await ground.find(NODE_POOLS, 'theirs');
    await later(10 * 60_000);
    expect(await ground.find(NODE_POOLS, 'theirs')).toEqual(before);
  });
});

describe('a claim that somebody edited by hand', () => {
  async function aClaim(): Promise<string> {
    await othersGoOn('first');
    const [claim] = await ground.list(NODE_CLAIMS);
    return claim!.metadata.name!;
  }

  test('gets its finalizer back', async () => {
    const name = await aClaim();
    await patch(NODE_CLAIMS, name, { metadata: { finalizers: null } });
    await later(5_000);
    expect((await ground.find(NODE_CLAIMS, name))?.metadata.finalizers).toEqual(['karpenter.sh/termination']);
  });

  test('and deleted without its finalizer leaves no VM behind', async () => {
    const name = await aClaim();
    await ground.stage.inTime(ground.stage.admin.delete(PODS, { name: 'first', namespace: 'default' }));
    await patch(NODE_CLAIMS, name, { metadata: { finalizers: null } });
    await ground.remove(NODE_CLAIMS, name);
    if ((await ground.find(NODE_CLAIMS, name)) !== undefined)
      await patch(NODE_CLAIMS, name, { metadata: { finalizers: null } });
    await bothSidesAgree();
    await ground.stage.until(
      'its node is gone',
      async () => (await ground.list(NODES)).length === 0,
      600_000,
    );
    await othersGoOn();
  });

  test.each(
    everyNth(
      'wrong states of a claim',
      [
        ['another machine', { providerID: 'azure:///subscriptions/x/nothing' }],
        ['no machine', { providerID: null }],
        ['no conditions', { conditions: null }],
        [
          'nonsense for conditions',
          {
            conditions: [
              {
                type: 'Launched',
                status: 'False',
                reason: 'x',
                message: '',
                lastTransitionTime: '2026-01-01T00:00:00Z',
              },
            ],
          },
        ],
      ],
      4,
    ),
  )(
    'so that its status names %s: both sides agree in the end',
    async (_, status) => {
      const name = await aClaim();
      await patchStatus(NODE_CLAIMS, name, status);
      await othersGoOn();
      await later(20 * 60_000);
      await bothSidesAgree();
      await othersGoOn('third');
    },
    60_000,
  );

  test.each(
    everyNth(
      'parts that a claim lost',
      [
        ['its pool', { labels: { 'karpenter.sh/nodepool': null } }],
        [
          'its hashes',
          { annotations: { 'karpenter.sh/nodepool-hash': 'nonsense', 'chandler.sh/journey': '{' } },
        ],
        ['its owner', { ownerReferences: [] }],
      ],
      3,
    ),
  )('and took away %s: it is not lost, and others go on', async (_, metadata) => {
    const name = await aClaim();
    await patch(NODE_CLAIMS, name, { metadata });
    await later(20 * 60_000);
    await othersGoOn();
    await bothSidesAgree();
  });
});

describe('a claim that somebody made by hand', () => {
  test('for a class that does not exist gets an event and is deleted; others are not affected', async () => {
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'missing' };
    await ground.apply(NODE_CLAIMS, {
      apiVersion: 'karpenter.sh/v1',
      kind: 'NodeClaim',
      metadata: { name: 'mine' },
      spec: { nodeClassRef, requirements: [] },
    });
    await later(30_000);
    expect(await eventsOn('mine')).toContain('AKSNodeClass missing');
    await othersGoOn();
    await bothSidesAgree();
  });
});

describe('a Node', () => {
  test('that was deleted without its finalizer: its claim reports it, and its pods run elsewhere', async () => {
    await othersGoOn('first');
    const [claim] = await ground.list(NODE_CLAIMS);
    const name = `aks-${claim!.metadata.name}`;
    ground.stage.playground.standins!.stopNode(name);
    await patch(NODES, name, { metadata: { finalizers: null } });
    await ground.remove(NODES, name);
    await othersGoOn();
    await later(11 * 60_000);
    const still = await ground.find(NODE_CLAIMS, claim!.metadata.name!);
    expect(conditionOf(still, 'ConsistentStateFound')).toMatchObject({
      status: 'False',
      reason: 'ConsistencyCheckFailed',
      message: `Node ${name} does not exist`,
    });
  });

  test.each(
    everyNth(
      'foreign nodes',
      [
        ['without anything', {}, undefined],
        ['with a pool and no claim', { 'karpenter.sh/nodepool': 'default' }, undefined],
        [
          'with labels of ours and the id of nobody',
          {
            'karpenter.sh/nodepool': 'default',
            'karpenter.sh/registered': 'true',
            'karpenter.azure.com/aksnodeclass': 'default',
          },
          'azure:///subscriptions/0/resourceGroups/x/providers/Microsoft.Compute/virtualMachines/y',
        ],
        ['of another cloud', {}, 'aws:///eu-west-1a/i-0123456789'],
      ],
      4,
    ),
  )('%s is left alone, and others go on', async (_, labels, providerID) => {
    await ground.apply(NODES, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'foreign', labels },
      ...(providerID === undefined ? {} : { spec: { providerID } }),
    });
    await othersGoOn();
    await later(10 * 60_000);
    const touched = ground.asked.filter(
      ({ verb, resource, name }) =>
        resource === 'nodes' && verb !== 'list' && verb !== 'watch' && name === 'foreign',
    );
    expect(touched).toEqual([]);
    await bothSidesAgree();
  });
});
