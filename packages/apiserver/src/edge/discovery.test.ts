import { describe, expect, test } from 'vitest';
import type { Catalogue, Resource, Subresource, Verb } from '../resource.ts';
import { AGGREGATED_TYPE, discoveryAnswer } from './discovery.ts';
import { compareVersions } from './version-order.ts';

const ALL: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const STATUS_VERBS: readonly Verb[] = ['get', 'patch', 'update'];
const ACCEPT_AGGREGATED =
  'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json';

function aResource(fields: Partial<Resource> & { kind: string; plural: string }): Resource {
  const builtin = !(fields.group ?? '').includes('example');
  return {
    group: '',
    version: 'v1',
    listKind: `${fields.kind}List`,
    singular: fields.kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: ALL,
    subresources: [],
    structure: builtin ? { type: 'object', name: `io.k8s.api.${fields.kind}` } : { type: 'object' },
    ...fields,
  } as Resource;
}

const status = (kind: string): Subresource => ({ name: 'status', kind, verbs: STATUS_VERBS });
const SCALE: Subresource = {
  name: 'scale',
  group: 'autoscaling',
  version: 'v1',
  kind: 'Scale',
  verbs: STATUS_VERBS,
};
const WIDGET = {
  group: 'edge.example.com',
  kind: 'Widget',
  plural: 'widgets',
  shortNames: ['wd'],
  categories: ['all', 'edge'],
};

function aCatalogue(): { resources: Resource[]; catalogue: Catalogue; bump(): void } {
  const resources = [
    aResource({ ...WIDGET, version: 'v2alpha1' }),
    aResource({ ...WIDGET, subresources: [SCALE, status('Widget')] }),
    aResource({ ...WIDGET, version: 'v1beta1' }),
    aResource({
      kind: 'Pod',
      plural: 'pods',
      shortNames: ['po'],
      categories: ['all'],
      subresources: [
        status('Pod'),
        { name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
        { name: 'binding', kind: 'Binding', verbs: ['create'] },
      ],
    }),
    aResource({ kind: 'Node', plural: 'nodes', namespaced: false }),
    aResource({ group: 'policy', kind: 'PodDisruptionBudget', plural: 'poddisruptionbudgets' }),
    aResource({
      group: 'apps',
      kind: 'Deployment',
      plural: 'deployments',
      subresources: [status('Deployment'), SCALE],
    }),
  ];
  let revision = 1;
  return {
    resources,
    bump: () => {
      revision++;
    },
    catalogue: {
      all: () => resources,
      resource: () => undefined,
      get revision() {
        return revision;
      },
    },
  };
}

describe('plain discovery', () => {
  const { catalogue } = aCatalogue();
  const body = (path: string) => discoveryAnswer(path, 'application/json', catalogue)?.body;

  test('/api names the versions of the core group', () => {
    expect(body('/api')).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    expect(body('/api/')).toEqual(body('/api'));
  });

  test('/apis lists groups in the order of a real server, custom ones last, the preferred version first', () => {
    const { groups } = body('/apis') as { groups: { name: string; versions: { version: string }[] }[] };
    expect(groups.map((group) => group.name)).toEqual(['apps', 'policy', 'edge.example.com']);
    expect(groups[2]).toEqual({
      name: 'edge.example.com',
      versions: [
        { groupVersion: 'edge.example.com/v1', version: 'v1' },
        { groupVersion: 'edge.example.com/v1beta1', version: 'v1beta1' },
        { groupVersion: 'edge.example.com/v2alpha1', version: 'v2alpha1' },
      ],
      preferredVersion: { groupVersion: 'edge.example.com/v1', version: 'v1' },
    });
    expect(body('/apis/apps')).toMatchObject({ kind: 'APIGroup', apiVersion: 'v1', name: 'apps' });
  });

  test('a group version lists resources and their subresources', () => {
    expect(body('/apis/edge.example.com/v1')).toEqual({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: 'edge.example.com/v1',
      resources: [
        {
          name: 'widgets',
          singularName: 'widget',
          namespaced: true,
          kind: 'Widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wd'],
          categories: ['all', 'edge'],
        },
        { name: 'widgets/status', singularName: '', namespaced: true, kind: 'Widget', verbs: STATUS_VERBS },
        {
          name: 'widgets/scale',
          singularName: '',
          namespaced: true,
          group: 'autoscaling',
          version: 'v1',
          kind: 'Scale',
          verbs: STATUS_VERBS,
        },
      ],
    });
    const core = body('/api/v1') as { resources: { name: string; verbs: string[] }[] };
    expect(core).not.toHaveProperty('apiVersion');
    expect(core.resources.map((resource) => resource.name)).toEqual([
      'nodes',
      'pods',
      'pods/binding',
      'pods/eviction',
      'pods/status',
    ]);
    expect(core.resources[0]?.verbs).toEqual(ALL);
  });

  test('unserved groups and versions are not found', () => {
    for (const path of [
      '/apis/nope',
      '/apis/apps/v2',
      '/api/v2',
      '/api/v1/pods',
      '/apis/apps/v1/deployments',
      '/x',
    ]) {
      expect(body(path)).toBeUndefined();
    }
  });
});

