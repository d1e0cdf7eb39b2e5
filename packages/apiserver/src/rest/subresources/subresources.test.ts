import { beforeEach, describe, expect, test } from 'vitest';
import { aPod, PODS, type SmallServer, smallServer } from '../small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';

const running = async (name: string, ready = true) => {
  await api.ask(`POST ${PODS}`, aPod(name, { labels: { app: 'web' }, spec: { nodeName: 'n' } }));
  const conditions = [{ type: 'Ready', status: ready ? 'True' : 'False' }];
  await api.ask(`PATCH ${PODS}/${name}/status`, { status: { phase: 'Running', conditions } });
};

const budget = async (name: string, status: object, spec: object = {}) => {
  await api.ask(`POST ${BUDGETS}`, {
    metadata: { name },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'web' } }, ...spec },
  });
  await api.ask(`PATCH ${BUDGETS}/${name}/status`, { status: { observedGeneration: 1, ...status } });
};

const evict = (name: string, more: object = {}) =>
  api.ask(`POST ${PODS}/${name}/eviction`, { metadata: { name }, ...more });

describe('an eviction', () => {
  test('without a budget deletes the pod and sets a condition', async () => {
    await running('p');
    const { code, body } = await evict('p');
    expect(code).toBe(201);
    expect(body.status).toBe('Success');
    const pod = (await api.ask(`GET ${PODS}/p`)).body;
    expect(pod.metadata.deletionTimestamp).toBeDefined();
    expect((pod['status'] as unknown as { conditions: unknown[] }).conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
    );
  });

  test('is counted against the budget until that is used up', async () => {
    await running('p');
    await running('q');
    await budget('b', { disruptionsAllowed: 1, currentHealthy: 2, desiredHealthy: 1, expectedPods: 2 });
    expect((await evict('p')).code).toBe(201);
    expect((await api.ask(`GET ${BUDGETS}/b`)).body['status']).toMatchObject({
      disruptionsAllowed: 0,
      disruptedPods: { p: '2026-01-01T00:00:00Z' },
      conditions: [{ type: 'DisruptionAllowed', status: 'False', reason: 'InsufficientPods' }],
    });
    await api.ask(`PATCH ${BUDGETS}/b/status`, { status: { currentHealthy: 1 } });
    const refused = await evict('q');
    expect(refused.code).toBe(429);
    expect(refused.body).toMatchObject({
      reason: 'TooManyRequests',
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [
          {
            reason: 'DisruptionBudget',
            message: 'The disruption budget b needs 1 healthy pods and has 1 currently',
          },
        ],
      },
    });
  });

  test('is rejected while the status of the budget is outdated', async () => {
    await running('p');
    await api.ask(`POST ${BUDGETS}`, { metadata: { name: 'b' }, spec: { minAvailable: 1, selector: {} } });
    const { code, headers, body } = await evict('p');
    expect(code).toBe(429);
    expect(headers.get('retry-after')).toBe('10');
    expect(body.details?.causes?.[0]?.message).toBe(
      'The disruption budget b is still being processed by the server.',
    );
  });

  test('of a pod with two budgets is not supported', async () => {
    await running('p');
    await budget('b', { disruptionsAllowed: 1 });
    await budget('c', { disruptionsAllowed: 1 });
    const { code, body } = await evict('p');
    expect(`${code} ${body.message}`).toBe(
      '500 This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  });

  test('of a pod that is not ready succeeds while the others suffice, or when the policy of the budget allows it', async () => {
    await running('sick', false);
    await budget('b', { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 1 });
    expect((await evict('sick')).code).toBe(429);
    await api.ask(`PATCH ${BUDGETS}/b/status`, { status: { currentHealthy: 1 } });
    expect((await evict('sick')).code).toBe(201);
    await api.ask(`DELETE ${BUDGETS}/b`);
    await running('sicker', false);
    await budget('c', { disruptionsAllowed: 0 }, { unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    expect((await evict('sicker')).code).toBe(201);
  });

  test('in a dry run changes neither pod nor budget', async () => {
    await running('p');
    await budget('b', { disruptionsAllowed: 1, currentHealthy: 1, desiredHealthy: 0 });
    expect((await evict('p', { deleteOptions: { dryRun: ['All'] } })).code).toBe(201);
    expect((await api.ask(`GET ${PODS}/p`)).body.metadata.deletionTimestamp).toBeUndefined();
    expect((await api.ask(`GET ${BUDGETS}/b`)).body['status']).toMatchObject({ disruptionsAllowed: 1 });
  });

  test('must name the pod of its path', async () => {
    await running('p');
    expect((await api.ask(`POST ${PODS}/p/eviction`, { metadata: { name: 'q' } })).body.message).toBe(
      'name in URL does not match name in Eviction object',
    );
  });
});

describe('a binding', () => {
  const bind = (name: string, more: object = {}) =>
    api.ask(`POST ${PODS}/${name}/binding`, {
      metadata: { name },
      target: { kind: 'Node', name: 'n1' },
      ...more,
    });

  test('assigns a pod to a node, once', async () => {
    await api.ask(`POST ${PODS}`, aPod('p'));
    expect((await bind('p')).code).toBe(201);
    const pod = (await api.ask(`GET ${PODS}/p`)).body;
    expect(pod['spec']).toMatchObject({ nodeName: 'n1' });
    expect(pod['status']).toMatchObject({ conditions: [{ type: 'PodScheduled', status: 'True' }] });
    const again = await bind('p');
    expect(`${again.code} ${again.body.message}`).toBe(
      '409 Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"',
    );
  });

  test('also works through the older collection', async () => {
    await api.ask(`POST ${PODS}`, aPod('p'));
    const body = { metadata: { name: 'p' }, target: { name: 'n2' } };
    expect((await api.ask('POST /api/v1/namespaces/default/bindings', body)).code).toBe(201);
    expect((await api.ask(`GET ${PODS}/p`)).body['spec']).toMatchObject({ nodeName: 'n2' });
  });

  test('is rejected for a pod that is gated, deleted, or has another UID', async () => {
    await api.ask(`POST ${PODS}`, aPod('gated', { spec: { schedulingGates: [{ name: 'x.io/wait' }] } }));
    expect((await bind('gated')).body.message).toContain('pod gated has non-empty .spec.schedulingGates');
    expect((await bind('nix')).body.message).toBe('pods "nix" not found');
    expect((await bind('gated', { metadata: { name: 'gated', uid: 'other' } })).code).toBe(409);
    expect((await bind('gated', { target: {} })).body.message).toBe('target.name: Required value');
  });
});

describe('a scale', () => {
  const SCALE = '/apis/apps/v1/namespaces/default/deployments/web/scale';
  beforeEach(async () => {
    const template = {
      metadata: { labels: { app: 'web' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    };
    const spec = { replicas: 2, selector: { matchLabels: { app: 'web' } }, template };
    await api.ask('POST /apis/apps/v1/namespaces/default/deployments', { metadata: { name: 'web' }, spec });
  });

  test('shows replicas and selector and sets the replicas', async () => {
    expect((await api.ask(`GET ${SCALE}`)).body).toMatchObject({
      kind: 'Scale',
      apiVersion: 'autoscaling/v1',
      spec: { replicas: 2 },
      status: { replicas: 0, selector: 'app=web' },
    });
    expect((await api.ask(`PATCH ${SCALE}`, { spec: { replicas: 5 } })).body['spec']).toEqual({
      replicas: 5,
    });
    expect((await api.ask(`PUT ${SCALE}`, { metadata: { name: 'web' }, spec: { replicas: 6 } })).code).toBe(
      200,
    );
    const { body } = await api.ask('GET /apis/apps/v1/namespaces/default/deployments/web');
    expect(body).toMatchObject({ metadata: { generation: 3 }, spec: { replicas: 6 } });
  });

  test('rejects a negative number and an older version', async () => {
    const negative = await api.ask(`PUT ${SCALE}`, { metadata: { name: 'web' }, spec: { replicas: -1 } });
    expect(negative.body.message).toBe(
      'Scale.autoscaling "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    );
    const stale = { metadata: { name: 'web', resourceVersion: '1' }, spec: { replicas: 1 } };
    expect((await api.ask(`PUT ${SCALE}`, stale)).code).toBe(409);
  });
});

describe('what needs a container', () => {
  test.each(['log', 'exec', 'attach', 'portforward'])('%s says that no container is run', async (what) => {
    await running('p');
    const { code, body } = await api.ask(`GET ${PODS}/p/${what}`);
    expect(code).toBe(501);
    expect(body['message']).toBe(
      `${what} is not available for pods "p": nodes are simulated here, and no container is run`,
    );
    expect((await api.ask(`GET ${PODS}/missing/${what}`)).code).toBe(404);
  });
});
