/** Which volume of a pod is where a static NodePool has no node. */
import { expect, test } from 'vitest';

import { type BoundVolume, volumeElsewhere } from './bound-volumes.ts';
import type { NodeShape, PoolShape } from './shapes.ts';

const ZONE = 'topology.kubernetes.io/zone';
const HOST = 'kubernetes.io/hostname';

const aPool = (zones?: readonly string[]) => {
  const requirements = zones === undefined ? [] : [{ key: ZONE, operator: 'In', values: zones }];
  return { metadata: { name: 'db' }, spec: { template: { spec: { requirements } } } } as unknown as PoolShape;
};
const nodesIn = (...zones: readonly string[]) =>
  zones.map((zone, index) => ({
    metadata: { name: `n${index}`, labels: { [ZONE]: zone, [HOST]: `n${index}` } },
  })) as unknown as readonly NodeShape[];
const aVolume = (volume: string, key: string, ...places: readonly string[]): BoundVolume => ({
  claim: `shop/${volume}`,
  volume,
  key,
  places,
});

test('the volume is named that is in a zone without a node, and not the one beside a node', () => {
  const volumes = [aVolume('logs', ZONE, '1'), aVolume('data', ZONE, '3')];
  expect(volumeElsewhere(aPool(), nodesIn('2', '1', '1'), volumes)).toEqual({
    facts: { key: ZONE, claim: 'shop/data', volume: 'data', place: '3', isAllowed: 'true', values: '3' },
    text: `PersistentVolume data of PersistentVolumeClaim shop/data is in 3 (${ZONE}), and none of its nodes is there (1, 2)`,
  });
});

test('a volume that several zones can mount needs a node in one of them', () => {
  const volumes = [aVolume('data', ZONE, '2', '3')];
  expect(volumeElsewhere(aPool(), nodesIn('1', '3'), volumes)).toBeUndefined();
  const facts = { place: '2 or 3', values: '2 3', isAllowed: 'true' };
  expect(volumeElsewhere(aPool(), nodesIn('1'), volumes)).toMatchObject({ facts });
  expect(volumeElsewhere(aPool(['1', '3']), nodesIn('1'), volumes)).toMatchObject({ facts });
});

test('a zone that the NodePool excludes, and a host, are not allowed', () => {
  const asked = (pool: PoolShape, volume: BoundVolume) =>
    volumeElsewhere(pool, nodesIn('1'), [volume])?.facts;
  expect(asked(aPool(['1', '2']), aVolume('data', ZONE, '3'))).not.toHaveProperty('isAllowed');
  expect(asked(aPool(), aVolume('data', HOST, 'n7'))).toEqual({
    key: HOST,
    claim: 'shop/data',
    volume: 'data',
    place: 'n7',
  });
  expect(asked(aPool(), aVolume('data', HOST, 'n0'))).toBeUndefined();
});

test('while no node can be read, the volume is named without the zones of nodes', () => {
  expect(volumeElsewhere(aPool(), [], [aVolume('data', ZONE, '3')])?.text).toMatch(
    /none of its nodes is there$/,
  );
});