describe('aggregated discovery', () => {
  const { catalogue } = aCatalogue();

  test('answers everything at once to clients that ask for it', () => {
    const answer = discoveryAnswer('/apis', ACCEPT_AGGREGATED, catalogue);
    expect(answer?.contentType).toBe(AGGREGATED_TYPE);
    const { items, ...head } = answer!.body as { items: { metadata: object; versions: object[] }[] };
    expect(head).toEqual({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
    });
    expect(items.map((item) => item.metadata)).toEqual([
      { name: 'apps' },
      { name: 'policy' },
      { name: 'edge.example.com' },
    ]);
    expect(items[2]?.versions[0]).toEqual({
      version: 'v1',
      resources: [
        {
          resource: 'widgets',
          responseKind: { group: 'edge.example.com', version: 'v1', kind: 'Widget' },
          scope: 'Namespaced',
          singularResource: 'widget',
          verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
          shortNames: ['wd'],
          categories: ['all', 'edge'],
          subresources: [
            {
              subresource: 'status',
              responseKind: { group: 'edge.example.com', version: 'v1', kind: 'Widget' },
              verbs: STATUS_VERBS,
            },
            {
              subresource: 'scale',
              responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
              verbs: STATUS_VERBS,
            },
          ],
        },
      ],
      freshness: 'Current',
    });
  });

  test('leaves group and version of built-in kinds empty, as a real server does', () => {
    const answer = discoveryAnswer('/api', ACCEPT_AGGREGATED, catalogue);
    expect(answer?.body).toMatchObject({
      items: [
        {
          metadata: {},
          versions: [
            {
              resources: [
                {
                  resource: 'nodes',
                  responseKind: { group: '', version: '', kind: 'Node' },
                  scope: 'Cluster',
                },
                {
                  subresources: [
                    {},
                    { responseKind: { group: 'policy', version: 'v1', kind: 'Eviction' } },
                    {},
                  ],
                },
              ],
            },
          ],
        },
      ],
    });
  });

  test.each([
    [undefined, false],
    ['*/*', false],
    ['application/json', false],
    ['application/json;v=v2;g=apidiscovery.k8s.io;as=APIGroupDiscoveryList', true],
    ['application/json;profile=nopeer;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', true],
    ['application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json', false],
    ['application/json,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList', false],
  ])('Accept: %s is understood', (accept, aggregated) => {
    const type = discoveryAnswer('/apis', accept, catalogue)?.contentType;
    expect(type).toBe(aggregated ? AGGREGATED_TYPE : 'application/json');
  });
});

test('an answer is kept until the catalogue changes', () => {
  const { catalogue, resources, bump } = aCatalogue();
  const first = discoveryAnswer('/apis', undefined, catalogue);
  expect(discoveryAnswer('/apis', undefined, catalogue)).toBe(first);
  resources.push(aResource({ group: 'new.example.com', kind: 'New', plural: 'news' }));
  bump();
  const { groups } = discoveryAnswer('/apis', undefined, catalogue)!.body as { groups: { name: string }[] };
  expect(groups.map((group) => group.name)).toContain('new.example.com');
});

test('versions are ordered by stability, then by number', () => {
  const versions = ['v1alpha1', 'foo', 'v1', 'v10', 'v2beta1', 'v2', 'v1beta2', 'v11alpha2', 'bar'];
  expect(versions.toSorted(compareVersions)).toEqual([
    'v10',
    'v2',
    'v1',
    'v2beta1',
    'v1beta2',
    'v11alpha2',
    'v1alpha1',
    'bar',
    'foo',
  ]);
});
