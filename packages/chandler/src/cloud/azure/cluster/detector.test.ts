import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { DES_ID } from '../options/options.fixture.ts';
import {
  CA_BUNDLE,
  clusterOptions,
  clusterReaders,
  nsg,
  OWN_SUBNET,
  refused,
  VNET_GUID,
} from './cluster.fixture.ts';
import { ClusterDetector } from './detector.ts';
import { ClusterFactsError, type ClusterReaders } from './facts.ts';

const MINUTE = 60_000;

function detector(answers: Partial<ClusterReaders> = {}, env: Record<string, string> = {}) {
  const world = virtualWorld();
  const options = { current: clusterOptions(env) };
  const readers = clusterReaders(answers);
  return {
    world,
    options,
    detector: new ClusterDetector({ world, readers, options: () => options.current }),
  };
}

async function detect(answers: Partial<ClusterReaders> = {}, env: Record<string, string> = {}) {
  return detector(answers, env).detector.refresh();
}

describe('what is detected of a cluster', () => {
  test('every value comes with its source', async () => {
    const { facts, problems } = await detect();
    expect(problems).toEqual([]);
    expect(facts).toMatchObject({
      kubernetesVersion: { value: '1.33.4', source: 'cluster', path: '/version gitVersion' },
      caBundle: { value: CA_BUNDLE, source: 'cluster', path: 'client configuration' },
      clusterId: { value: '12345678', source: 'cluster' },
      networkSecurityGroup: { value: nsg('12345678'), source: 'cluster' },
      vnetGuid: { value: VNET_GUID, source: 'cluster' },
      dnsServiceIP: { value: '10.2.0.10', source: 'cluster' },
      nodeResourceGroup: { value: 'MC_rg', source: 'env', path: 'AZURE_NODE_RESOURCE_GROUP' },
      network: { plugin: { value: 'azure', source: 'hardcoded' }, dataplane: { value: 'cilium' } },
    });
    expect(facts.diskEncryptionSetId).toBeUndefined();
  });

  test('an option overrides each, and then nothing is read', async () => {
    const nobody = () => Promise.reject(new Error('must not be read'));
    const { facts, problems } = await detect(
      {
        serverVersion: nobody,
        clientConfigCA: nobody,
        listNetworkSecurityGroups: nobody,
        getVirtualNetwork: nobody,
        kubeDnsServiceIP: nobody,
      },
      {
        KUBERNETES_VERSION: 'v1.30.0',
        CLUSTER_CA_BUNDLE: CA_BUNDLE,
        CLUSTER_ID: '87654321',
        NETWORK_SECURITY_GROUP_ID: nsg('00000001').id,
        VNET_GUID,
        DNS_SERVICE_IP: '10.9.9.9',
      },
    );
    expect(problems).toEqual([]);
    expect(facts).toMatchObject({
      kubernetesVersion: { value: '1.30.0', source: 'env', path: 'KUBERNETES_VERSION' },
      caBundle: { source: 'env' },
      clusterId: { value: '87654321', path: 'CLUSTER_ID' },
      networkSecurityGroup: { value: { name: 'aks-agentpool-00000001-nsg' }, source: 'env' },
      vnetGuid: { value: VNET_GUID, source: 'env' },
      dnsServiceIP: { value: '10.9.9.9', source: 'env' },
    });
  });

  test('[000-L1.5] the disk encryption set of the managed cluster is seen, and its network too', async () => {
    const { facts } = await detect({
      managedCluster: async () => ({
        diskEncryptionSetID: DES_ID,
        networkProfile: {
          networkPlugin: 'azure',
          networkDataplane: 'azure',
          networkPolicy: 'none',
          dnsServiceIP: '10.1.0.10',
        },
      }),
      kubeDnsServiceIP: async () => undefined,
    });
    expect(facts.diskEncryptionSetId).toEqual({
      value: DES_ID,
      source: 'cluster',
      path: 'managedCluster properties.diskEncryptionSetID',
    });
    expect(facts.network).toMatchObject({
      plugin: { value: 'azure', source: 'cluster' },
      pluginMode: { value: '' },
      dataplane: { value: 'azure' },
      policy: { value: '' },
    });
    expect(facts.dnsServiceIP).toMatchObject({ value: '10.1.0.10', source: 'cluster' });
    expect(facts.vnetGuid).toMatchObject({ value: '', source: 'computed' });
  });

  test('without a DNS service anywhere the usual address holds, and says that it is a default', async () => {
    const { facts } = await detect({ kubeDnsServiceIP: async () => 'None' });
    expect(facts.dnsServiceIP).toEqual({ value: '10.0.0.10', source: 'hardcoded', path: '' });
  });

  test('without a CA in the credentials the one that the API server presents is taken, and it shows', async () => {
    const { facts } = await detect({ clientConfigCA: async () => undefined, tlsCA: async () => CA_BUNDLE });
    expect(facts.caBundle).toMatchObject({ value: CA_BUNDLE, path: 'TLS connection to the API server' });
  });

  test('a network plugin that is only in the options is not looked up', async () => {
    const { facts } = await detect(
      { managedCluster: async () => ({ networkProfile: { networkPlugin: 'kubenet' } }) },
      { NETWORK_PLUGIN: 'none', NETWORK_PLUGIN_MODE: '', NETWORK_DATAPLANE: '', NETWORK_POLICY: '' },
    );
    expect(facts.network).toMatchObject({ plugin: { value: 'none', source: 'env' } });
  });
});

