import { describe, expect, test } from 'vitest';
import type { Catalogue, Resource, Verb } from '../resource.ts';
import type { Structure } from '../structure.ts';
import { openApiAnswer } from './openapi.ts';

const VERBS: readonly Verb[] = [
  'create',
  'delete',
  'deletecollection',
  'get',
  'list',
  'patch',
  'update',
  'watch',
];
const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const OBJECT_META: Structure = {
  type: 'object',
  name: `${META}.ObjectMeta`,
  properties: { name: { type: 'string' } },
};

/** A tree of named shapes in which one refers to itself, as JSONSchemaProps does. */
const NESTED: Structure = {
  type: 'object',
  name: 'io.k8s.api.core.v1.Nested',
  get properties() {
    return { again: NESTED, quantity: QUANTITY };
  },
};
const QUANTITY: Structure = { type: 'quantity', name: 'io.k8s.apimachinery.pkg.api.resource.Quantity' };

const POD: Structure = {
  type: 'object',
  name: 'io.k8s.api.core.v1.Pod',
  properties: {
    metadata: { ...OBJECT_META, default: {} },
    spec: {
      type: 'object',
      name: 'io.k8s.api.core.v1.PodSpec',
      required: ['containers'],
      properties: {
        containers: {
          type: 'array',
          items: NESTED,
          listType: 'map',
          listKeys: ['name'],
          patchStrategy: 'merge',
          patchMergeKey: 'name',
        },
        labels: { type: 'object', additional: { type: 'string' }, mapType: 'atomic' },
        grace: { type: 'integer', format: 'int64' },
        port: { type: 'intOrString' },
      },
    },
  },
};

const CUSTOM_SCHEMA = {
  type: 'object',
  description: 'A widget.',
  required: ['spec'],
  properties: { metadata: { type: 'object' }, spec: { type: 'object', description: 'what it should be' } },
};

function aResource(
  fields: Partial<Resource> & { kind: string; plural: string; structure: Structure },
): Resource {
  return {
    group: '',
    version: 'v1',
    listKind: `${fields.kind}List`,
    singular: fields.kind.toLowerCase(),
    namespaced: true,
    shortNames: [],
    categories: [],
    verbs: VERBS,
    subresources: [{ name: 'status', kind: fields.kind, verbs: ['get', 'patch', 'update'] }],
    ...fields,
  } as Resource;
}

const POD_RESOURCE = aResource({
  kind: 'Pod',
  plural: 'pods',
  structure: POD,
  subresources: [{ name: 'eviction', group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] }],
});
const widget = (openApiSchema: Record<string, unknown>) =>
  aResource({
    group: 'edge.example.com',
    kind: 'Widget',
    plural: 'widgets',
    namespaced: false,
    structure: { type: 'object' },
    openApiSchema,
  });

function aCatalogue(...resources: Resource[]): Catalogue & { revision: number; resources: Resource[] } {
  return { revision: 1, resources, all: () => resources, resource: () => undefined };
}

interface Operation {
  readonly parameters: { name: string; in: string }[];
  readonly requestBody: { content: Record<string, unknown> };
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { schemas: Record<string, Record<string, unknown>> };
}

function documentOf(path: string, catalogue: Catalogue): Document {
  return openApiAnswer(path, catalogue)!.body as Document;
}

describe('the index', () => {
  test('names a document per group and version under the hash of its content', () => {
    const catalogue = aCatalogue(POD_RESOURCE, widget(CUSTOM_SCHEMA));
    const { paths } = openApiAnswer('/openapi/v3', catalogue)!.body as {
      paths: Record<string, { serverRelativeURL: string }>;
    };
    expect(Object.keys(paths)).toEqual(['api/v1', 'apis/edge.example.com/v1']);
    const url = paths['apis/edge.example.com/v1']!.serverRelativeURL;
    expect(url).toMatch(/^\/openapi\/v3\/apis\/edge\.example\.com\/v1\?hash=[0-9A-F]{64}$/);
    const { etag } = openApiAnswer('/openapi/v3/apis/edge.example.com/v1', catalogue)!;
    expect(etag).toBe(`"${url.split('hash=')[1]}"`);
  });

  test('changes the hash of what changed and of nothing else', () => {
    const catalogue = aCatalogue(POD_RESOURCE, widget(CUSTOM_SCHEMA));
    const etags = () =>
      ['api/v1', 'apis/edge.example.com/v1'].map(
        (key) => openApiAnswer(`/openapi/v3/${key}`, catalogue)!.etag,
      );
    const [core, custom] = etags();
    catalogue.resources[1] = widget({ ...CUSTOM_SCHEMA, description: 'Another widget.' });
    catalogue.revision++;
    const [coreNow, customNow] = etags();
    expect(coreNow).toBe(core);
    expect(customNow).not.toBe(custom);
  });

  test('has no other paths, and no version 2', () => {
    const catalogue = aCatalogue(POD_RESOURCE);
    for (const path of ['/openapi/v3/apis/nope/v1', '/openapi/v3/api', '/api', '/openapi']) {
      expect(openApiAnswer(path, catalogue)).toBeUndefined();
    }
  });
});

