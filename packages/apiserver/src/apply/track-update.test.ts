import type { KubeObject, ManagedFieldsEntry } from '@chandler/kube';
import { describe, expect, test } from 'vitest';
import { definition, structureOf } from '../builtin/structures.ts';
import type { Structure } from '../structure.ts';
import {
  applyConfiguration,
  entriesBehindScale,
  keepTimesOfNoop,
  type ManagerRequest,
  resetFieldsOf,
  SCALE_API_VERSION,
  scaleEntries,
  trackUpdate,
} from './index.ts';

const META = definition('io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta');

function shapeOf(spec: Structure): Structure {
  return {
    type: 'object',
    properties: { apiVersion: { type: 'string' }, kind: { type: 'string' }, metadata: META, spec },
  };
}

const V1 = shapeOf({
  type: 'object',
  properties: {
    size: { type: 'integer' },
    ids: { type: 'array', listType: 'set', items: { type: 'string' } },
  },
});

function request(overrides: Partial<ManagerRequest> = {}): ManagerRequest {
  return { structure: V1, manager: 'm', apiVersion: 'x.io/v1', now: '2024-01-01T00:00:09Z', ...overrides };
}

function aThing(spec: unknown, managedFields?: ManagedFieldsEntry[]): KubeObject {
  return {
    apiVersion: 'x.io/v1',
    kind: 'Thing',
    metadata: { name: 't', ...(managedFields === undefined ? {} : { managedFields }) },
    spec,
  };
}

function owned(
  manager: string,
  fieldsV1: ManagedFieldsEntry['fieldsV1'],
  more: Partial<ManagedFieldsEntry> = {},
): ManagedFieldsEntry {
  return {
    manager,
    operation: 'Update',
    apiVersion: 'x.io/v1',
    time: '2024-01-01T00:00:01Z',
    fieldsType: 'FieldsV1',
    fieldsV1: fieldsV1 ?? {},
    ...more,
  };
}

function tracked(
  next: KubeObject,
  current: KubeObject | undefined,
  overrides: Partial<ManagerRequest> = {},
): KubeObject {
  trackUpdate(next, current, request(overrides));
  return next;
}

describe('the owners of a field', () => {
  test('do not include fields that the strategy resets', () => {
    const next = tracked(aThing({ size: 1, ids: ['a'] }), undefined, { ignore: [['spec', 'size']] });
    expect(next.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': { '.': {}, 'f:ids': { '.': {}, 'v:"a"': {} } },
    });
  });

  test('include only fields that the subresource may set', () => {
    const next = tracked(aThing({ size: 1, ids: ['a'] }), undefined, { only: [['spec', 'ids']] });
    expect(next.metadata.managedFields?.[0]?.fieldsV1).toEqual({
      'f:spec': { '.': {}, 'f:ids': { '.': {}, 'v:"a"': {} } },
    });
  });

  test('are called unknown when they do not identify themselves', () => {
    expect(
      tracked(aThing({ size: 1 }), undefined, { manager: '' }).metadata.managedFields?.[0]?.manager,
    ).toBe('unknown');
  });

  test('cannot be rewritten through a subresource', () => {
    const current = aThing({ size: 1 }, [owned('a', { 'f:spec': { 'f:size': {} } })]);
    const next = tracked(aThing({ size: 1 }, [{}]), current, { subresource: 'status' });
    expect(next.metadata.managedFields).toEqual(current.metadata.managedFields);
  });

  test('are forgotten when items of a list cannot be distinguished', () => {
    const current = aThing({ ids: ['a'] }, [owned('a', { 'f:spec': { 'f:ids': {} } })]);
    expect(tracked(aThing({ ids: ['a', null] }), current).metadata.managedFields).toBeUndefined();
  });

  test('are forgotten when a custom resource does not match its definition', () => {
    expect(tracked(aThing({ size: 'big' }), undefined).metadata.managedFields).toBeUndefined();
  });

  test('keep what they own under a definition in which it became atomic', () => {
    const current = aThing({ ids: ['a', 'b'] }, [owned('a', { 'f:spec': { 'f:ids': { 'v:"a"': {} } } })]);
    const structure = shapeOf({
      type: 'object',
      properties: { ids: { type: 'array', items: { type: 'string' } } },
    });
    expect(tracked(aThing({ ids: ['a', 'b'] }), current, { structure }).metadata.managedFields).toEqual([
      owned('a', { 'f:spec': { 'f:ids': {} } }),
    ]);
  });
});

