import { beforeEach, describe, expect, test } from 'vitest';
import {
  aConfigMap,
  aPod,
  CONFIG_MAPS,
  PODS,
  type SmallServer,
  smallServer,
} from '../small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const pod = (name: string, resources: object) =>
  aPod(name, { spec: { containers: [{ name: 'c', image: 'i', resources }] } });

describe('a limit range', () => {
  const limit = (limits: object) =>
    api.ask('POST /api/v1/namespaces/default/limitranges', {
      metadata: { name: 'lr' },
      spec: { limits: [limits] },
    });

  test('sets missing requests and limits of containers and annotates the pod', async () => {
    await limit({ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '100m', memory: '1Gi' } });
    const { body } = await api.ask(`POST ${PODS}`, pod('p', { requests: { memory: '2Gi' } }));
    expect((body['spec'] as { containers: { resources: object }[] }).containers[0]?.resources).toEqual({
      requests: { cpu: '100m', memory: '2Gi' },
      limits: { cpu: '1' },
    });
    expect(body.metadata.annotations?.['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu request for container c; cpu limit for container c',
    );
  });

  test.each([
    [{ max: { cpu: '2' } }, { limits: { cpu: '3' } }, 'maximum cpu usage per Container is 2, but limit is 3'],
    [
      { min: { cpu: '500m' } },
      { requests: { cpu: '100m' } },
      'minimum cpu usage per Container is 500m, but request is 100m',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      { requests: { cpu: '1' }, limits: { cpu: '3' } },
      'cpu max limit to request ratio per Container is 2, but provided ratio is 3.000000',
    ],
  ])('%j rejects %j', async (bounds, resources, why) => {
    await limit({ type: 'Container', ...bounds });
    const { code, body } = await api.ask(`POST ${PODS}`, pod('p', resources));
    expect(`${code} ${body.message}`).toBe(`403 pods "p" is forbidden: ${why}`);
  });

  test('bounds a whole pod, and a claim', async () => {
    await limit({ type: 'Pod', max: { cpu: '1' }, min: { cpu: '100m' } });
    expect((await api.ask(`POST ${PODS}`, aPod('none'))).body.message).toBe(
      'pods "none" is forbidden: [minimum cpu usage per Pod is 100m.  No request is specified, maximum cpu usage per Pod is 1.  No limit is specified]',
    );
    const { body } = await api.ask(`POST ${PODS}`, pod('p', { limits: { cpu: '2' } }));
    expect(body.message).toBe('pods "p" is forbidden: maximum cpu usage per Pod is 1, but limit is 2');
    await api.ask('DELETE /api/v1/namespaces/default/limitranges/lr');
    await limit({ type: 'PersistentVolumeClaim', max: { storage: '1Gi' } });
    const claim = await api.ask('POST /api/v1/namespaces/default/persistentvolumeclaims', {
      metadata: { name: 'c' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } } },
    });
    expect(claim.body.message).toContain(
      'maximum storage usage per PersistentVolumeClaim is 1Gi, but request is 2Gi',
    );
  });
});

describe('a resource quota', () => {
  const quota = (hard: object, more: object = {}) =>
    api.ask('POST /api/v1/namespaces/default/resourcequotas', {
      metadata: { name: 'q' },
      spec: { hard, ...more },
    });

  test('limits how many objects there are', async () => {
    await quota({ pods: '1', 'count/configmaps': '1' });
    expect((await api.ask(`POST ${PODS}`, aPod('p'))).code).toBe(201);
    expect((await api.ask(`POST ${PODS}`, aPod('p2'))).body.message).toBe(
      'pods "p2" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
    );
    expect((await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'))).code).toBe(201);
    expect((await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('b'))).body.message).toBe(
      'configmaps "b" is forbidden: exceeded quota: q, requested: count/configmaps=1, used: count/configmaps=1, limited: count/configmaps=1',
    );
    await api.ask(`DELETE ${PODS}/p`);
    expect((await api.ask(`POST ${PODS}`, aPod('p2'))).code).toBe(201);
  });

  test('limits the requests of pods, and rejects pods without requests', async () => {
    await quota({ 'requests.cpu': '1', 'limits.memory': '1Gi' });
    expect((await api.ask(`POST ${PODS}`, aPod('p'))).body.message).toBe(
      'pods "p" is forbidden: failed quota: q: must specify limits.memory for: c; requests.cpu for: c'.replace(
        /: c/g,
        ': main',
      ),
    );
    const resources = { requests: { cpu: '600m' }, limits: { memory: '100Mi' } };
    expect((await api.ask(`POST ${PODS}`, pod('p', resources))).code).toBe(201);
    expect((await api.ask(`POST ${PODS}`, pod('q', resources))).body.message).toBe(
      'pods "q" is forbidden: exceeded quota: q, requested: requests.cpu=600m, used: requests.cpu=600m, limited: requests.cpu=1',
    );
  });

  test('shows in its status what is used', async () => {
    await quota({ pods: '5', 'requests.cpu': '2' });
    await api.ask(`POST ${PODS}`, pod('p', { requests: { cpu: '600m' } }));
    await api.world.clock.advance(1);
    expect((await api.ask('GET /api/v1/namespaces/default/resourcequotas/q')).body['status']).toEqual({
      hard: { pods: '5', 'requests.cpu': '2' },
      used: { pods: '1', 'requests.cpu': '600m' },
    });
  });

  test('with a scope counts only the matching pods', async () => {
    await quota({ pods: '0' }, { scopes: ['BestEffort'] });
    expect((await api.ask(`POST ${PODS}`, aPod('p'))).code).toBe(403);
    expect((await api.ask(`POST ${PODS}`, pod('q', { requests: { cpu: '1' } }))).code).toBe(201);
  });
});
