import { describe, expect, test } from 'vitest';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  aksNodeClassHash,
  EC2_NODE_CLASS_HASH_VERSION,
  ec2NodeClassHash,
  NODE_POOL_HASH_VERSION,
  nodePoolHash,
} from './drift-hash.ts';

/** Golden values are upstream's own: from its tests, or printed by its code. */

describe('the hash of a NodePool', () => {
  const nodeClassRef = { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' };
  const pool = (spec: object, metadata?: object) => ({
    spec: { template: { metadata, spec: { nodeClassRef, ...spec } } },
  });

  test.each([
    ['with 720h', pool({ expireAfter: '720h' }), '12745407319442031341'],
    ['that never expires', pool({ expireAfter: 'Never' }), '7428780003907761376'],
    [
      'with label, taint and grace period',
      pool(
        {
          expireAfter: '720h',
          taints: [{ key: 'k', value: 'v', effect: 'NoSchedule' }],
          terminationGracePeriod: '30m',
        },
        { labels: { a: 'b' } },
      ),
      '8722337967076917102',
    ],
  ])("%s is upstream's", (_, nodePool, expected) => {
    expect(nodePoolHash(nodePool)).toBe(expected);
    expect(NODE_POOL_HASH_VERSION).toBe('v3');
  });

  test('does not change with requirements, limits, budgets, or fields of our own', () => {
    const base = pool({ expireAfter: '720h' });
    const changed = {
      spec: {
        weight: 3,
        limits: { cpu: '10' },
        disruption: { budgets: [{ nodes: '1' }] },
        template: {
          spec: { ...base.spec.template.spec, requirements: [{ key: 'a', operator: 'Exists' }], ownField: 1 },
        },
      },
    };
    expect(nodePoolHash(changed)).toBe(nodePoolHash(base));
  });

  test('writes a duration in any way it likes', () => {
    expect(nodePoolHash(pool({ expireAfter: '43200m' }))).toBe(nodePoolHash(pool({ expireAfter: '720h' })));
  });

  test('does not depend on the order of taints', () => {
    const taints = [
      { key: 'a', effect: 'NoSchedule' },
      { key: 'b', effect: 'NoExecute', timeAdded: '2026-08-21T10:00:00.5Z' },
    ];
    expect(nodePoolHash(pool({ taints }))).toBe(nodePoolHash(pool({ taints: taints.toReversed() })));
    expect(nodePoolHash(pool({ taints }))).not.toBe(nodePoolHash(pool({ taints: taints.slice(1) })));
  });

  test('an empty list and an absent list have different hashes, as in Go', () => {
    expect(nodePoolHash(pool({ taints: [] }))).not.toBe(nodePoolHash(pool({})));
    expect(nodePoolHash({})).toBe(nodePoolHash({ spec: { template: { metadata: {}, spec: {} } } }));
  });
});

describe('the hash of an AKSNodeClass', () => {
  const base = {
    vnetSubnetID: 'subnet-id',
    osDiskSizeGB: 30,
    imageFamily: 'Ubuntu2204',
    tags: { 'keyTag-1': 'valueTag-1' },
    kubelet: {
      cpuManagerPolicy: 'static',
      cpuCFSQuota: true,
      cpuCFSQuotaPeriod: '100ms',
      imageGCHighThresholdPercent: 85,
      imageGCLowThresholdPercent: 80,
      topologyManagerPolicy: 'none',
      allowedUnsafeSysctls: ['net.core.somaxconn'],
      containerLogMaxSize: '10Mi',
      containerLogMaxFiles: 10,
    },
    maxPods: 100,
  };
  const zone = (fields: object) => [{ zone: 'example.com', ...fields }];

  test.each([
    ['nothing', {}, '4108492229247269128'],
    ['the tags', { tags: { other: 'x' } }, '4108492229247269128'],
    ['the subnet', { vnetSubnetID: 'subnet-id-2' }, '13971920214979852468'],
    ['the disk size', { osDiskSizeGB: 40 }, '7816855636861645563'],
    ['the image family', { imageFamily: 'AzureLinux' }, '15616969746300892810'],
    ['the kubelet', { kubelet: { ...base.kubelet, cpuManagerPolicy: 'none' } }, '33638514539106194'],
    ['the number of pods', { maxPods: 200 }, '15508761509963240710'],
    ['the mode of the local DNS', { localDNS: { mode: 'Required' } }, '17805442572569734619'],
    [
      'a vnet zone',
      { localDNS: { vnetDNSOverrides: zone({ queryLogging: 'Log' }) } },
      '14608914734386108436',
    ],
    [
      'a cluster zone',
      { localDNS: { kubeDNSOverrides: zone({ protocol: 'ForceTCP' }) } },
      '4529827108104295737',
    ],
    [
      'a cache duration',
      { localDNS: { vnetDNSOverrides: zone({ cacheDuration: '1h' }) } },
      '11008649797056761238',
    ],
    [
      'a stale duration',
      { localDNS: { vnetDNSOverrides: zone({ serveStaleDuration: '30m' }) } },
      '4895720480850206885',
    ],
    ['artifact streaming', { artifactStreaming: { enabled: true } }, '15355387647114481444'],
    ['a field of our own', { diskEncryptionSetID: 'x' }, '4108492229247269128'],
  ])("is upstream's when %s is changed", (_, change, expected) => {
    expect(aksNodeClassHash({ spec: { ...base, ...change } })).toBe(expected);
    expect(AKS_NODE_CLASS_HASH_VERSION).toBe('v3');
  });

  test('counts a switch that is set to false', () => {
    const off = aksNodeClassHash({ spec: { ...base, security: { encryptionAtHost: false } } });
    const unset = aksNodeClassHash({ spec: { ...base, security: {} } });
    expect(new Set([off, unset, aksNodeClassHash({ spec: base })]).size).toBe(3);
  });
});

describe('the hash of an EC2NodeClass', () => {
  const ebs = {
    deleteOnTermination: false,
    encrypted: false,
    iops: 0,
    kmsKeyID: 'fakeKMSKeyID',
    snapshotID: 'fakeSnapshot',
    throughput: 0,
    volumeSize: '2G',
    volumeType: 'standard',
  };
  const mappings = (size: string, rootVolume = false) => [
    { deviceName: 'map-device-1', rootVolume, ebs: { ...ebs, volumeSize: size } },
    { deviceName: 'map-device-2' },
  ];
  const metadataOptions = {
    httpEndpoint: 'disabled',
    httpProtocolIPv6: 'disabled',
    httpPutResponseHopLimit: 1,
    httpTokens: 'optional',
  };
  const base = {
    role: 'role-1',
    tags: { 'keyTag-1': 'valueTag-1', 'keyTag-2': 'valueTag-2' },
    context: 'fake-context',
    detailedMonitoring: false,
    associatePublicIPAddress: false,
    metadataOptions,
    blockDeviceMappings: mappings('2G'),
    userData: 'userdata-test-1',
  };
  const caBundle = 'test-ca-bundle';

  test.each([
    ['nothing', {}, '11148166120438674859'],
    ['the user data', { userData: 'userdata-test-2' }, '11774429238106843388'],
    ['the context', { context: 'context-2' }, '2279761750428738028'],
    ['detailed monitoring', { detailedMonitoring: true }, '1936848126751988570'],
    ['the instance store', { instanceStorePolicy: 'RAID0' }, '16697988646989909967'],
    ['public addresses', { associatePublicIPAddress: true }, '16141801171825097963'],
    [
      'a metadata option',
      { metadataOptions: { ...metadataOptions, httpTokens: 'required' } },
      '1346719102507290084',
    ],
    ['the volume size', { blockDeviceMappings: mappings('10G') }, '10372902467896351912'],
    ['the root volume', { blockDeviceMappings: mappings('2G', true) }, '8875796205856543692'],
    ['connection tracking', { connectionTracking: { udpTimeout: 45 } }, '17941926745862994490'],
    ['nested virtualization', { cpuOptions: { nestedVirtualization: 'enabled' } }, '6157846767212910604'],
    ['the order of volumes', { blockDeviceMappings: mappings('2G').toReversed() }, '11148166120438674859'],
    ['a selector', { subnetSelectorTerms: [{ tags: { a: 'b' } }] }, '11148166120438674859'],
  ])("is upstream's v6 when %s is changed", (_, change, expected) => {
    expect(ec2NodeClassHash({ spec: { ...base, ...change } }, { caBundle })).toBe(expected);
    expect(EC2_NODE_CLASS_HASH_VERSION).toBe('v6');
  });

  test('takes the image family from the alias when it is not named', () => {
    const alias = (text: string) =>
      ec2NodeClassHash({ spec: { ...base, amiSelectorTerms: [{}, { alias: text }] } });
    const named = (amiFamily: string) => ec2NodeClassHash({ spec: { ...base, amiFamily } });
    expect(alias('al2023@latest')).toBe(named('AL2023'));
    expect(alias('bottlerocket@v1.20')).toBe(named('Bottlerocket'));
    expect(alias('nonsense')).toBe(named('Custom'));
    expect(ec2NodeClassHash({ spec: base })).toBe(named('Custom'));
  });

  test('hashes kubelet settings as text in v6 and as a struct in v5', () => {
    const kubelet = {
      maxPods: 110,
      kubeReserved: { cpu: '100m' },
      evictionSoftGracePeriod: { 'memory.available': '1m' },
    };
    const shuffled = Object.fromEntries(Object.entries(kubelet).toReversed());
    for (const version of ['v5', 'v6'] as const) {
      const hash = ec2NodeClassHash({ spec: { ...base, kubelet } }, { version });
      expect(hash).toBe(ec2NodeClassHash({ spec: { ...base, kubelet: shuffled } }, { version }));
      expect(hash).not.toBe(ec2NodeClassHash({ spec: base }, { version }));
    }
    const empty = { spec: { ...base, kubelet: {} } };
    expect(ec2NodeClassHash(empty)).toBe(ec2NodeClassHash({ spec: base }));
    expect(ec2NodeClassHash(empty, { version: 'v5' })).not.toBe(
      ec2NodeClassHash({ spec: base }, { version: 'v5' }),
    );
  });

  test('changes with the CA bundle', () => {
    expect(ec2NodeClassHash({ spec: base }, { caBundle })).not.toBe(ec2NodeClassHash({ spec: base }));
  });
});
