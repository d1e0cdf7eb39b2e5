import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { CA_BUNDLE, CA_PEM, clusterOptions, clusterReaders, nsg } from './cluster.fixture.ts';
import { caFingerprints, clusterValueDrift, recordClusterValues } from './cluster-drift.ts';
import { ClusterDetector } from './detector.ts';
import type { ClusterFacts } from './facts.ts';
import { isNewerVersion } from './kubernetes-version.ts';

async function factsNow(): Promise<ClusterFacts> {
  const options = clusterOptions();
  const detector = new ClusterDetector({
    world: virtualWorld(),
    readers: clusterReaders(),
    options: () => options,
  });
  await detector.refresh();
  return detector.facts();
}

describe('a claim whose cluster changed', () => {
  test('has the values of its launch on it, short and under our own names', async () => {
    const records = recordClusterValues(await factsNow());
    expect(records).toEqual({
      'chandler.sh/kubernetes-version': '1.33.4',
      'chandler.sh/cluster-ca': expect.stringMatching(/^sha256:[0-9a-f]{32}$/),
      'chandler.sh/cluster-id': '12345678',
      'chandler.sh/network-security-group': nsg('12345678').id.toLowerCase(),
      'chandler.sh/vnet-guid': 'a519e60a-cac0-40b2-b883-084477fe6f5c',
      'chandler.sh/dns-service-ip': '10.2.0.10',
      'chandler.sh/cluster-network': 'azure/overlay/cilium/-',
    });
  });

  test('does not drift while they are the same', async () => {
    const facts = await factsNow();
    expect(clusterValueDrift(recordClusterValues(facts), facts)).toEqual({ drifts: [], adopt: {} });
  });

  test('drifts when one differs, with both values in the message', async () => {
    const facts = await factsNow();
    const records = recordClusterValues(facts);
    const now = { ...facts, dnsServiceIP: { ...facts.dnsServiceIP, value: '10.0.0.99' } };
    expect(clusterValueDrift(records, now).drifts).toEqual([
      {
        fact: 'dnsServiceIP',
        reason: 'DNSServiceIPDrift',
        message: 'dnsServiceIP was 10.2.0.10 at launch and is 10.0.0.99 now',
      },
    ]);
  });

  test.each([
    ['1.34.0', ['K8sVersionDrift']],
    ['1.32.9', []],
    ['1.33.4', []],
  ])('with the API server at %s: %j', async (value, reasons) => {
    const facts = await factsNow();
    const now = { ...facts, kubernetesVersion: { ...facts.kubernetesVersion, value } };
    expect(clusterValueDrift(recordClusterValues(facts), now).drifts.map(({ reason }) => reason)).toEqual(
      reasons,
    );
  });

  test('without a record takes the values of today and does not drift', async () => {
    const facts = await factsNow();
    // The network of this cluster is what the options default to: a guess, which is not taken over.
    const {
      'chandler.sh/cluster-network': _,
      'chandler.sh/vnet-guid': __,
      ...known
    } = recordClusterValues(facts);
    const others: (Record<string, string> | undefined)[] = [undefined, {}, { 'karpenter.sh/x': 'y' }];
    for (const annotations of others) {
      expect(clusterValueDrift(annotations, facts)).toEqual({ drifts: [], adopt: known });
    }
  });

  test('neither drifts on nor records what is not known now', async () => {
    const facts = await factsNow();
    expect(clusterValueDrift(recordClusterValues(facts), {})).toEqual({ drifts: [], adopt: {} });
    expect(clusterValueDrift({}, {})).toEqual({ drifts: [], adopt: {} });
  });
});

test('a CA is the same however it is wrapped, and an empty annotation is a record', () => {
  const wrapped = Buffer.from(`# comment\n${CA_PEM}\n\n`).toString('base64');
  expect(caFingerprints(wrapped)).toBe(caFingerprints(CA_BUNDLE));
  expect(caFingerprints('bm8=')).not.toBe(caFingerprints(CA_BUNDLE));
  const vnetGuid = { value: 'x', source: 'cluster', path: '' } as const;
  expect(clusterValueDrift({ 'chandler.sh/vnet-guid': '' }, { vnetGuid }).drifts).toHaveLength(1);
});

test('a new CA in the bundle is drift, an old one that is dropped is not', () => {
  const other = CA_PEM.replace(/\n[A-Za-z0-9+/]{4}/, '\nABCD');
  const bundle = (...pems: string[]) => ({
    value: Buffer.from(pems.join('\n')).toString('base64'),
    source: 'cluster' as const,
    path: '',
  });
  const drifts = (was: string[], now: string[]) =>
    clusterValueDrift(recordClusterValues({ caBundle: bundle(...was) }), {
      caBundle: bundle(...now),
    }).drifts.map(({ reason }) => reason);
  expect(drifts([CA_PEM], [CA_PEM, other])).toEqual(['ClusterCADrift']);
  expect(drifts([CA_PEM], [other])).toEqual(['ClusterCADrift']);
  expect(drifts([CA_PEM, other], [other])).toEqual([]);
  expect(drifts([CA_PEM, other], [other, CA_PEM])).toEqual([]);
});

test.each([
  ['1.34.0', '1.33.9', true],
  ['1.9.0', '1.10.0', false],
  ['v1.34.0', '1.34.0', false],
  ['1.34.0', '1.34.0-rc.1', true],
  ['1.34.0-rc.1', '1.34.0-beta.9', true],
  ['1.34.0-rc.10', '1.34.0-rc.9', true],
  ['1.34.0+k3s2', '1.34.0+k3s1', false],
  ['1.34.0', 'nonsense', true],
  ['nonsense', '1.34.0', false],
])('%s is newer than %s: %s', (candidate, than, newer) => {
  expect(isNewerVersion(candidate, than)).toBe(newer);
});