describe('owners in another version', () => {
  const V2 = shapeOf({ type: 'object', properties: { length: { type: 'integer' } } });
  const atVersion: ManagerRequest['atVersion'] = (object, apiVersion) => {
    if (apiVersion === 'x.io/v1') return { object, structure: V1 };
    if (apiVersion !== 'x.io/v2') return undefined;
    const { size } = (object['spec'] ?? {}) as { size?: number };
    const spec = size === undefined ? {} : { length: size };
    return { object: { ...object, apiVersion, spec }, structure: V2 };
  };

  test('lose what was changed, by the names of their version', () => {
    const entries = [owned('old', { 'f:spec': { 'f:length': {}, '.': {} } }, { apiVersion: 'x.io/v2' })];
    const next = tracked(aThing({ size: 2 }), aThing({ size: 1 }, entries), { atVersion });
    expect(next.metadata.managedFields).toEqual(
      [
        owned('m', { 'f:spec': { 'f:size': {} } }, { time: '2024-01-01T00:00:09Z' }),
        owned('old', { 'f:spec': {} }, { apiVersion: 'x.io/v2' }),
      ].reverse(),
    );
  });

  test('are forgotten when their version is no longer served', () => {
    const current = aThing({ size: 1 }, [
      owned('gone', { 'f:spec': { 'f:x': {} } }, { apiVersion: 'x.io/v0' }),
    ]);
    expect(tracked(aThing({ size: 1 }), current, { atVersion }).metadata.managedFields).toBeUndefined();
  });

  test('protect their fields from an apply in this one', () => {
    const entries = [owned('old', { 'f:spec': { 'f:length': {} } }, { apiVersion: 'x.io/v2' })];
    const apply = (): unknown =>
      applyConfiguration(aThing({ size: 1 }, entries), aThing({ size: 2 }), {
        ...request({ atVersion }),
        force: false,
      });
    expect(apply).toThrow('Apply failed with 1 conflict: conflict with "old" using x.io/v2: .spec.length');
  });

  test('let their own applied fields be removed in this one', () => {
    const first = applyConfiguration(
      aThing({}),
      { ...aThing({ length: 3 }), apiVersion: 'x.io/v2' },
      {
        ...request({ structure: V2, apiVersion: 'x.io/v2' }),
        force: false,
      },
    );
    const current = { ...first, apiVersion: 'x.io/v1', spec: { size: 3, ids: ['a'] } };
    const back: ManagerRequest['atVersion'] = (object, apiVersion) => {
      const { spec } = object as unknown as { spec?: { size?: number; length?: number; ids?: string[] } };
      const inV1 = {
        ...object,
        apiVersion,
        spec: {
          ids: ['a'],
          ...((spec?.size ?? spec?.length) === undefined ? {} : { size: spec?.size ?? spec?.length }),
        },
      };
      return apiVersion === 'x.io/v1' ? { object: inV1, structure: V1 } : atVersion(object, apiVersion);
    };
    const next = applyConfiguration(current, aThing(undefined), {
      ...request({ atVersion: back }),
      force: false,
    });
    expect(next['spec']).toEqual({ ids: ['a'] });
  });
});

