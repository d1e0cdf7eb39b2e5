import type { KubeObject, OwnerReference } from '@chandler/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  aConfigMap,
  aPod,
  CONFIG_MAPS,
  PODS,
  type SmallServer,
  smallServer,
} from '../rest/small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const settle = () => api.world.clock.advance(1);
const code = async (name: string) => (await api.ask(`GET ${CONFIG_MAPS}/${name}`)).code;

const make = async (
  name: string,
  owners: OwnerReference[] = [],
  more: Partial<KubeObject['metadata']> = {},
) => {
  const { body } = await api.ask(
    `POST ${CONFIG_MAPS}`,
    aConfigMap(name, { ownerReferences: owners, ...more }),
  );
  return body;
};

const ownedBy = (owner: KubeObject, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: owner.metadata.name!,
  uid: owner.metadata.uid!,
  ...more,
});

describe('garbage collection', () => {
  test('deletes objects whose owner was deleted, and their dependents', async () => {
    const owner = await make('owner');
    const child = await make('child', [ownedBy(owner)]);
    await make('grandchild', [ownedBy(child)]);
    await api.ask(`DELETE ${CONFIG_MAPS}/owner`);
    await settle();
    expect([await code('child'), await code('grandchild')]).toEqual([404, 404]);
  });

  test('deletes objects created for an owner that does not exist, or has another UID', async () => {
    const owner = await make('owner');
    await make('never', [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'nobody', uid: 'x' }]);
    await make('former', [ownedBy(owner, { uid: 'another' })]);
    await make('unknown', [{ apiVersion: 'no.such/v1', kind: 'Thing', name: 'thing', uid: 'x' }]);
    await settle();
    expect([await code('never'), await code('former'), await code('unknown')]).toEqual([404, 404, 200]);
  });

  test('keeps objects with another owner, and removes the reference to the deleted one', async () => {
    const [one, two] = [await make('one'), await make('two')];
    await make('child', [ownedBy(one), ownedBy(two)]);
    await api.ask(`DELETE ${CONFIG_MAPS}/one`);
    await settle();
    const { body } = await api.ask(`GET ${CONFIG_MAPS}/child`);
    expect(body.metadata.ownerReferences?.map(({ name }) => name)).toEqual(['two']);
  });

  test('keeps dependents when they are orphaned', async () => {
    const owner = await make('owner');
    await make('child', [ownedBy(owner)]);
    await api.ask(`DELETE ${CONFIG_MAPS}/owner?propagationPolicy=Orphan`);
    await settle();
    expect(await code('owner')).toBe(404);
    expect((await api.ask(`GET ${CONFIG_MAPS}/child`)).body.metadata.ownerReferences).toBeUndefined();
  });

  test('in the foreground keeps the owner until blocking dependents are deleted', async () => {
    const owner = await make('owner');
    await make('blocking', [ownedBy(owner, { blockOwnerDeletion: true })], { finalizers: ['x.io/hold'] });
    await make('other', [ownedBy(owner)]);
    await api.ask(`DELETE ${CONFIG_MAPS}/owner?propagationPolicy=Foreground`);
    await settle();
    expect([await code('owner'), await code('blocking'), await code('other')]).toEqual([200, 200, 404]);
    await api.ask(`PATCH ${CONFIG_MAPS}/blocking`, { metadata: { finalizers: null } });
    await settle();
    expect([await code('owner'), await code('blocking')]).toEqual([404, 404]);
  });

  test('can be disabled', async () => {
    api = await smallServer({ collector: false });
    const owner = await make('owner');
    await make('child', [ownedBy(owner)]);
    await api.ask(`DELETE ${CONFIG_MAPS}/owner`);
    await settle();
    expect(await code('child')).toBe(200);
  });
});

describe('a deleted namespace', () => {
  test('is emptied and then removed', async () => {
    await api.ask('POST /api/v1/namespaces', { metadata: { name: 'team' } });
    await api.ask('POST /api/v1/namespaces/team/configmaps', aConfigMap('a'));
    await api.ask('POST /api/v1/namespaces/team/pods', aPod('p'));
    const { body } = await api.ask('DELETE /api/v1/namespaces/team');
    expect(body['status']).toEqual({ phase: 'Terminating' });
    await settle();
    expect((await api.ask('GET /api/v1/namespaces/team')).code).toBe(404);
    expect((await api.ask('GET /api/v1/pods')).body.items).toEqual([]);
  });

  test('waits for objects with finalizers, and reports them', async () => {
    await api.ask('POST /api/v1/namespaces', { metadata: { name: 'team' } });
    await api.ask(
      'POST /api/v1/namespaces/team/configmaps',
      aConfigMap('held', { finalizers: ['x.io/hold'] }),
    );
    await api.ask('DELETE /api/v1/namespaces/team');
    await settle();
    expect((await api.ask('GET /api/v1/namespaces/team')).body['status']).toMatchObject({
      phase: 'Terminating',
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: 'NamespaceContentRemaining',
          status: 'True',
          reason: 'SomeResourcesRemain',
        }),
      ]),
    });
    await api.ask('PATCH /api/v1/namespaces/team/configmaps/held', { metadata: { finalizers: null } });
    await settle();
    expect((await api.ask('GET /api/v1/namespaces/team')).code).toBe(404);
  });
});

describe('housekeeping', () => {
  test('keeps a claim that a pod uses until the pod is deleted', async () => {
    const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await api.ask(`POST ${claims}`, { metadata: { name: 'data' }, spec });
    const volumes = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
    await api.ask(`POST ${PODS}`, aPod('p', { spec: { volumes } }));
    const { body } = await api.ask(`DELETE ${claims}/data`);
    expect(body.metadata.finalizers).toEqual(['kubernetes.io/pvc-protection']);
    await settle();
    expect((await api.ask(`GET ${claims}/data`)).code).toBe(200);
    await api.ask(`DELETE ${PODS}/p`);
    await settle();
    expect((await api.ask(`GET ${claims}/data`)).code).toBe(404);
  });

  test('lets events expire after an hour', async () => {
    const involvedObject = { kind: 'Pod', name: 'p', namespace: 'default' };
    await api.ask('POST /api/v1/namespaces/default/events', {
      metadata: { name: 'e' },
      involvedObject,
      reason: 'R',
    });
    await api.world.clock.advance(50 * 60_000);
    expect((await api.ask('GET /api/v1/events')).body.items).toHaveLength(1);
    await api.world.clock.advance(20 * 60_000);
    expect((await api.ask('GET /api/v1/events')).body.items).toHaveLength(0);
  });
});
