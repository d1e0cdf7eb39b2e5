import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { ArmError, BAD_ANSWER, NO_TOKEN } from '../../../arm/index.ts';
import { clusterOptions, clusterReaders, nsg, OWN_SUBNET, refused, VNET_GUID } from './cluster.fixture.ts';
import { clusterValueDrift, recordClusterValues } from './cluster-drift.ts';
import { ClusterDetector } from './detector.ts';
import type { ClusterProblem, ClusterReaders, ManagedClusterView } from './facts.ts';

const HOUR_MS = 3600_000;

/** Pods get addresses of the virtual network: none of the defaults. */
const NO_OVERLAY: ManagedClusterView = {
  networkProfile: { networkPlugin: 'azure', networkDataplane: 'azure', networkPolicy: 'calico' },
};
const OVERLAY: ManagedClusterView = {
  networkProfile: { networkPlugin: 'azure', networkPluginMode: 'overlay', networkDataplane: 'azure' },
};
const DENIED = refused(403, 'no Microsoft.ContainerService/managedClusters/read');

/** A detector whose readers and options can be changed between two rounds. */
function changing(first: Partial<ClusterReaders>, env: Record<string, string> = {}) {
  const world = virtualWorld();
  const readers = clusterReaders(first);
  const options = { current: clusterOptions(env) };
  const detector = new ClusterDetector({ world, readers, options: () => options.current });
  return {
    world,
    options,
    detector,
    async later(answers: Partial<ClusterReaders>, ms = HOUR_MS) {
      Object.assign(readers, answers);
      await world.clock.advance(ms);
      return detector.refresh();
    },
  };
}

describe('a value of the cluster that can no longer be read', () => {
  test.each([
    [403, 'Denied'],
    [404, 'NotFound'],
  ])(
    'after HTTP %i about the managed cluster its network stays as it was, with a problem',
    async (status, code) => {
      const { detector, later } = changing({ managedCluster: async () => NO_OVERLAY });
      const { facts: before } = await detector.refresh();
      const records = recordClusterValues(before);
      const { facts, problems } = await later({
        managedCluster: () => Promise.reject(refused(status, 'managedClusters/read')),
      });
      expect(facts.network).toEqual(before.network);
      expect(facts.vnetGuid).toEqual(before.vnetGuid);
      expect(problems.filter(({ fact }) => fact !== 'diskEncryptionSetId')).toEqual([
        {
          fact: 'vnetGuid',
          code,
          blocks: false,
          message: expect.stringContaining('set VNET_GUID'),
        },
        {
          fact: 'network',
          code,
          blocks: false,
          message: expect.stringMatching(/managedClusters\/read.*set NETWORK_PLUGIN/),
        },
      ]);
      expect(clusterValueDrift(records, facts).drifts).toEqual([]);
      expect(recordClusterValues(facts)).toEqual(records);
    },
  );

  test.each([
    ['a page of a proxy', { status: 403, code: BAD_ANSWER }],
    ['no token', { status: 403, code: NO_TOKEN }],
  ])('blocks launches after %s: no default replaces what Azure was not asked about', async (_, error) => {
    const reader = new ClusterDetector({
      world: virtualWorld(),
      readers: clusterReaders({
        managedCluster: () => Promise.reject(new ArmError({ ...error, message: 'HTTP 403' })),
      }),
      options: () => clusterOptions(),
    });
    const { facts, problems } = await reader.refresh();
    expect(facts.network).toBeUndefined();
    expect(problems).toContainEqual({
      fact: 'diskEncryptionSetId',
      code: 'Unreachable',
      blocks: true,
      message: expect.stringContaining('HTTP 403'),
    });
  });

  test('is read again within a minute, and the problem ends', async () => {
    const { detector, later, world } = changing({ managedCluster: async () => NO_OVERLAY });
    await detector.refresh();
    await later({ managedCluster: () => Promise.reject(DENIED) });
    expect(detector.dueInMs()).toBeLessThanOrEqual(60_000);
    const { facts, problems } = await later({ managedCluster: async () => OVERLAY }, 60_000);
    expect(problems).toEqual([]);
    expect(facts.network?.pluginMode).toMatchObject({ value: 'overlay', source: 'cluster' });
    expect(facts.vnetGuid).toMatchObject({ value: VNET_GUID });
    expect(
      world.lines.filter(({ message }) => message === 'cluster value could not be detected'),
    ).toHaveLength(3);
  });

  test('gives way to an option that is set meanwhile; the other parts stay', async () => {
    const { detector, later, options } = changing({ managedCluster: async () => NO_OVERLAY });
    await detector.refresh();
    options.current = clusterOptions({ NETWORK_POLICY: 'azure' });
    const { facts } = await later({ managedCluster: () => Promise.reject(DENIED) });
    expect(facts.network).toMatchObject({
      policy: { value: 'azure', source: 'env' },
      pluginMode: { value: '', source: 'cluster' },
      dataplane: { value: 'azure', source: 'cluster' },
    });
  });

  test('a Service kube-dns that is missing for a moment does not replace the address of DNS', async () => {
    const { detector, later } = changing({});
    await detector.refresh();
    const { facts, problems } = await later({ kubeDnsServiceIP: async () => undefined });
    expect(facts.dnsServiceIP).toMatchObject({ value: '10.2.0.10', source: 'cluster' });
    expect(problems).toEqual([
      {
        fact: 'dnsServiceIP',
        code: 'NotFound',
        blocks: false,
        message: expect.stringContaining('set DNS_SERVICE_IP'),
      },
    ]);
  });
});

