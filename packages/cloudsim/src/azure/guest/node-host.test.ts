import { fetchTransport, KubeClient } from '@chandler/kube';
import { TinyServer } from '@chandler/kube/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { NodeHost, NodeRegistration } from '../../node-host.ts';
import { COMPUTE, type TestArm, testArm } from '../arm-server.fixture.ts';
import { AzureSizes } from '../catalogue/size-catalogue.ts';
import { ensureToken } from './bootstrap-tokens.ts';
import { startVmGuests, type VmGuests } from './vm-guests.ts';

const VM = `${COMPUTE}/virtualMachines/aks-a`;

/** Records the calls, and stores the Nodes in a server that validates nothing. */
class RecordingHost implements NodeHost {
  readonly calls: string[] = [];
  readonly registered: NodeRegistration[] = [];
  readonly cluster = new TinyServer();

  async startKubelet(node: NodeRegistration): Promise<void> {
    this.calls.push(`start ${node.name}`);
    this.registered.push(node);
    const { name, labels, taints } = node;
    this.cluster.put(`/api/v1/nodes/${name}`, {
      kind: 'Node',
      metadata: { name, labels: { ...labels } },
      spec: { taints },
    });
  }

  stopKubelet(nodeName: string): void {
    this.calls.push(`stop ${nodeName}`);
  }

  async resumeKubelet(nodeName: string): Promise<void> {
    this.calls.push(`resume ${nodeName}`);
  }

  async removeNode(nodeName: string): Promise<void> {
    this.calls.push(`remove ${nodeName}`);
    this.cluster.remove(`/api/v1/nodes/${nodeName}`);
  }
}

let host: RecordingHost;
let arm: TestArm;
let guests: VmGuests;
let token: string;

beforeEach(async () => {
  host = new RecordingHost();
  arm = await testArm();
  const { world, server } = arm;
  const transport = fetchTransport(host.cluster.fetch);
  token = await ensureToken(new KubeClient({ transport }), world.random);
  guests = startVmGuests({
    world,
    arm: server,
    nodeHost: host,
    transport,
    cluster: { hosts: ['127.0.0.1'], caPem: undefined, version: '1.36.3' },
    sizes: new AzureSizes(),
  });
});

afterEach(async () => {
  guests.stop();
  await arm.server.close();
});

/** The minimum that the provisioning script of an image needs to make a VM a node. */
function script(): string {
  return [
    '#!/bin/bash',
    'set -a',
    'CSE_HELPERS_FILEPATH=/opt/azure/containers/provision_source.sh',
    'CSE_CONFIG_FILEPATH=/opt/azure/containers/provision_configs.sh',
    'KUBERNETES_VERSION=1.36.3',
    'API_SERVER_NAME=127.0.0.1',
    `KUBE_CA_CRT=${Buffer.from('any').toString('base64')}`,
    `TLS_BOOTSTRAP_TOKEN=${token}`,
    "KUBELET_FLAGS='--cloud-provider=external --max-pods=30'",
    'KUBELET_NODE_LABELS=team=blue',
    '/opt/azure/containers/provision_start.sh',
  ].join('\n');
}

async function launch(computerName = 'aks-a'): Promise<void> {
  const customData = Buffer.from(script()).toString('base64');
  await arm.launch('aks-a', { osProfile: { computerName, customData } });
  await arm.advance(9000);
}

describe('a VM and the host of its node', () => {
  test('its kubelet is started once, with what its script and its size say', async () => {
    await launch();
    expect(host.calls).toEqual(['start aks-a']);
    expect(host.registered[0]).toMatchObject({
      name: 'aks-a',
      labels: { team: 'blue' },
      taints: [{ key: 'node.cloudprovider.kubernetes.io/uninitialized' }],
      capacity: { cpu: '4', pods: '30' },
      architecture: 'amd64',
      kubeletVersion: 'v1.36.3',
    });
  });

  test('its node is named by the host name, which cloud-init cuts at the first dot', async () => {
    await launch('aks-a.b-x7k2p');
    expect(host.calls).toEqual(['start aks-a']);
  });

  test('the cloud itself writes to its Node: provider ID and zone, no more taint', async () => {
    await launch();
    const node = host.cluster.get('/api/v1/nodes/aks-a');
    expect(node?.['spec']).toMatchObject({
      providerID: expect.stringMatching(/^azure:\/\/\/subscriptions\/.*\/virtualMachines\/aks-a$/),
      taints: [],
    });
    expect(node?.metadata.labels).toMatchObject({ 'topology.kubernetes.io/zone': 'eastus-1' });
  });

  test('its kubelet stops and resumes with the power of the VM', async () => {
    await launch();
    await arm.call('POST', `${VM}/powerOff`);
    await arm.advance(5000);
    await arm.call('POST', `${VM}/start`);
    await arm.advance(5000);
    expect(host.calls).toEqual(['start aks-a', 'stop aks-a', 'resume aks-a']);
  });

  test('its kubelet stops and resumes when the VM is restarted', async () => {
    await launch();
    expect((await arm.call('POST', `${VM}/restart`)).status).toBe(202);
    expect(host.calls).toEqual(['start aks-a', 'stop aks-a']);
    await arm.advance(9000);
    expect(host.calls).toEqual(['start aks-a', 'stop aks-a', 'resume aks-a']);
  });

  test('its node is removed some time after the VM', async () => {
    await launch();
    await arm.call('DELETE', `${VM}?forceDeletion=true`);
    await arm.advance(30_000);
    expect(host.calls).toEqual(['start aks-a', 'stop aks-a', 'remove aks-a']);
    expect(host.cluster.get('/api/v1/nodes/aks-a')).toBeUndefined();
  });

  test('a registration that the host rejects is retried', async () => {
    const start = host.startKubelet.bind(host);
    let failures = 0;
    host.startKubelet = async (node) => {
      failures += 1;
      if (failures === 1) throw new Error('the API server is away');
      await start(node);
    };
    await launch();
    expect(host.calls).toEqual([]);
    expect(arm.server.vms.serialLog(`${arm.group}/${VM}`)).toContain(
      'Unable to register node with API server',
    );
    await arm.advance(10_000);
    expect(host.calls).toEqual(['start aks-a']);
  });

  test('no kubelet is started with a token that the cluster does not know', async () => {
    const wrong = script().replace(token, 'abcdef.0123456789abcdef');
    await arm.launch('aks-a', { osProfile: { customData: Buffer.from(wrong).toString('base64') } });
    await arm.advance(60_000);
    expect(host.calls).toEqual([]);
  });
});
