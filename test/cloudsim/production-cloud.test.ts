import { startVmGuests } from '@chandler/cloudsim/azure/testing';
import { conditionOf, fetchTransport, KubeClient, NODES } from '@chandler/kube';
import { afterEach, describe, expect, test } from 'vitest';
import {
  type Playground,
  standinNodeHost,
  startPlayground,
} from '../../packages/chandler/src/playground/index.ts';
import { aClaim, removeVm, settleMachine, type VmCloud, vmCloud } from '../azure/vm-cloud.fixture.ts';

let cloud: VmCloud;
let playground: Playground;
let stop: () => void = () => undefined;

afterEach(async () => {
  stop();
  await cloud.close();
  await playground.stop();
});

/** The production cloud over the ARM server, whose VMs are those of an API server in this process. */
async function start(hosts: readonly string[]): Promise<KubeClient> {
  cloud = await vmCloud({
    env: { KUBELET_BOOTSTRAP_TOKEN: TOKEN, CLUSTER_ENDPOINT: `https://${hosts[0]}:443` },
  });
  const { world, server, azure } = cloud;
  playground = await startPlayground({ world, port: false, azure: false, systemNodes: 0 });
  const transport = fetchTransport(playground.server.adminFetch);
  const machines = startVmGuests({
    world,
    arm: server,
    nodeHost: standinNodeHost(playground.standins!),
    transport,
    cluster: { hosts, caPem: undefined, version: '1.36.3' },
    sizes: azure.catalogue.sizes,
    tokens: [TOKEN],
  });
  stop = () => machines.stop();
  return new KubeClient({ transport });
}

const TOKEN = 'abcdef.0123456789abcdef';

describe('the production cloud with simulated VMs', () => {
  test('a launched NodeClaim becomes the expected node, and is deleted with its VM', async () => {
    const client = await start(['api.example.com']);
    const claim = aClaim('general-x7k2p', {
      spec: {
        requirements: [
          { key: 'node.kubernetes.io/instance-type', operator: 'In', values: ['Standard_D4s_v5'] },
        ],
        taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }],
      },
    });
    const { last } = await settleMachine(cloud, cloud.cloud, claim, cloud.nodeClass());
    await cloud.clock.advance(6000);
    const node = await client.get(NODES, { name: 'aks-general-x7k2p' });
    expect(conditionOf(node, 'Ready')?.status).toBe('True');
    expect(node.spec?.providerID).toBe(last.instance.providerID);
    expect(node.metadata.labels).toMatchObject(last.instance.labels);
    expect(node.spec?.taints).toContainEqual({ key: 'dedicated', value: 'batch', effect: 'NoSchedule' });
    expect(node.status?.allocatable).toMatchObject({ cpu: '3860m', pods: '250' });
    await removeVm(cloud, cloud.cloud, { ...claim, status: { providerID: last.instance.providerID } });
    await cloud.clock.advance(30_000);
    expect(await client.find(NODES, { name: 'aks-general-x7k2p' })).toBeUndefined();
  });
});
