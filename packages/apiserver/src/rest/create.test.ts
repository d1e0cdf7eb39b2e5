import { beforeEach, describe, expect, test } from 'vitest';
import {
  aConfigMap,
  aPod,
  CONFIG_MAPS,
  PODS,
  type SmallServer,
  smallServer,
} from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

describe('creating an object', () => {
  test('fills in what only the server decides', async () => {
    const given = {
      ...aConfigMap('a', { uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z' }),
      data: { k: 'v' },
    };
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, given);
    expect(code).toBe(201);
    expect(body.metadata).toMatchObject({
      name: 'a',
      namespace: 'default',
      creationTimestamp: '2026-01-01T00:00:00Z',
    });
    expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-/);
    expect(body.metadata.resourceVersion).toMatch(/^\d+$/);
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update' }]);
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).body).toEqual(body);
  });

  test('is rejected when the name is taken', async () => {
    await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'));
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, aConfigMap('a'));
    expect(code).toBe(409);
    expect(body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('generates a name from generateName, and another one when it is taken', async () => {
    const names = new Set<string>();
    for (let index = 0; index < 50; index++) {
      const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { generateName: 'draw-' } });
      expect(code).toBe(201);
      expect(body.metadata.name).toMatch(/^draw-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
      names.add(body.metadata.name!);
    }
    expect(names.size).toBe(50);
  });

  test('fails when no free name was generated', async () => {
    api = await smallServer();
    const world = api.world as { random: { next(): number } };
    world.random.next = () => 0;
    expect(
      (await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { generateName: 'x-' } })).body.metadata.name,
    ).toBe('x-bbbbb');
    const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata: { generateName: 'x-' } });
    expect(code).toBe(409);
    expect(body.message).toBe(
      'configmaps "x-bbbbb" already exists, the server was not able to generate a unique name for the object',
    );
  });

  test('needs a name, the namespace of the path and no resource version', async () => {
    const messages = [];
    for (const metadata of [{}, { name: 'a', namespace: 'other' }, { name: 'a', resourceVersion: '5' }]) {
      const { code, body } = await api.ask(`POST ${CONFIG_MAPS}`, { metadata });
      messages.push(`${code} ${body.message}`);
    }
    expect(messages).toEqual([
      '422 ConfigMap "" is invalid: metadata.name: Required value: name or generateName is required',
      '400 the namespace of the provided object does not match the namespace sent on the request',
      '500 resourceVersion should not be set on objects to be created',
    ]);
  });

  test('stores nothing in a dry run', async () => {
    const tried = await api.ask(`POST ${CONFIG_MAPS}?dryRun=All`, aConfigMap('a'));
    expect(tried.code).toBe(201);
    expect(tried.body.metadata.resourceVersion).toBeUndefined();
    expect((await api.ask(`GET ${CONFIG_MAPS}/a`)).code).toBe(404);
  });

  test('warns of unknown fields, and rejects them when asked to be strict', async () => {
    const odd = { ...aConfigMap('a'), colour: 'red' };
    const warned = await api.ask(`POST ${CONFIG_MAPS}?dryRun=All`, odd);
    expect(warned.headers.get('warning')).toBe('299 - "unknown field \\"colour\\""');
    const strict = await api.ask(`POST ${CONFIG_MAPS}?fieldValidation=Strict`, odd);
    expect(strict.code).toBe(400);
    expect(strict.body.message).toContain('strict decoding error: unknown field "colour"');
  });

  test('keeps one of two equal owner references and says so', async () => {
    const owner = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' };
    const { body, headers } = await api.ask(
      `POST ${CONFIG_MAPS}?dryRun=All`,
      aConfigMap('a', { ownerReferences: [owner, owner] }),
    );
    expect(body.metadata.ownerReferences).toEqual([owner]);
    expect(headers.get('warning')).toContain('duplicate UID(s) observed: u');
  });
});

describe('a namespace', () => {
  test('must exist before anything is created in it', async () => {
    const { code, body } = await api.ask('POST /api/v1/namespaces/nowhere/configmaps', aConfigMap('a'));
    expect(code).toBe(404);
    expect(body.message).toBe('namespaces "nowhere" not found');
  });

  test('accepts no new objects while it is being deleted', async () => {
    await api.ask('POST /api/v1/namespaces', { metadata: { name: 'going' } });
    await api.ask('DELETE /api/v1/namespaces/going');
    const { code, body } = await api.ask('POST /api/v1/namespaces/going/configmaps', aConfigMap('a'));
    expect(code).toBe(403);
    expect(body).toMatchObject({
      message:
        'configmaps "a" is forbidden: unable to create new content in namespace going because it is being terminated',
      details: {
        causes: [{ reason: 'NamespaceTerminating', message: 'namespace going is being terminated' }],
      },
    });
  });

  test('exists from the start where the system needs it, and cannot be deleted', async () => {
    const { body } = await api.ask('GET /api/v1/namespaces');
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
    expect((await api.ask('DELETE /api/v1/namespaces/default')).body.message).toBe(
      'namespaces "default" is forbidden: this namespace may not be deleted',
    );
    expect((await api.ask('GET /api/v1/namespaces/default/services/kubernetes')).code).toBe(200);
  });
});

describe('new pods and nodes', () => {
  test('get the tolerations and the priority of a real server', async () => {
    const { body } = await api.ask(
      `POST ${PODS}`,
      aPod('p', { spec: { priorityClassName: 'system-node-critical' } }),
    );
    expect(body['spec']).toMatchObject({
      priority: 2_000_001_000,
      tolerations: [
        { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute', tolerationSeconds: 300 },
        { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', tolerationSeconds: 300 },
      ],
    });
    const refused = await api.ask(`POST ${PODS}`, aPod('q', { spec: { priorityClassName: 'nix' } }));
    expect(refused.body.message).toBe('pods "q" is forbidden: no PriorityClass with name nix was found');
  });

  test('are tainted as not ready, unless that is disabled', async () => {
    const node = { metadata: { name: 'n' } };
    expect((await api.ask('POST /api/v1/nodes', node)).body['spec']).toEqual({
      taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }],
    });
    const lenient = await smallServer({ taintNewNodes: false });
    expect((await lenient.ask('POST /api/v1/nodes', node)).body['spec']).toEqual({});
  });
});
