import type { KubeObject } from '@chandler/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../errors.ts';
import type { FieldValidation } from '../resource.ts';
import { builtinResources } from './catalogue.ts';
import { contextFor, resourceOf } from './golden/replay.ts';
import { type BuiltinStructure, Op } from './structures.ts';

describe('reading the objects of built-in kinds', () => {
  test.each(
    builtinResources().map((resource) => [`${resource.plural} ${resource.group}`, resource] as const),
  )('an object that was read once is not changed by reading it again: %s', (_name, resource) => {
    const context = contextFor(resource, { fieldValidation: 'Ignore' });
    fc.assert(
      fc.property(anyValue(resource.structure as BuiltinStructure, 0), (given) => {
        const first = resource.strategy.decode(structuredClone(given), context);
        const second = resource.strategy.decode(structuredClone(first), context);
        expect(second).toEqual(first);
      }),
      { numRuns: 25 },
    );
  });

  test('unknown fields are rejected, reported as warnings or dropped silently, as fieldValidation says', () => {
    const body = { metadata: { name: 'x', foo: 1 }, data: { a: 'b' }, bar: { baz: 2 } };
    expect(() => read(body, 'Strict')).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.foo", unknown field "bar"',
    );
    const warned = read(body, 'Warn');
    expect(warned.warnings).toEqual(['unknown field "metadata.foo"', 'unknown field "bar"']);
    expect(warned.object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x' },
      data: { a: 'b' },
    });
    expect(read(body, 'Ignore').warnings).toEqual([]);
  });

  test('duplicate keys are reported together with unknown fields', () => {
    const duplicates = ['duplicate field "metadata.name"'];
    expect(() => read({ metadata: { name: 'x' }, a: 1 }, 'Strict', duplicates)).toThrow(
      'strict decoding error: duplicate field "metadata.name", unknown field "a"',
    );
  });

  test('fields named like members of Object.prototype are unknown fields', () => {
    const body = JSON.parse(
      '{"metadata":{"name":"x"},"constructor":1,"toString":{},"__proto__":{"a":1}}',
    ) as object;
    expect(read(body, 'Warn').warnings).toEqual([
      'unknown field "constructor"',
      'unknown field "toString"',
      'unknown field "__proto__"',
    ]);
  });

  test('an object that is nested too deeply is a bad request', () => {
    const resource = resourceOf('customresourcedefinitions.apiextensions.k8s.io');
    let schema: Record<string, unknown> = { type: 'object' };
    for (let depth = 0; depth < 50_000; depth++) schema = { properties: { a: schema } };
    const body = { metadata: { name: 'x' }, spec: { versions: [{ schema: { openAPIV3Schema: schema } }] } };
    expect(() => resource.strategy.decode(body, contextFor(resource))).toThrow('exceeded max depth');
  });

  test('a wrong type is a bad request, not an invalid object', () => {
    expect(() => read({ data: [] }, 'Warn')).toThrow(ApiError);
    expect(() => read({ data: [] }, 'Warn')).toThrow(
      'ConfigMap in version "v1" cannot be handled as a ConfigMap: json: cannot unmarshal array into Go struct field ConfigMap.data of type map[string]string',
    );
  });
});

// ---------------------------------------------------------------------------------------------------

function read(
  body: object,
  fieldValidation: FieldValidation,
  duplicates: readonly string[] = [],
): { object: KubeObject; warnings: string[] } {
  const resource = resourceOf('configmaps');
  const warnings: string[] = [];
  const context = contextFor(resource, { fieldValidation, warn: (text) => warnings.push(text) });
  return { object: resource.strategy.decode(structuredClone(body), context, duplicates), warnings };
}

const SCALARS = {
  [Op.string]: fc.constantFrom('', 'a', 'Always', 'x/y'),
  [Op.int32]: fc.constantFrom(0, 1, -1, 80),
  [Op.int64]: fc.constantFrom(0, 1, 300),
  [Op.number]: fc.constantFrom(0, 1.5),
  [Op.boolean]: fc.boolean(),
  [Op.bytes]: fc.constantFrom('', 'eA=='),
  [Op.time]: fc.constantFrom('2020-01-01T00:00:00Z', '2020-06-01T12:00:00.5+02:00'),
  [Op.microTime]: fc.constantFrom('2020-01-01T00:00:00.000000Z', '2020-06-01T12:00:00.500000+02:00'),
  [Op.quantity]: fc.constantFrom<string | number>('1', '1000m', '0.5', '1024Mi', '1e3', 5, '100u'),
  [Op.intOrString]: fc.constantFrom<string | number>(0, 80, '25%', 'http'),
  [Op.any]: fc.constantFrom<unknown>({ a: 1 }, { b: [] }),
} as const;

/** Values of the right types, with the fields that matter now and then missing, null or empty. */
function anyValue(shape: BuiltinStructure, depth: number): fc.Arbitrary<unknown> {
  switch (shape.op) {
    case Op.struct: {
      const fields: Record<string, fc.Arbitrary<unknown>> = {};
      for (const [key, property] of Object.entries(shape.properties ?? {})) {
        if (key === 'apiVersion' || key === 'kind' || (depth > 5 && property.op <= Op.map)) continue;
        fields[key] = fc.option(anyValue(property, depth + 1), { freq: 6, nil: null });
      }
      return fc.record(fields, { requiredKeys: depth < 2 ? Object.keys(fields).filter(isNeeded) : [] });
    }
    case Op.list:
      return fc.array(anyValue(shape.items!, depth + 1), { maxLength: 2 });
    case Op.map:
      return fc.dictionary(fc.constantFrom('a', 'b', 'cpu'), anyValue(shape.additional!, depth + 1), {
        maxKeys: 2,
      });
    default:
      return SCALARS[shape.op];
  }
}

function isNeeded(key: string): boolean {
  return key === 'spec' || key === 'metadata';
}
