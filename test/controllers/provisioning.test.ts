import { NODES, PODS } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import { AKS_NODE_CLASSES, NODE_CLAIMS } from '../../packages/chandler/src/api/index.ts';
import { lifecycle, provisioner } from '../../packages/chandler/src/controllers/index.ts';

import { NODE_CLASS, pod, readyPool, type StageSet, setStage } from './stage.ts';

let stage: StageSet;
afterEach(() => stage.end());

const TYPE = 'node.kubernetes.io/instance-type';
const phase = async (name: string) =>
  ((await stage.get(PODS, name))?.['status'] as { phase?: string } | undefined)?.phase;

describe('from a pending pod to a node', () => {
  test('pods of one batch get one claim, and run on its node', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    for (const name of ['a', 'b', 'c']) await stage.apply(PODS, pod(name));
    await stage.until('all pods run', async () =>
      (await Promise.all(['a', 'b', 'c'].map(phase))).every((each) => each === 'Running'),
    );
    const claims = await stage.list(NODE_CLAIMS);
    expect(claims).toHaveLength(1);
    expect(claims[0]).toMatchObject({
      metadata: {
        labels: { 'karpenter.sh/nodepool': 'general', 'karpenter.azure.com/aksnodeclass': 'default' },
        finalizers: ['karpenter.sh/termination'],
        ownerReferences: [{ kind: 'NodePool', name: 'general' }],
      },
      status: { nodeName: `aks-${claims[0]!.metadata.name}` },
    });
    const [node] = await stage.list(NODES);
    expect(node!.metadata.labels).toMatchObject({
      'karpenter.sh/registered': 'true',
      'karpenter.sh/initialized': 'true',
    });
    expect(node!.metadata.finalizers).toEqual(['karpenter.sh/termination']);
    expect(await stage.eventsOf('a')).toContainEqual({
      reason: 'Nominated',
      message: `Pod should schedule on: nodeclaim/${claims[0]!.metadata.name}`,
    });
  });

  test('requests of a claim keep the notation of its pods', async () => {
    stage = await setStage({ controllers: [provisioner] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    const resources = { requests: { cpu: '100m', memory: '256M' } };
    for (const name of ['a', 'b', 'c'])
      await stage.apply(PODS, pod(name, { containers: [{ name: 'main', image: 'i', resources }] }));
    await stage.until('there is a claim', async () => (await stage.list(NODE_CLAIMS)).length === 1);
    expect((await stage.list(NODE_CLAIMS))[0]).toMatchObject({
      spec: { resources: { requests: { cpu: '300m', memory: '768M', pods: '3' } } },
    });
  });

  test('a pod that fits nowhere gets an event with the reason, and does not delay other pods', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    const container = { name: 'main', image: 'i', resources: { requests: { cpu: '400' } } };
    await stage.apply(PODS, pod('huge', { containers: [container] }));
    await stage.apply(PODS, pod('small'));
    await stage.until('the small one runs', async () => (await phase('small')) === 'Running');
    const events = await stage.eventsOf('huge');
    expect(events.find(({ reason }) => reason === 'FailedScheduling')?.message).toBeDefined();
    expect(events.some(({ message }) => message.includes('no instance type has enough resources'))).toBe(
      true,
    );
  });

  test.each<[string, number, object, boolean]>([
    ['that no pod could meet is said of the pool', 4, {}, true],
    ['is not blamed on the pool where only the pod is choosy', 3, { [TYPE]: 'paper-4' }, false],
  ])('minValues %s', async (_, minValues, nodeSelector, said) => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    const nodeClassRef = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };
    const requirements = [{ key: TYPE, operator: 'Exists', minValues }];
    const taints = [{ key: 'dedicated', effect: 'NoSchedule' }];
    await readyPool(stage, 'general', {
      limits: { cpu: '100' },
      template: { spec: { nodeClassRef, requirements, taints } },
    });
    await stage.apply(PODS, pod('a', { nodeSelector, tolerations: [{ operator: 'Exists' }] }));
    await stage.world.clock.advance(20_000);
    const refusal = (await stage.eventsOf('a')).find(({ message }) => message.includes('minValues'));
    expect(refusal?.reason).toBe('FailedScheduling');
    const message =
      'NodePool requirements filtered out all compatible available instance types due to minValues incompatibility';
    expect(await stage.eventsOf('general')).toEqual(
      said ? [{ reason: 'NoCompatibleInstanceTypes', message }] : [],
    );
  });

  test('any order works: pods first, then the pool, then its class', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(PODS, pod('a'));
    await stage.world.clock.advance(5_000);
    await readyPool(stage, 'general');
    await stage.world.clock.advance(5_000);
    expect(await stage.list(NODE_CLAIMS)).toEqual([]);
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.until('the claim is there', async () => (await stage.list(NODE_CLAIMS)).length === 1, 3_000);
  });

  test('many pods that were unschedulable all get a Nominated event before their node registers', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    stage.cloud.bootMs = 10 * 60_000;
    const names = Array.from({ length: 40 }, (_, index) => `p${index}`);
    for (const name of names) await stage.apply(PODS, pod(name));
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await stage.world.clock.advance(5_000);
    expect(
      (await stage.eventsOf('p39')).some(({ message }) => message.startsWith('Failed to schedule')),
    ).toBe(true);
    await readyPool(stage, 'general');
    await stage.world.clock.advance(90_000);
    for (const name of names)
      expect((await stage.eventsOf(name)).map(({ reason }) => reason)).toContain('Nominated');
    expect(await stage.list(NODES)).toEqual([]);
    // Events are not repeated, so a later pod gets its event at once.
    await stage.world.clock.advance(4 * 60_000);
    await stage.apply(PODS, pod('late'));
    await stage.world.clock.advance(5_000);
    expect((await stage.eventsOf('late')).map(({ reason }) => reason)).toContain('Nominated');
  });

  test('a pool of another controller is ignored, and events of pods do not mention its class', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await readyPool(stage, 'foreign', {
      template: {
        spec: {
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          requirements: [],
        },
      },
    });
    await stage.apply(PODS, pod('a'));
    await stage.world.clock.advance(5_000);
    const said = (await stage.eventsOf('a')).map(({ message }) => message).join('\n');
    expect(said).toContain(
      'nodepool "foreign" is left out, a KWOKNodeClass (karpenter.kwok.sh) is not run here',
    );
  });

  test('limits hold over several batches, also while claims have no instance yet', async () => {
    stage = await setStage({ controllers: [provisioner] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general', { limits: { cpu: '4' } });
    for (let batch = 0; batch < 4; batch++) {
      await stage.apply(
        PODS,
        pod(`p${batch}`, {
          containers: [{ name: 'm', image: 'i', resources: { requests: { cpu: '1500m' } } }],
        }),
      );
      await stage.world.clock.advance(4_000);
    }
    expect((await stage.list(NODE_CLAIMS)).length).toBeLessThanOrEqual(2);
    expect((await stage.list(NODE_CLAIMS)).length).toBeGreaterThan(0);
  });
});

