import { describe, expect, test } from 'vitest';
import { hardcoded } from '../../../settings/index.ts';
import { clusterValueDrift, recordClusterValues } from './cluster-drift.ts';
import type { ClusterFacts, ClusterNetwork } from './facts.ts';
import { fromCluster } from './finders.ts';

const NETWORK: ClusterNetwork = {
  plugin: fromCluster('azure', 'p'),
  pluginMode: fromCluster('', 'm'),
  dataplane: fromCluster('azure', 'd'),
  policy: fromCluster('calico', 'q'),
};
const KNOWN: Partial<ClusterFacts> = { network: NETWORK, dnsServiceIP: fromCluster('10.2.0.10', 's') };
/** What is left when the managed cluster may not be read any more and the Service of DNS is not there. */
const GUESSED: Partial<ClusterFacts> = {
  network: {
    plugin: hardcoded('azure'),
    pluginMode: hardcoded('overlay'),
    dataplane: hardcoded('cilium'),
    policy: hardcoded(''),
  },
  dnsServiceIP: hardcoded('10.0.0.10'),
};

describe('a value that was not set and is only the default', () => {
  test('replaces no node: losing a permission is no change of the cluster', () => {
    const records = recordClusterValues(KNOWN);
    expect(clusterValueDrift(records, KNOWN).drifts).toEqual([]);
    expect(clusterValueDrift(records, GUESSED).drifts).toEqual([]);
  });

  test('is not put on record for a claim that is adopted', () => {
    expect(clusterValueDrift({}, GUESSED).adopt).toEqual({});
    expect(clusterValueDrift({}, KNOWN).adopt).toEqual({
      'chandler.sh/cluster-network': 'azure/-/azure/calico',
      'chandler.sh/dns-service-ip': '10.2.0.10',
    });
  });

  test('beside others that are known does not hide that these changed', () => {
    const network = { ...NETWORK, policy: hardcoded(''), dataplane: fromCluster('cilium', 'd') };
    const { drifts } = clusterValueDrift(recordClusterValues(KNOWN), { network });
    expect(drifts).toMatchObject([{ reason: 'ClusterNetworkDrift' }]);
  });

  test('that a node was launched with gives way to what turns out to be so', () => {
    expect(clusterValueDrift(recordClusterValues(GUESSED), KNOWN).drifts.map(({ fact }) => fact)).toEqual([
      'dnsServiceIP',
      'network',
    ]);
  });
});
