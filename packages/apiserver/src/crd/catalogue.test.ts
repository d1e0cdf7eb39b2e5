import type { KubeObject } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { ask } from './answer.fixture.ts';
import { resourcesOf } from './catalogue.ts';
import type { CrdVersion, JsonSchema } from './types.ts';

describe('a definition is served', () => {
  test('once for every served version, all stored together in the storage version', () => {
    const versions = [
      aVersion('v1beta1'),
      aVersion('v1', { storage: true }),
      aVersion('v0', { served: false }),
    ];
    const resources = resourcesOf(aDefinition(versions));
    expect(resources.map(({ version }) => version)).toEqual(['v1beta1', 'v1']);
    expect(resources.map(({ storage }) => [storage.key, storage.apiVersion, storage.kind])).toEqual([
      ['boats.example.com', 'example.com/v1', 'Boat'],
      ['boats.example.com', 'example.com/v1', 'Boat'],
    ]);
  });

  test('under its names, with the verbs of any resource', () => {
    const [boats] = resourcesOf(aDefinition([aVersion('v1', { storage: true })]));
    expect(boats).toMatchObject({
      group: 'example.com',
      kind: 'Boat',
      listKind: 'BoatList',
      plural: 'boats',
      singular: 'boat',
      namespaced: true,
      shortNames: ['bo'],
      categories: ['fleet'],
    });
    expect(boats?.verbs).toContain('deletecollection');
  });

  test('with status and scale where the version has them', () => {
    const scale = { specReplicasPath: '.spec.crew', statusReplicasPath: '.status.crew' };
    const [boats] = resourcesOf(
      aDefinition([aVersion('v1', { storage: true, subresources: { status: {}, scale } })]),
    );
    expect(boats?.subresources.map(({ name, kind, group }) => [name, kind, group])).toEqual([
      ['status', 'Boat', undefined],
      ['scale', 'Scale', 'autoscaling'],
    ]);
    expect(boats?.scale).toEqual(scale);
  });

  test('with the fields that selectors may name', () => {
    const [boats] = resourcesOf(
      aDefinition([aVersion('v1', { storage: true, selectableFields: [{ jsonPath: '.spec.crew' }] })]),
    );
    const [field] = boats?.selectableFields ?? [];
    expect(field?.path).toBe('spec.crew');
    expect(field?.read(aBoat({ crew: 3 }))).toBe('3');
    expect(field?.read(aBoat({}))).toBe('');
  });

  test('with a warning for a deprecated version that names its replacement', () => {
    const versions = [aVersion('v1beta1', { deprecated: true }), aVersion('v1', { storage: true })];
    const [old, current] = resourcesOf(aDefinition(versions));
    expect(old?.deprecationWarning).toBe('example.com/v1beta1 Boat is deprecated; use example.com/v1 Boat');
    expect(current?.deprecationWarning).toBeUndefined();
    const [worded] = resourcesOf(
      aDefinition([aVersion('v1', { storage: true, deprecated: true, deprecationWarning: 'go away' })]),
    );
    expect(worded?.deprecationWarning).toBe('go away');
  });

  test('with a published schema that describes what every object has', () => {
    const [boats] = resourcesOf(aDefinition([aVersion('v1', { storage: true })]));
    const schema = boats?.openApiSchema as {
      properties: Record<string, { description?: string; allOf?: unknown }>;
    };
    expect(schema.properties['kind']?.description).toBeTruthy();
    expect(schema.properties['metadata']?.allOf).toEqual([
      { $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' },
    ]);
    expect(boats?.openApiSchema?.['x-kubernetes-group-version-kind']).toEqual([
      { group: 'example.com', version: 'v1', kind: 'Boat' },
    ]);
  });

  test('with a structure that knows how lists merge', () => {
    const decks = {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } },
    };
    const [boats] = resourcesOf(aDefinition([aVersion('v1', { storage: true, schema: aSchema({ decks }) })]));
    expect(boats?.structure.properties?.['spec']?.properties?.['decks']).toMatchObject({
      type: 'array',
      listType: 'map',
      listKeys: ['name'],
    });
    expect(boats?.structure.properties?.['metadata']?.properties?.['finalizers']?.listType).toBe('set');
  });
});

