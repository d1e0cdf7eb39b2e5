import type { KubeObject, Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import type { AKSNodeClass, NodeClaim } from '../../../api/index.ts';
import { nodeClassOf } from '../node-class/node-class.fixture.ts';
import {
  diskEncryptionSetAdoption,
  diskEncryptionSetRecord,
  exemptByAdoption,
} from './disk-encryption-set-drift.ts';
import { azureDrift, type DriftValues } from './drift.ts';
import { adoptionRecords, launchRecords } from './records.ts';

const id = (name: string) =>
  `/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/${name}`;
const IMAGE = '/CommunityGalleries/g/images/2204gen2/versions/202608.10.0';

function claimOf(annotations: Record<string, string> = {}, name = 'a', imageID = IMAGE): Stored<NodeClaim> {
  return stored({
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: { name, annotations, labels: { 'karpenter.sh/nodepool': 'general' } },
    spec: {
      nodeClassRef: { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' },
      requirements: [],
    },
    status: { imageID },
  });
}

function readyClass(annotations: Record<string, string> = {}): Stored<AKSNodeClass> {
  const condition = (type: string) => ({
    type,
    status: 'True' as const,
    observedGeneration: 1,
    lastTransitionTime: '2026-08-21T00:00:00Z',
    reason: type,
    message: '',
  });
  const nodeClass = nodeClassOf(
    {},
    {
      status: {
        kubernetesVersion: '1.34.2',
        images: [{ id: IMAGE, requirements: [] }],
        conditions: [condition('KubernetesVersionReady'), condition('ImagesReady')],
      },
    },
  );
  return { ...nodeClass, metadata: { ...nodeClass.metadata, annotations } };
}

const nodeOf = (kubeletVersion: string, labels: Record<string, string> = {}): KubeObject => ({
  metadata: { name: 'node', labels },
  status: { nodeInfo: { kubeletVersion } },
});

const VALUES: DriftValues = {
  kubeletIdentityClientID: 'client-1',
  diskEncryptionSet: { id: undefined },
  diskEncryptionSetDrift: 'recorded',
  cluster: {},
};
const HASH = 'karpenter.azure.com/aksnodeclass-hash';
const HASH_VERSION = 'karpenter.azure.com/aksnodeclass-hash-version';
const IDENTITY = 'kubernetes.azure.com/kubelet-identity-client-id';

const drift = (question: Partial<Parameters<typeof azureDrift>[0]>, values: Partial<DriftValues> = {}) =>
  azureDrift(
    { claim: claimOf(), nodeClass: readyClass(), node: nodeOf('v1.34.2'), ...question },
    { ...VALUES, ...values },
  );

describe('a node drifts', () => {
  test('not at all when it is what would be launched today', () => {
    expect(drift({})).toBeUndefined();
  });

  test('when the hash of its class differs, both of one version', () => {
    const claim = claimOf({ [HASH]: '1', [HASH_VERSION]: 'v3' });
    const changed = readyClass({ [HASH]: '2', [HASH_VERSION]: 'v3' });
    expect(drift({ claim, nodeClass: changed })).toMatchObject({ reason: 'NodeClassDrift' });
    expect(drift({ claim, nodeClass: readyClass({ [HASH]: '2', [HASH_VERSION]: 'v4' }) })).toBeUndefined();
    expect(drift({ claim, nodeClass: readyClass({ [HASH]: '2' }) })).toBeUndefined();
    expect(drift({ nodeClass: changed })).toBeUndefined();
  });

  test('when its kubelet is not the version of the class', () => {
    expect(drift({ node: nodeOf('v1.33.9') })).toEqual({
      reason: 'K8sVersionDrift',
      message: 'the kubelet has version 1.33.9, and new nodes get 1.34.2',
    });
    expect(drift({ node: undefined })).toBeUndefined();
    expect(drift({ node: nodeOf('v1.33.9'), nodeClass: nodeClassOf() })).toBeUndefined();
  });

  test('not for ever when the image itself brings another kubelet', () => {
    const claim = claimOf({ 'chandler.sh/kubernetes-version': '1.34.2' });
    expect(drift({ claim, node: nodeOf('v1.34.1') })).toBeUndefined();
    const older = claimOf({ 'chandler.sh/kubernetes-version': '1.34.1' });
    expect(drift({ claim: older, node: nodeOf('v1.34.1') })).toMatchObject({ reason: 'K8sVersionDrift' });
  });

  test('not because the API server is upgraded, as long as new nodes get the old version', () => {
    const claim = claimOf({ 'chandler.sh/kubernetes-version': '1.34.2' });
    const kubernetesVersion = { value: '1.35.0', source: 'cluster', path: '/version' } as const;
    expect(drift({ claim }, { cluster: { kubernetesVersion } })).toBeUndefined();
    const upgraded = readyClass();
    const nodeClass = { ...upgraded, status: { ...upgraded.status, kubernetesVersion: '1.35.0' } };
    expect(drift({ claim, nodeClass, node: undefined }, { cluster: { kubernetesVersion } })).toMatchObject({
      reason: 'K8sVersionDrift',
    });
  });

  test('when its kubelet has another identity; without the label it is left alone', () => {
    expect(drift({ node: nodeOf('v1.34.2', { [IDENTITY]: 'client-0' }) })).toMatchObject({
      reason: 'KubeletIdentityDrift',
    });
    expect(drift({ node: nodeOf('v1.34.2', { [IDENTITY]: 'client-1' }) })).toBeUndefined();
    expect(drift({ node: nodeOf('v1.34.2') })).toBeUndefined();
  });

  test('when its image is no longer among those of the class', () => {
    expect(drift({ claim: claimOf({}, 'a', '/old') })).toMatchObject({ reason: 'ImageDrift' });
    expect(drift({ claim: claimOf({}, 'a', '') })).toBeUndefined();
  });

  test('for the first reason only, in order', () => {
    const claim = claimOf({ [HASH]: '1', [HASH_VERSION]: 'v3' }, 'a', '/old');
    const nodeClass = readyClass({ [HASH]: '2', [HASH_VERSION]: 'v3' });
    expect(drift({ claim, nodeClass, node: nodeOf('v1.33.0') })?.reason).toBe('NodeClassDrift');
  });

  test('never while its class or pool is being deleted', () => {
    const nodeClass = readyClass();
    nodeClass.metadata.deletionTimestamp = '2026-08-21T00:00:00Z';
    expect(drift({ nodeClass, node: nodeOf('v1.33.0') })).toBeUndefined();
  });

  test('for cluster values last', () => {
    const claim = claimOf({ 'chandler.sh/dns-service-ip': '10.0.0.10' });
    const cluster = { dnsServiceIP: { value: '10.2.0.10', source: 'cluster' as const, path: '' } };
    expect(drift({ claim }, { cluster })).toEqual({
      reason: 'DNSServiceIPDrift',
      message: 'dnsServiceIP was 10.0.0.10 at launch and is 10.2.0.10 now',
    });
    expect(drift({}, { cluster })).toBeUndefined();
  });
});

describe('the disk encryption set', () => {
  test('that was recorded and is no longer used is drift, with both ids', () => {
    const claim = claimOf(diskEncryptionSetRecord(id('a')));
    expect(drift({ claim }, { diskEncryptionSet: { id: id('b') } })).toEqual({
      reason: 'DiskEncryptionSetDrift',
      message: `the OS disk has disk encryption set ${id('a')}, and new OS disks get disk encryption set ${id('b')}`,
    });
    expect(drift({ claim }, { diskEncryptionSet: { id: id('A').toUpperCase() } })).toBeUndefined();
    expect(drift({ claim })?.message).toContain('no disk encryption set');
  });

  test('that is set after a launch without one is drift too', () => {
    const claim = claimOf(diskEncryptionSetRecord(undefined));
    expect(drift({ claim })).toBeUndefined();
    expect(drift({ claim }, { diskEncryptionSet: { id: id('a') } })).toMatchObject({
      reason: 'DiskEncryptionSetDrift',
    });
  });

  test('is no drift on a claim without a record, until it is adopted', () => {
    for (const diskEncryptionSetDrift of ['recorded', 'actual'] as const) {
      expect(drift({}, { diskEncryptionSet: { id: id('a') }, diskEncryptionSetDrift })).toBeUndefined();
    }
  });
});

describe('records', () => {
  const cluster = {
    kubernetesVersion: { value: '1.34.2', source: 'cluster' as const, path: '' },
    dnsServiceIP: { value: '10.2.0.10', source: 'cluster' as const, path: '' },
  };

  test('of a launch hold the set and the values of the cluster', () => {
    expect(launchRecords({ diskEncryptionSetID: id('a'), cluster })).toEqual({
      'chandler.sh/disk-encryption-set': id('a'),
      'chandler.sh/kubernetes-version': '1.34.2',
      'chandler.sh/dns-service-ip': '10.2.0.10',
    });
  });

  test('of an adopted claim hold what its VM has: an upgrade that was in flight goes on', () => {
    const node = nodeOf('v1.33.9');
    const records = adoptionRecords({
      claim: claimOf(),
      node,
      diskEncryptionSet: { actual: undefined, now: undefined },
      cluster,
    });
    expect(records).toEqual({
      'chandler.sh/disk-encryption-set': 'none',
      'chandler.sh/kubernetes-version': '1.33.9',
      'chandler.sh/dns-service-ip': '10.2.0.10',
    });
    expect(drift({ claim: claimOf(records), node }, { cluster })).toMatchObject({
      reason: 'K8sVersionDrift',
    });
  });
});

describe('an adopted claim', () => {
  test('gets its record from its VM, and only once', () => {
    const record = diskEncryptionSetAdoption(claimOf(), id('a'), id('a'));
    expect(record).toEqual({ 'chandler.sh/disk-encryption-set': id('a') });
    expect(diskEncryptionSetAdoption(claimOf(record), id('b'), id('c'))).toEqual({});
  });

  const adopted = claimOf(diskEncryptionSetAdoption(claimOf(), undefined, id('a')), 'old');

  test('that differs does not drift, unless the operator wants it', () => {
    expect(drift({ claim: adopted }, { diskEncryptionSet: { id: id('a') } })).toBeUndefined();
    expect(
      drift({ claim: adopted }, { diskEncryptionSet: { id: id('a') }, diskEncryptionSetDrift: 'actual' }),
    ).toMatchObject({ reason: 'DiskEncryptionSetDrift' });
  });

  test('drifts like any other when the set is changed afterwards', () => {
    expect(drift({ claim: adopted }, { diskEncryptionSet: { id: id('b') } })).toMatchObject({
      reason: 'DiskEncryptionSetDrift',
    });
  });

  test('that differs is named in an event on its pool', () => {
    const launched = claimOf(diskEncryptionSetRecord(id('a')), 'new');
    const many = Array.from({ length: 7 }, (_, at) => ({
      ...adopted,
      metadata: { ...adopted.metadata, name: `old-${at}` },
    }));
    const [pool, ...rest] = exemptByAdoption([launched, ...many.toReversed()], () => ({ id: id('a') }));
    expect(rest).toEqual([]);
    expect(pool).toMatchObject({ nodePool: 'general', claims: many.map((claim) => claim.metadata.name) });
    expect(pool?.message).toContain(`old-0 has no disk encryption set, not disk encryption set ${id('a')}`);
    expect(pool?.message).toContain('and 2 more');
    expect(exemptByAdoption([launched, ...many], () => ({ id: undefined }))).toEqual([]);
  });
});
