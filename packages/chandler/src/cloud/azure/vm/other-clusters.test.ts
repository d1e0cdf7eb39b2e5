import { virtualWorld } from '@chandler/kube/testing';
import { describe, expect, test } from 'vitest';
import { OtherClusters } from './other-clusters.ts';

const thing = (name: string, cluster?: string, tag = 'karpenter.azure.com_cluster') => ({
  name,
  tags: { 'karpenter.sh_nodepool': 'p', ...(cluster === undefined ? {} : { [tag]: cluster }) },
});

function fixture() {
  const { log, lines } = virtualWorld();
  let clusterName = 'shop';
  const others = new OtherClusters({ log, resourceGroup: 'MC_shop', clusterName: () => clusterName });
  return {
    left: (...things: readonly ReturnType<typeof thing>[]) => others.without(things).map(({ name }) => name),
    warnings: () => lines.filter(({ level }) => level === 'warn').map(({ fields }) => fields),
    rename(name: string) {
      clusterName = name;
    },
  };
}

describe('what is in our resource group', () => {
  test('and carries the name of another cluster is left out; ours in any case, and what has no name, stay', () => {
    const { left } = fixture();
    expect(
      left(
        thing('ours', 'shop'),
        thing('loud', 'SHOP', 'Karpenter.Azure.Com_Cluster'),
        thing('unnamed'),
        thing('theirs', 'bank'),
        thing('theirs-too', 'shop-2', 'KARPENTER.AZURE.COM_CLUSTER'),
      ),
    ).toEqual(['ours', 'loud', 'unnamed']);
  });

  test('of other clusters is logged once for each of them', () => {
    const { left, warnings } = fixture();
    for (let look = 0; look < 2; look++) left(thing('a', 'bank'), thing('b', 'Bank'), thing('c', 'mill'));
    expect(warnings()).toMatchObject([
      { cluster: 'bank', example: 'a', ours: 'shop', resourceGroup: 'MC_shop' },
      { cluster: 'mill', example: 'c' },
    ]);
  });

  test('is compared with the current name of the cluster', () => {
    const { left, rename } = fixture();
    rename('bank');
    expect(left(thing('a', 'bank'), thing('b', 'shop'))).toEqual(['a']);
  });
});