describe('built-in kinds', () => {
  const document = documentOf('/openapi/v3/api/v1', aCatalogue(POD_RESOURCE));
  const { schemas } = document.components;

  test('are definitions that refer to each other, also to themselves', () => {
    expect(schemas['io.k8s.api.core.v1.Pod']).toEqual({
      description: expect.stringContaining('https://kubernetes.io/docs/reference/'),
      type: 'object',
      properties: {
        metadata: { default: {}, allOf: [ref(`${META}.ObjectMeta`)] },
        spec: ref('io.k8s.api.core.v1.PodSpec'),
      },
      'x-kubernetes-group-version-kind': [{ group: '', kind: 'Pod', version: 'v1' }],
    });
    expect(schemas['io.k8s.api.core.v1.Nested']).toMatchObject({
      properties: { again: ref('io.k8s.api.core.v1.Nested') },
    });
    expect(schemas['io.k8s.apimachinery.pkg.api.resource.Quantity']).toEqual({
      oneOf: [{ type: 'string' }, { type: 'number' }],
    });
  });

  test('say how lists and maps merge', () => {
    expect(schemas['io.k8s.api.core.v1.PodSpec']).toEqual({
      type: 'object',
      required: ['containers'],
      properties: {
        containers: {
          type: 'array',
          items: ref('io.k8s.api.core.v1.Nested'),
          'x-kubernetes-list-map-keys': ['name'],
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-patch-merge-key': 'name',
          'x-kubernetes-patch-strategy': 'merge',
        },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string' },
          'x-kubernetes-map-type': 'atomic',
        },
        grace: { type: 'integer', format: 'int64' },
        port: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
      },
    });
  });

  test('offer a PATCH that names its kind and the parameters kubectl looks for', () => {
    const patch = document.paths['/api/v1/namespaces/{namespace}/pods/{name}']!['patch']!;
    expect(patch).toMatchObject({
      operationId: 'patchCoreV1NamespacedPod',
      'x-kubernetes-action': 'patch',
      'x-kubernetes-group-version-kind': { group: '', kind: 'Pod', version: 'v1' },
    });
    const names = patch.parameters.filter((parameter) => parameter.in === 'query').map(({ name }) => name);
    expect(names).toEqual(['dryRun', 'fieldManager', 'fieldValidation', 'force']);
    expect(Object.keys(patch.requestBody.content)).toEqual([
      'application/apply-patch+yaml',
      'application/json-patch+json',
      'application/merge-patch+json',
      'application/strategic-merge-patch+json',
    ]);
  });

  test('have paths for lists, items and subresources', () => {
    expect(Object.keys(document.paths)).toEqual([
      '/api/v1/namespaces/{namespace}/pods',
      '/api/v1/namespaces/{namespace}/pods/{name}',
      '/api/v1/namespaces/{namespace}/pods/{name}/eviction',
      '/api/v1/pods',
    ]);
    const eviction = document.paths['/api/v1/namespaces/{namespace}/pods/{name}/eviction']!;
    expect(eviction['post']).toMatchObject({
      operationId: 'createCoreV1NamespacedPodEviction',
      'x-kubernetes-group-version-kind': { group: 'policy', kind: 'Eviction', version: 'v1' },
    });
  });

  test('leave no reference open', () => {
    const names = JSON.stringify(document).matchAll(/#\/components\/schemas\/([^"]+)/g);
    for (const [, name] of names) expect(Object.keys(schemas)).toContain(name);
  });
});

describe('custom resources', () => {
  const document = documentOf(
    '/openapi/v3/apis/edge.example.com/v1',
    aCatalogue(POD_RESOURCE, widget(CUSTOM_SCHEMA)),
  );

  test('keep the descriptions of their schema and get the fields every object has', () => {
    expect(document.components.schemas['com.example.edge.v1.Widget']).toMatchObject({
      type: 'object',
      description: 'A widget.',
      required: ['spec'],
      properties: {
        apiVersion: { type: 'string' },
        kind: { type: 'string' },
        metadata: { allOf: [ref(`${META}.ObjectMeta`)] },
        spec: { type: 'object', description: 'what it should be' },
      },
      'x-kubernetes-group-version-kind': [{ group: 'edge.example.com', kind: 'Widget', version: 'v1' }],
    });
  });

  test('know no strategic merge patch', () => {
    const patch = document.paths['/apis/edge.example.com/v1/widgets/{name}']!['patch']!;
    expect(Object.keys(patch.requestBody.content)).not.toContain('application/strategic-merge-patch+json');
    expect(patch).toMatchObject({ operationId: 'patchEdgeExampleComV1Widget' });
  });
});