describe('the cluster id where no security group contains it', () => {
  const none = { listNetworkSecurityGroups: async () => [] };
  test('comes from the virtual network of AKS in our subnet', async () => {
    const { facts, problems } = await detect(none);
    expect(facts.clusterId).toMatchObject({ value: '12345678', source: 'computed' });
    expect(facts.networkSecurityGroup).toBeUndefined();
    expect(problems).toMatchObject([{ fact: 'networkSecurityGroup', code: 'NotFound', blocks: false }]);
  });

  test.each(['aks-agentpool-11112222-routetable', 'aks-vnet-11112222'])(
    'comes from the name %s',
    async (name) => {
      const { facts } = await detect(
        { ...none, listNodeResourceNames: async () => ['other', name] },
        { VNET_SUBNET_ID: OWN_SUBNET },
      );
      expect(facts.clusterId).toMatchObject({
        value: '11112222',
        source: 'cluster',
        path: `name of ${name}`,
      });
    },
  );

  test('must be set by option when it cannot be detected, and nothing is launched before', async () => {
    const { detector: it } = detector(none, { VNET_SUBNET_ID: OWN_SUBNET });
    const { problems } = await it.refresh();
    expect(problems).toContainEqual({
      fact: 'clusterId',
      code: 'NotFound',
      message: expect.stringContaining('set CLUSTER_ID'),
      blocks: true,
    });
    expect(() => it.facts()).toThrow(ClusterFactsError);
  });

  test('is not guessed between two; a route table decides, for the security group as well', async () => {
    const two = { listNetworkSecurityGroups: async () => [nsg('00000001'), nsg('00000002')] };
    const env = { VNET_SUBNET_ID: OWN_SUBNET };
    const { problems } = await detect(two, env);
    expect(problems.map(({ fact, code }) => [fact, code])).toEqual([
      ['clusterId', 'Ambiguous'],
      ['networkSecurityGroup', 'Ambiguous'],
    ]);
    const names = async () => ['aks-agentpool-00000002-routetable'];
    const { facts } = await detect({ ...two, listNodeResourceNames: names }, env);
    expect([facts.clusterId?.value, facts.networkSecurityGroup?.value.name]).toEqual([
      '00000002',
      'aks-agentpool-00000002-nsg',
    ]);
  });
});

