import type { KubeObject } from '@chandler/kube';
import { beforeEach, describe, expect, test } from 'vitest';
import { type SmallServer, smallServer } from './small-server.fixture.ts';

let api: SmallServer;
beforeEach(async () => {
  api = await smallServer();
});

const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/shop.io/v1/namespaces/default/widgets';

const definition = (more: object = {}, names: object = {}) => ({
  metadata: { name: 'widgets.shop.io' },
  spec: {
    group: 'shop.io',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', ...names },
    versions: [version('v1')],
    ...more,
  },
});

const version = (name: string, storage = true) => ({
  name,
  served: true,
  storage,
  subresources: { status: {} },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: { type: 'object', properties: { size: { type: 'integer', default: 1 } } },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
});

const widget = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: 'shop.io/v1',
  kind: 'Widget',
  metadata: { name },
  spec: { ...spec },
});

describe('a custom resource definition', () => {
  test('is served as soon as it is created', async () => {
    expect((await api.ask(`GET ${WIDGETS}`)).code).toBe(404);
    const revision = api.server.catalogue.revision;
    expect((await api.ask(`POST ${CRDS}`, definition())).code).toBe(201);
    expect(api.server.catalogue.revision).toBeGreaterThan(revision);
    const { body } = await api.ask(`GET ${CRDS}/widgets.shop.io`);
    expect(body['status']).toMatchObject({
      acceptedNames: { plural: 'widgets', singular: 'widget', kind: 'Widget', listKind: 'WidgetList' },
      storedVersions: ['v1'],
      conditions: [
        {
          type: 'NamesAccepted',
          status: 'True',
          reason: 'NoConflicts',
          lastTransitionTime: '2026-01-01T00:00:00Z',
        },
        { type: 'Established', status: 'True', reason: 'InitialNamesAccepted' },
      ],
    });
    const made = await api.ask(`POST ${WIDGETS}`, widget('a'));
    expect(made.body).toMatchObject({ metadata: { generation: 1 }, spec: { size: 1 } });
    const list = await api.ask(`GET ${WIDGETS}`);
    expect(list.body).toMatchObject({
      kind: 'WidgetList',
      metadata: { continue: '' },
      items: [{ kind: 'Widget' }],
    });
  });

  test('counts changes of the spec, not of the status', async () => {
    await api.ask(`POST ${CRDS}`, definition());
    await api.ask(`POST ${WIDGETS}`, widget('a'));
    expect((await api.ask(`PATCH ${WIDGETS}/a/status`, { status: { x: 1 } })).body.metadata.generation).toBe(
      1,
    );
    expect((await api.ask(`PATCH ${WIDGETS}/a`, { spec: { size: 2 } })).body.metadata.generation).toBe(2);
  });

  test('with names that are taken waits until they are free', async () => {
    await api.ask(`POST ${CRDS}`, definition({}, { shortNames: ['wd'] }));
    const other = {
      ...definition({}, { plural: 'wodgets', kind: 'Wodget', shortNames: ['wd'] }),
      metadata: { name: 'wodgets.shop.io' },
    };
    await api.ask(`POST ${CRDS}`, other);
    const waiting = (await api.ask(`GET ${CRDS}/wodgets.shop.io`)).body['status'] as unknown as {
      conditions: object[];
    };
    expect(waiting.conditions[0]).toMatchObject({
      type: 'NamesAccepted',
      status: 'False',
      reason: 'ShortNamesConflict',
    });
    await api.ask(`DELETE ${CRDS}/widgets.shop.io`);
    expect((await api.ask('GET /apis/shop.io/v1/namespaces/default/wodgets')).code).toBe(200);
  });

  test('with a second version serves the same objects under both', async () => {
    await api.ask(`POST ${CRDS}`, definition());
    await api.ask(`POST ${WIDGETS}`, widget('a'));
    const versions = [version('v1'), version('v2', false)];
    expect((await api.ask(`PATCH ${CRDS}/widgets.shop.io`, { spec: { versions } })).code).toBe(200);
    const { body } = await api.ask('GET /apis/shop.io/v2/namespaces/default/widgets/a');
    expect(body).toMatchObject({ apiVersion: 'shop.io/v2', spec: { size: 1 } });
    await api.ask('PATCH /apis/shop.io/v2/namespaces/default/widgets/a', { spec: { size: 7 } });
    expect((await api.ask(`GET ${WIDGETS}/a`)).body).toMatchObject({
      apiVersion: 'shop.io/v1',
      spec: { size: 7 },
    });
  });

  test('is deleted with its objects, and waits for those with finalizers', async () => {
    await api.ask(`POST ${CRDS}`, definition());
    await api.ask(`POST ${WIDGETS}`, widget('a'));
    await api.ask(`POST ${WIDGETS}`, {
      ...widget('held'),
      metadata: { name: 'held', finalizers: ['x.io/hold'] },
    });
    const { body } = await api.ask(`DELETE ${CRDS}/widgets.shop.io`);
    expect(body.metadata.finalizers).toEqual(['customresourcecleanup.apiextensions.k8s.io']);
    expect((await api.ask(`GET ${WIDGETS}/a`)).code).toBe(404);
    expect((await api.ask(`POST ${WIDGETS}`, widget('late'))).body.message).toBe(
      'widgets.shop.io "late" is forbidden: create not allowed while custom resource definition is terminating',
    );
    await api.ask(`PATCH ${WIDGETS}/held`, { metadata: { finalizers: null } });
    expect((await api.ask(`GET ${CRDS}/widgets.shop.io`)).code).toBe(404);
    const gone = await api.ask(`GET ${WIDGETS}`);
    expect(`${gone.code} ${gone.body}`).toBe('404 404 page not found\n');
  });
});
