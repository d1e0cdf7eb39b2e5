import { describe, expect, test } from 'vitest';
import { aPod, type PodShape } from '../cluster.fixture.ts';
import type { DefaultSpread } from '../model.ts';
import { DefaultSpreads } from './default-spread.ts';

const ZONE = 'topology.kubernetes.io/zone';
const constraints = [{ maxSkew: 1, topologyKey: ZONE, whenUnsatisfiable: 'ScheduleAnyway' }];

const service = (selector: Record<string, string>, namespace = 'shop') => ({
  metadata: { name: 's', namespace },
  selector,
});
const controller = (kind: string, matchLabels: Record<string, string>, more: object = {}) => ({
  metadata: { name: 'owner', namespace: 'shop' },
  kind,
  selector: { matchLabels, ...more },
});

function selectorFor(defaults: Omit<DefaultSpread, 'constraints'>, shape: PodShape) {
  const [first] = new DefaultSpreads({ constraints, ...defaults }).for(aPod('a', shape));
  return first?.labelSelector;
}

describe('the selector of a default spread', () => {
  const web = { labels: { app: 'web', tier: 'front', hash: '1' } };
  const isHash = { key: 'hash', operator: 'In', values: ['1'] };

  test('is that of the ReplicaSet or StatefulSet, without labels of the pod alone', () => {
    for (const owner of ['ReplicaSet', 'StatefulSet'])
      expect(selectorFor({ controllers: [controller(owner, { hash: '1' })] }, { ...web, owner })).toEqual({
        matchLabels: {},
        matchExpressions: [isHash],
      });
  });

  test('has the expressions of the controller', () => {
    const expression = { key: 'app', operator: 'NotIn', values: ['db'] };
    const controllers = [controller('ReplicaSet', { hash: '1' }, { matchExpressions: [expression] })];
    expect(selectorFor({ controllers }, { ...web, owner: 'ReplicaSet' })?.matchExpressions).toEqual([
      isHash,
      expression,
    ]);
  });

  test('combines all Services of the namespace that select the pod', () => {
    const services = [
      service({ app: 'web' }),
      service({ tier: 'front' }),
      service({ app: 'db' }),
      service({}),
      service({ hash: '1' }, 'other'),
    ];
    expect(selectorFor({ services }, web)).toEqual({
      matchLabels: { app: 'web', tier: 'front' },
      matchExpressions: [],
    });
  });

  test('combines Services with the controller: both must hold', () => {
    const services = [service({ app: 'web' })];
    const controllers = [controller('ReplicaSet', { app: 'old' })];
    expect(selectorFor({ services, controllers }, { ...web, owner: 'ReplicaSet' })).toEqual({
      matchLabels: { app: 'web' },
      matchExpressions: [{ key: 'app', operator: 'In', values: ['old'] }],
    });
  });

  test('takes labels from a ReplicationController before those of Services', () => {
    const services = [service({ app: 'web' })];
    const controllers = [controller('ReplicationController', { app: 'old' })];
    const pod = aPod('a', { ...web, owner: 'ReplicationController' });
    const [owner] = pod.metadata.ownerReferences!;
    const owned = {
      ...pod,
      metadata: { ...pod.metadata, ownerReferences: [{ ...owner!, apiVersion: 'v1' }] },
    };
    expect(new DefaultSpreads({ constraints, services, controllers }).for(owned)[0]?.labelSelector).toEqual({
      matchLabels: { app: 'old' },
      matchExpressions: [],
    });
  });

  test('does not exist for a pod that nothing selects, and then no constraint applies', () => {
    const controllers = [controller('ReplicaSet', { hash: '1' })];
    expect(selectorFor({}, web)).toBeUndefined();
    expect(selectorFor({ services: [service({})] }, web)).toBeUndefined();
    expect(selectorFor({ controllers }, { ...web, owner: 'Job' })).toBeUndefined();
    expect(selectorFor({ controllers }, { ...web, owner: 'ReplicaSet', namespace: 'other' })).toBeUndefined();
  });

  test('ignores owners that are not the controller, and kinds of other groups', () => {
    const controllers = [controller('ReplicaSet', { hash: '1' }), controller('StatefulSet', { hash: '1' })];
    const spreads = new DefaultSpreads({ constraints, controllers });
    const owned = (change: object, owner: string) => {
      const pod = aPod('a', { ...web, owner });
      const [reference] = pod.metadata.ownerReferences!;
      const ownerReferences = [{ ...reference!, ...change }];
      return spreads.for({ ...pod, metadata: { ...pod.metadata, ownerReferences } });
    };
    expect(owned({}, 'ReplicaSet')).toHaveLength(1);
    expect(owned({ controller: false }, 'ReplicaSet')).toEqual([]);
    expect(owned({ apiVersion: 'apps.kruise.io/v1beta1' }, 'StatefulSet')).toEqual([]);
  });
});