describe('a write that changes nothing but times', () => {
  const entry = owned('a', { 'f:spec': { 'f:size': {} } });
  const later = { ...entry, time: '2024-01-01T00:00:09Z' };

  test('keeps the old times', () => {
    const next = aThing({ size: 1 }, [later]);
    keepTimesOfNoop(next, aThing({ size: 1 }, [entry]));
    expect(next.metadata.managedFields).toEqual([entry]);
  });

  test.each([
    ['the object changed', aThing({ size: 2 }, [later])],
    ['an owner was added', aThing({ size: 1 }, [later, owned('b', { 'f:spec': {} })])],
    ['an owner has other fields', aThing({ size: 1 }, [{ ...later, fieldsV1: { 'f:spec': {} } }])],
  ])('keeps the new ones when %s', (_, next) => {
    const before = structuredClone(next);
    keepTimesOfNoop(next, aThing({ size: 1 }, [entry]));
    expect(next).toEqual(before);
  });
});

describe('the owners of replicas', () => {
  const paths = { 'apps/v1': ['spec', 'replicas'] };
  const creator = owned(
    'creator',
    { 'f:spec': { 'f:paused': {}, 'f:replicas': {} } },
    { apiVersion: 'apps/v1' },
  );
  const scale = structureOf('autoscaling', 'v1', 'Scale') as Structure;

  function aScale(replicas: number, managedFields: ManagedFieldsEntry[] | undefined): KubeObject {
    const metadata = { name: 'd', uid: 'u', ...(managedFields === undefined ? {} : { managedFields }) };
    return { apiVersion: SCALE_API_VERSION, kind: 'Scale', metadata, spec: { replicas } };
  }

  const viaScale: ManagerRequest = {
    structure: scale,
    manager: 'scaler',
    apiVersion: SCALE_API_VERSION,
    subresource: 'scale',
    now: '2024-01-01T00:00:09Z',
  };

  test('are shown by the Scale', () => {
    expect(scaleEntries([creator, owned('other', { 'f:spec': {} })], paths)).toEqual([
      { ...creator, apiVersion: SCALE_API_VERSION, fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
    ]);
  });

  test('change with a write of the Scale', () => {
    const current = aScale(1, scaleEntries([creator], paths));
    const next = aScale(3, undefined);
    trackUpdate(next, current, viaScale);
    const { time: _, ...scaler } = owned(
      'scaler',
      { 'f:spec': { 'f:replicas': {} } },
      { apiVersion: 'apps/v1', subresource: 'scale' },
    );
    expect(entriesBehindScale([creator], next.metadata.managedFields, 'apps/v1', paths)).toEqual([
      scaler,
      { ...creator, fieldsV1: { 'f:spec': { 'f:paused': {} } } },
    ]);
  });

  test('are protected from an apply of the Scale', () => {
    const current = aScale(1, scaleEntries([creator], paths));
    expect(() => applyConfiguration(current, aScale(2, undefined), { ...viaScale, force: false })).toThrow(
      'Apply failed with 1 conflict: conflict with "creator" using autoscaling/v1: .spec.replicas',
    );
  });
});

describe('fields that strategies reset', () => {
  test('are known by resource and subresource', () => {
    expect(resetFieldsOf('pods', undefined)).toEqual({ ignore: [['status']] });
    expect(resetFieldsOf('deployments.apps', 'status').ignore).toContainEqual(['metadata', 'labels']);
    expect(resetFieldsOf('pods', 'resize').only).toContainEqual(['spec', 'containers', '*', 'resources']);
    expect(resetFieldsOf('configmaps', undefined)).toEqual({});
  });

  test('of custom resources depend on their having a status', () => {
    expect(resetFieldsOf('things.x.io', undefined, { hasStatus: false })).toEqual({});
    expect(resetFieldsOf('things.x.io', undefined, { hasStatus: true })).toEqual({ ignore: [['status']] });
    expect(resetFieldsOf('things.x.io', 'status', { hasStatus: true })).toEqual({
      ignore: [['metadata'], ['spec']],
    });
  });
});
