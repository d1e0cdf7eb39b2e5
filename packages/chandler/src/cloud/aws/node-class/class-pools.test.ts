import type { Stored } from '@chandler/kube';
import { stored } from '@chandler/kube/testing';
import { expect, test } from 'vitest';
import type { NodePool } from '../../../api/index.ts';
import { classPools } from './class-pools.ts';

const OWN = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };

function aPool(name: string, nodeClassRef: typeof OWN, template: object = {}): Stored<NodePool> {
  return stored({
    metadata: { name },
    spec: { template: { ...template, spec: { nodeClassRef, requirements: [] } } },
  }) as Stored as Stored<NodePool>;
}

test('of the NodePools only those that name the class', () => {
  const pools = [
    aPool('own', OWN),
    aPool('other', { ...OWN, name: 'other' }),
    aPool('azure', { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' }),
  ];
  expect(classPools(pools, 'default')).toEqual([{ name: 'own', requirements: [] }]);
});

test('labels of the template limit instance types as requirements do', () => {
  const pool = aPool('own', OWN, { metadata: { labels: { 'karpenter.k8s.aws/instance-family': 'c5' } } });
  expect(classPools([pool], 'default')[0]!.requirements).toEqual([
    { key: 'karpenter.k8s.aws/instance-family', operator: 'In', values: ['c5'] },
  ]);
});
