/** A third cloud, which is nothing but this folder: the contract, and the story of the playground. */

import { ADMIN } from '@chandler/apiserver';
import type { NamedObject } from '@chandler/kube';
import {
  CUSTOM_RESOURCE_DEFINITIONS,
  fetchTransport,
  KubeClient,
  type KubeObject,
  NODES,
  PODS,
  type ResourceRef,
} from '@chandler/kube';
import { neverAborted, stored, virtualWorld } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import { NODE_CLAIMS, NODE_POOLS, type NodeClaim } from '../../packages/chandler/src/api/index.ts';
import { createOperator } from '../../packages/chandler/src/operator/index.ts';
import { startPlayground } from '../../packages/chandler/src/playground/index.ts';

import { NO_WIRES } from '../controllers/fake-cloud.ts';
import { pod } from '../controllers/stage.ts';
import { BUILD, inTime, NAMESPACE, settingsOf } from '../operator/operator-stage.ts';
import { type CloudFixture, cloudContract } from './cloud.contract.ts';
import { MEMORY_STAGES, memoryAccount, memoryCloud, memoryProvider } from './memory-cloud.ts';
import { aMemoryNodeClass, MEMORY_NODE_CLASS_CRD, MEMORY_NODE_CLASSES } from './memory-node-class.ts';

const CLASS = { group: MEMORY_NODE_CLASSES.group, kind: MEMORY_NODE_CLASSES.kind, name: 'default' };

cloudContract('memory', async (): Promise<CloudFixture> => {
  const { clock } = virtualWorld();
  const account = memoryAccount(clock);
  const cloud = memoryCloud(account);
  return {
    cloud,
    stages: MEMORY_STAGES,
    restart: () => memoryCloud(account),
    nodeClass: stored(aMemoryNodeClass('default')),
    claim(name, { uid = `uid-${name}`, standalone = false, instanceType } = {}) {
      const type = { key: 'node.kubernetes.io/instance-type', operator: 'In', values: [instanceType ?? ''] };
      return stored({
        metadata: { name, uid, labels: standalone ? {} : { 'karpenter.sh/nodepool': 'general' } },
        spec: { nodeClassRef: CLASS, requirements: instanceType === undefined ? [] : [type] },
      } as NodeClaim & NamedObject);
    },
    advance: (ms) => clock.advance(ms),
    nowMs: () => clock.now(),
    holdings: () => {
      // A look at what is there: what is past its time is gone.
      void cloud.list(neverAborted());
      return { machines: account.instances.size, parts: 0 };
    },
    break: (way) => {
      account.fault = way;
    },
    repair: () => {
      account.fault = undefined;
    },
    close: async () => undefined,
  };
});

test('the operator of production runs it: pod, claim, instance, node, and back again', async () => {
  const world = virtualWorld();
  const playground = await startPlayground({ world, port: false, systemNodes: 0 });
  const admin = new KubeClient({ transport: fetchTransport(playground.server.fetchAs(ADMIN)) });
  const apply = (resource: ResourceRef, object: object) =>
    inTime(world, admin.create(resource, object as KubeObject));
  const list = async (resource: ResourceRef) => (await inTime(world, admin.list(resource))).items;
  const until = async (what: string, holds: () => Promise<boolean>) => {
    for (let waited = 0; waited < 300_000; waited += 500) {
      if (await holds()) return;
      await world.clock.advance(500);
    }
    throw new Error(`still not so: ${what}`);
  };
  const account = memoryAccount(world.clock);
  account.onLaunch = (instance, claim) => {
    const { cpu = '', memory = '' } = instance.capacity as Record<string, string>;
    world.clock.after(5_000, () => {
      void playground.standins!.addNode({
        name: instance.name,
        cpu,
        memory,
        providerID: instance.providerID,
        labels: { ...instance.labels, ...claim.metadata.labels },
        taints: [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }],
      });
    });
  };
  account.onGone = ({ name }) => void playground.standins!.removeNode(name);
  await apply(CUSTOM_RESOURCE_DEFINITIONS, MEMORY_NODE_CLASS_CRD);
  await world.clock.advance(1_000);
  await apply(MEMORY_NODE_CLASSES, aMemoryNodeClass('default'));
  await apply(NODE_POOLS, {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'general' },
    spec: { template: { spec: { nodeClassRef: CLASS, requirements: [] } } },
  });
  await apply(PODS, pod('a'));
  const operator = createOperator({
    world,
    kube: { transport: fetchTransport(playground.server.fetchAs(ADMIN)), host: 'kubernetes' },
    provider: memoryProvider(account),
    wires: NO_WIRES,
    settings: settingsOf(),
    namespace: NAMESPACE,
    build: BUILD,
  });
  await inTime(world, operator.start());
  await until('the pod runs', async () => {
    const [only] = await list(PODS);
    return (only?.['status'] as { phase?: string } | undefined)?.phase === 'Running';
  });
  const [claim] = (await list(NODE_CLAIMS)) as unknown as readonly (NodeClaim & KubeObject)[];
  expect(claim?.status?.providerID).toBe(`memory:///memory-${claim?.metadata.name}`);
  const journey = JSON.parse(claim?.metadata.annotations?.['chandler.sh/journey'] ?? '[]') as { n: string }[];
  expect(journey.map(({ n }) => n)).toEqual(expect.arrayContaining(['launchRequest', 'bootResult']));
  expect(account.instances.size).toBe(1);
  await inTime(world, admin.delete(PODS, { namespace: 'default', name: 'a' }));
  await inTime(world, admin.delete(NODE_CLAIMS, { name: claim!.metadata.name! }));
  await until('claim, node and instance are gone', async () => {
    const left = [...(await list(NODE_CLAIMS)), ...(await list(NODES))];
    return left.length === 0 && account.instances.size === 0;
  });
  await inTime(world, operator.stop());
  await inTime(world, playground.stop());
});