describe('an object read in another version', () => {
  test('has that apiVersion, its fields and its defaults', () => {
    const versions = [
      aVersion('v1beta1', {
        schema: aSchema({ crew: { type: 'integer' }, flag: { type: 'string', default: 'none' } }),
      }),
      aVersion('v1', {
        storage: true,
        schema: aSchema({ crew: { type: 'integer' }, sails: { type: 'integer' } }),
      }),
    ];
    const [beta] = resourcesOf(aDefinition(versions));
    const stored = aBoat({ crew: 2, sails: 3 });
    expect(beta?.storage.decode?.(stored)).toMatchObject({
      apiVersion: 'example.com/v1beta1',
      spec: { crew: 2, flag: 'none' },
    });
    expect(stored['spec']).toEqual({ crew: 2, sails: 3 });
    const written = beta?.storage.encode?.({
      ...aBoat({ crew: 5, flag: 'x' }),
      apiVersion: 'example.com/v1beta1',
    });
    expect(written).toMatchObject({ apiVersion: 'example.com/v1', spec: { crew: 5 } });
    expect(written?.['spec']).not.toHaveProperty('flag');
  });
});

describe('writing a custom resource', () => {
  const [boats] = resourcesOf(
    aDefinition([
      aVersion('v1', {
        storage: true,
        subresources: { status: {} },
        schema: aSchema({ crew: { type: 'integer', default: 1 }, note: { type: 'string' } }),
      }),
    ]),
  );

  test('fills in defaults, also for null where null is not allowed', () => {
    expect(ask(boats!, aBoat({ crew: null })).object?.['spec']).toEqual({ crew: 1 });
  });

  test('drops the status on creation and on update of the object', () => {
    const created = ask(boats!, { ...aBoat({}), status: { seen: true } }).object;
    expect(created).not.toHaveProperty('status');
    const current = { ...aBoat({ crew: 1 }), status: { seen: true } };
    const updated = ask(boats!, { ...aBoat({ crew: 1 }), status: { seen: false } }, { current }).object;
    expect(updated?.['status']).toEqual({ seen: true });
    expect(updated?.metadata.generation).toBe(1);
  });

  test('changes nothing but the status through the status', () => {
    const current = { ...aBoat({ crew: 1 }), status: { seen: false } };
    const body = { ...aBoat({ crew: 9 }), status: { seen: true } };
    body.metadata.labels = { a: 'b' };
    const { object } = ask(boats!, body, { current, subresource: 'status' });
    expect(object?.['spec']).toEqual({ crew: 1 });
    expect(object?.['status']).toEqual({ seen: true });
    expect(object?.metadata.labels).toBeUndefined();
  });

  test('counts up the generation when the object changes, not when its metadata does', () => {
    const current = aBoat({ crew: 1 });
    expect(ask(boats!, aBoat({ crew: 2 }), { current }).object?.metadata.generation).toBe(2);
    const labelled = aBoat({ crew: 1 });
    labelled.metadata.labels = { a: 'b' };
    expect(ask(boats!, labelled, { current }).object?.metadata.generation).toBe(1);
  });

  test('rejects another version, another kind and no kind with the wording of a real server', () => {
    expect(ask(boats!, { ...aBoat({}), apiVersion: 'example.com/v2' }).message).toBe(
      'the API version in the data (example.com/v2) does not match the expected API version (example.com/v1)',
    );
    expect(ask(boats!, { ...aBoat({}), kind: 'Ship' }).message).toBe(
      'Ship.example.com "titanic" is invalid: kind: Invalid value: "Ship": must be Boat',
    );
    expect(ask(boats!, { apiVersion: 'example.com/v1' })).toMatchObject({ code: 400 });
  });

  test('warns of finalizers without a domain', () => {
    const body = aBoat({});
    body.metadata.finalizers = ['anchor'];
    expect(ask(boats!, body).warnings).toEqual([
      'metadata.finalizers: "anchor": prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers',
    ]);
  });
});

function aSchema(fields: Record<string, JsonSchema>): { openAPIV3Schema: JsonSchema } {
  const status: JsonSchema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return {
    openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties: fields }, status } },
  };
}

function aVersion(name: string, more: Partial<CrdVersion> = {}): CrdVersion {
  return { name, served: true, storage: false, schema: aSchema({ crew: { type: 'integer' } }), ...more };
}

function aDefinition(versions: CrdVersion[]): KubeObject {
  const names = { plural: 'boats', kind: 'Boat', shortNames: ['bo'], categories: ['fleet'] };
  return {
    metadata: { name: 'boats.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions },
  };
}

function aBoat(spec: Record<string, unknown>): KubeObject {
  return {
    apiVersion: 'example.com/v1',
    kind: 'Boat',
    metadata: { name: 'titanic', namespace: 'sea', generation: 1 },
    spec,
  };
}