describe('a value that the cluster does not have', () => {
  const failures: readonly (readonly [string, Error])[] = [
    ['HTTP 503', refused(503, 'busy')],
    ['HTTP 429', refused(429, 'throttled')],
    ['a timeout', new Error('timeout')],
  ];

  test.each(failures)('stays absent and blocks no launch after %s', async (_, error) => {
    const { detector, later } = changing(
      { listNetworkSecurityGroups: async () => [] },
      { CLUSTER_ID: '12345678' },
    );
    await detector.refresh();
    const down = {
      managedCluster: () => Promise.reject(error),
      listNetworkSecurityGroups: () => Promise.reject(error),
    };
    const expected = [
      { fact: 'networkSecurityGroup', code: 'Unreachable', blocks: false },
      { fact: 'diskEncryptionSetId', code: 'Unreachable', blocks: false },
    ];
    const absences = (problems: readonly ClusterProblem[]) =>
      problems.filter(({ fact }) => fact === 'networkSecurityGroup' || fact === 'diskEncryptionSetId');
    // The second failure in a row finds only the first one in memory.
    for (const ms of [HOUR_MS, 60_000])
      expect(absences((await later(down, ms)).problems)).toMatchObject(expected);
    const { diskEncryptionSetId, networkSecurityGroup } = detector.facts();
    expect([diskEncryptionSetId, networkSecurityGroup]).toEqual([undefined, undefined]);
  });

  test('and may not be read blocks no launch either when Azure does not answer later', async () => {
    const { detector, later } = changing({ managedCluster: () => Promise.reject(DENIED) });
    await detector.refresh();
    const { problems } = await later({ managedCluster: () => Promise.reject(refused(503, 'busy')) });
    expect(problems.filter(({ blocks }) => blocks)).toEqual([]);
    expect(detector.facts().diskEncryptionSetId).toBeUndefined();
  });

  test('is no excuse when there turn out to be several', async () => {
    const { detector, later } = changing(
      { listNetworkSecurityGroups: async () => [] },
      { CLUSTER_ID: '12345678' },
    );
    await detector.refresh();
    const several = [nsg('00000001'), nsg('00000002')];
    const { problems } = await later({ listNetworkSecurityGroups: async () => several });
    expect(problems).toMatchObject([{ fact: 'networkSecurityGroup', code: 'Ambiguous', blocks: true }]);
    const after = await later({ listNetworkSecurityGroups: () => Promise.reject(refused(503, 'busy')) });
    expect(after.problems).toMatchObject([{ code: 'Unreachable', blocks: true }]);
  });
});

describe('the GUID of the virtual network', () => {
  test('of a new process that may not read the managed cluster replaces no node without an overlay', async () => {
    const before = changing({ managedCluster: async () => NO_OVERLAY });
    const records = recordClusterValues((await before.detector.refresh()).facts);
    const after = changing({ managedCluster: () => Promise.reject(DENIED) });
    const { facts } = await after.detector.refresh();
    expect(facts.vnetGuid).toMatchObject({ value: VNET_GUID });
    expect(clusterValueDrift(records, facts).drifts).toEqual([]);
    expect(clusterValueDrift({}, facts).adopt).not.toHaveProperty('chandler.sh/vnet-guid');
  });

  test('drifts all the same when the nodes move to another virtual network', async () => {
    const { detector, later, options } = changing({});
    const records = recordClusterValues((await detector.refresh()).facts);
    options.current = clusterOptions({ VNET_SUBNET_ID: OWN_SUBNET });
    const { facts } = await later({
      getVirtualNetwork: async () => ({ resourceGuid: '00000000-0000-4000-8000-000000000001' }),
    });
    expect(clusterValueDrift(records, facts).drifts).toMatchObject([{ reason: 'VnetGUIDDrift' }]);
  });

  test('follows the network in the same round when a cluster gets an overlay', async () => {
    const { detector, later } = changing({ managedCluster: async () => NO_OVERLAY });
    await detector.refresh();
    const { facts } = await later({ managedCluster: async () => OVERLAY }, 15 * 60_000);
    expect(facts.network?.pluginMode.value).toBe('overlay');
    expect(facts.vnetGuid?.value).toBe(VNET_GUID);
  });
});