describe('the deletion of a claim', () => {
  test('terminates the instance, then removes the finalizer', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    stage.cloud.joins = false;
    await stage.apply(PODS, pod('a'));
    await stage.until('a machine is there', () => stage.cloud.machines.size === 1);
    await stage.admin.delete(PODS, { name: 'a', namespace: 'default' });
    const [claim] = await stage.list(NODE_CLAIMS);
    await stage.admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! });
    await stage.until('the claim is gone', async () => (await stage.list(NODE_CLAIMS)).length === 0);
    expect(stage.cloud.machines.size).toBe(0);
  });

  test('an instance that does not register within fifteen minutes is terminated and replaced', async () => {
    stage = await setStage({ controllers: [provisioner, lifecycle] });
    await stage.apply(AKS_NODE_CLASSES, NODE_CLASS);
    await readyPool(stage, 'general');
    stage.cloud.joins = false;
    await stage.apply(PODS, pod('a'));
    await stage.until('a machine is there', () => stage.cloud.machines.size === 1);
    await stage.world.clock.advance(14 * 60_000);
    expect(stage.cloud.launches.size).toBe(1);
    stage.cloud.joins = true;
    await stage.until(
      'another machine took its place',
      async () => (await phase('a')) === 'Running',
      5 * 60_000,
    );
    expect(stage.cloud.launches.size).toBe(2);
  });
});