describe('nonsensical answers are errors that name the option that helps', () => {
  test.each<[string, Partial<ClusterReaders>, string, string]>([
    ['kubernetesVersion', { serverVersion: async () => 'devel' }, 'Malformed', 'KUBERNETES_VERSION'],
    ['caBundle', { clientConfigCA: async () => 'bm8=' }, 'Malformed', 'CLUSTER_CA_BUNDLE'],
    ['caBundle', { clientConfigCA: async () => undefined }, 'NotFound', 'CLUSTER_CA_BUNDLE'],
    ['vnetGuid', { getVirtualNetwork: async () => undefined }, 'NotFound', 'VNET_GUID'],
    ['vnetGuid', { getVirtualNetwork: async () => ({ resourceGuid: 'x' }) }, 'Malformed', 'VNET_GUID'],
    [
      'network',
      { managedCluster: async () => ({ networkProfile: { networkPlugin: 'kubenet' } }) },
      'Unsupported',
      'NETWORK_PLUGIN',
    ],
    [
      'diskEncryptionSetId',
      { managedCluster: async () => ({ diskEncryptionSetID: 'des' }) },
      'Malformed',
      'des',
    ],
  ])('%s', async (fact, answers, code, hint) => {
    const { problems } = await detect(answers);
    expect(problems).toContainEqual(
      expect.objectContaining({ fact, code, message: expect.stringContaining(hint) }),
    );
  });

  test('a reader that does not answer blocks launches and names itself', async () => {
    const { detector: it } = detector({ serverVersion: () => Promise.reject(new Error('ECONNREFUSED')) });
    await it.refresh();
    expect(() => it.facts()).toThrow('kubernetesVersion: cannot be read: ECONNREFUSED');
  });

  test('without permission to read the managed cluster, launches use the defaults and the missing permission is named', async () => {
    const { detector: it } = detector({
      managedCluster: () =>
        Promise.reject(refused(403, 'no Microsoft.ContainerService/managedClusters/read')),
    });
    const { problems } = await it.refresh();
    expect(problems).toMatchObject([{ fact: 'diskEncryptionSetId', code: 'Denied', blocks: false }]);
    expect(it.facts().network.plugin).toMatchObject({ value: 'azure', source: 'hardcoded' });
  });

  test('before the first round nothing is known, and launches say so', () => {
    const { detector: it } = detector();
    expect(() => it.facts()).toThrow('kubernetesVersion: has not been read yet');
  });
});

describe('over time', () => {
  test('the version is read every 15 minutes, and is that of the answer, also a lower one', async () => {
    let version = 'v1.33.4';
    let asked = 0;
    const { detector: it, world } = detector({
      serverVersion: async () => {
        asked++;
        return version;
      },
    });
    const seen = async (next: string) => {
      version = next;
      await world.clock.advance(15 * MINUTE);
      await it.refresh();
      return it.facts().kubernetesVersion.value;
    };
    await it.refresh();
    await world.clock.advance(14 * MINUTE);
    await it.refresh();
    expect(asked).toBe(1);
    expect(await seen('v1.34.0')).toBe('1.34.0');
    expect(await seen('v1.33.9')).toBe('1.33.9');
    expect(await seen('v1.34.1')).toBe('1.34.1');
  });

  test('a read that fails later keeps the last value, blocks nothing, and is tried again after a minute', async () => {
    let up = true;
    const { detector: it, world } = detector({
      serverVersion: async () => {
        if (!up) throw new Error('down');
        return 'v1.33.4';
      },
    });
    await it.refresh();
    up = false;
    await world.clock.advance(15 * MINUTE);
    expect((await it.refresh()).problems).toMatchObject([{ fact: 'kubernetesVersion', blocks: false }]);
    expect(it.facts().kubernetesVersion.value).toBe('1.33.4');
    expect(it.dueInMs()).toBeLessThanOrEqual(MINUTE);
    up = true;
    await world.clock.advance(MINUTE);
    expect((await it.refresh()).problems).toEqual([]);
  });

  test('the loop runs on the clock, reads each value once a round, logs each problem once, and stops', async () => {
    const stop = new AbortController();
    let listed = 0;
    const { detector: it, world } = detector({
      listNetworkSecurityGroups: async () => {
        listed++;
        throw new Error('down');
      },
    });
    const running = it.run(stop.signal);
    await world.clock.advance(10 * MINUTE);
    stop.abort();
    await running;
    expect(listed).toBe(11);
    expect(
      world.lines.filter(({ message }) => message === 'cluster value could not be detected'),
    ).toHaveLength(2);
    expect(world.clock.pendingTimers).toBe(0);
  });

  test('an override that is set or removed while running counts from then on', async () => {
    const { detector: it, options } = detector();
    await it.refresh();
    options.current = clusterOptions({ KUBERNETES_VERSION: '1.29.0' });
    expect(it.facts().kubernetesVersion).toMatchObject({ value: '1.29.0', source: 'env' });
    options.current = clusterOptions();
    expect(it.facts().kubernetesVersion.value).toBe('1.33.4');
  });
});
