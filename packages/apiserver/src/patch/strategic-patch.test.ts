import type { KubeObject } from '@chandler/kube';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { structureOf } from '../builtin/structures.ts';
import { ApiError } from '../errors.ts';
import { applyPatch, patchMediaTypes, unsupportedPatchType } from './index.ts';

const DEPLOYMENT = structureOf('apps', 'v1', 'Deployment') as NonNullable<ReturnType<typeof structureOf>>;

function aDeployment(spec: Record<string, unknown> = {}): KubeObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'demo', labels: { a: '1', b: '2' }, finalizers: ['x/a', 'x/b'] },
    spec: {
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } },
      template: {
        spec: {
          containers: [
            {
              name: 'c1',
              image: 'i:1',
              command: ['x', 'y'],
              env: [
                { name: 'A', value: '1' },
                { name: 'B', value: '2' },
              ],
              ports: [{ containerPort: 80, protocol: 'TCP' }],
            },
            { name: 'c2', image: 'i:1' },
          ],
          tolerations: [{ key: 't' }],
          volumes: [{ name: 'v', emptyDir: {} }],
          ...spec,
        },
      },
    },
  };
}

function patched(patch: unknown): KubeObject {
  return applyPatch('strategic', aDeployment(), patch, DEPLOYMENT);
}

/** The pod spec after a patch of the pod spec. */
function podSpec(patch: unknown): Record<string, unknown[]> & { containers: Record<string, unknown>[] } {
  const next = patched({ spec: { template: { spec: patch } } });
  return (next['spec'] as { template: { spec: ReturnType<typeof podSpec> } }).template.spec;
}

function names(items: unknown): unknown[] {
  return (items as { name: string }[]).map(({ name }) => name);
}

describe('a strategic merge patch', () => {
  test('merges lists by key and leaves what it does not name', () => {
    const { containers } = podSpec({
      containers: [{ name: 'c1', image: 'i:2', env: [{ name: 'C', value: '3' }] }],
    });
    expect(names(containers)).toEqual(['c1', 'c2']);
    expect(containers[0]).toMatchObject({ image: 'i:2', command: ['x', 'y'] });
    expect(names(containers[0]?.['env'])).toEqual(['C', 'A', 'B']);
  });

  test('replaces lists that have no strategy', () => {
    expect(podSpec({ tolerations: [{ key: 'u' }] })['tolerations']).toEqual([{ key: 'u' }]);
    expect(podSpec({ containers: [{ name: 'c1', command: ['z'] }] }).containers[0]?.['command']).toEqual([
      'z',
    ]);
  });

  test('deletes an item, a field and a whole map', () => {
    const { containers } = podSpec({ containers: [{ name: 'c1', $patch: 'delete' }] });
    expect(names(containers)).toEqual(['c2']);
    expect(podSpec({ tolerations: null })).not.toHaveProperty('tolerations');
    expect(patched({ metadata: { labels: { $patch: 'delete' } } }).metadata.labels).toEqual({});
  });

  test('replaces a map or a keyed list with $patch: replace', () => {
    expect(patched({ metadata: { labels: { $patch: 'replace', z: '9' } } }).metadata.labels).toEqual({
      z: '9',
    });
    expect(podSpec({ containers: [{ $patch: 'replace' }, { name: 'n' }] }).containers).toEqual([
      { name: 'n' },
    ]);
  });

  test('keeps only the keys that $retainKeys names', () => {
    const next = patched({ spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } });
    expect((next['spec'] as Record<string, unknown>)['strategy']).toEqual({ type: 'Recreate' });
    const { volumes } = podSpec({
      volumes: [{ name: 'v', $retainKeys: ['name', 'configMap'], configMap: { name: 'm' } }],
    });
    expect(volumes).toEqual([{ name: 'v', configMap: { name: 'm' } }]);
  });

  test('puts items in the order of $setElementOrder', () => {
    expect(
      names(podSpec({ '$setElementOrder/containers': [{ name: 'c2' }, { name: 'c1' }] }).containers),
    ).toEqual(['c2', 'c1']);
    const { containers } = podSpec({
      '$setElementOrder/containers': [{ name: 'c3' }, { name: 'c2' }, { name: 'c1' }],
      containers: [{ name: 'c3', image: 'i:3' }],
    });
    expect(names(containers)).toEqual(['c3', 'c2', 'c1']);
  });

  test('adds to, orders and deletes from lists of scalars', () => {
    const finalizers = (patch: Record<string, unknown>): unknown =>
      patched({ metadata: patch }).metadata.finalizers;
    expect(finalizers({ finalizers: ['x/c', 'x/a'] })).toEqual(['x/c', 'x/a', 'x/b']);
    expect(finalizers({ '$deleteFromPrimitiveList/finalizers': ['x/a', 'x/z'] })).toEqual(['x/b']);
    expect(finalizers({ finalizers: ['x/c'], '$setElementOrder/finalizers': ['x/b', 'x/c', 'x/a'] })).toEqual(
      ['x/b', 'x/c', 'x/a'],
    );
  });

  test('drops nulls and directives from what is new', () => {
    const next = podSpec({
      nodeSelector: { a: '1', b: null },
      imagePullSecrets: [{ name: 's' }, { $patch: 'delete' }],
    });
    expect(next['nodeSelector']).toEqual({ a: '1' });
    expect(next['imagePullSecrets']).toEqual([{ name: 's' }]);
  });

  test('is nothing when it is null', () => {
    expect(patched(null)).toEqual(aDeployment());
  });

  test('does not change its inputs', () => {
    const current = aDeployment();
    const patch = {
      spec: { template: { spec: { containers: [{ name: 'c1', $patch: 'delete' }] } } },
      metadata: { labels: { $retainKeys: [] } },
    };
    const before = JSON.stringify([current, patch]);
    applyPatch('strategic', current, patch, DEPLOYMENT);
    expect(JSON.stringify([current, patch])).toBe(before);
  });
});

describe('a strategic merge patch is rejected', () => {
  const inPod = (spec: unknown): unknown => ({ spec: { template: { spec } } });

  test.each([
    [
      'a container without name',
      inPod({ containers: [{ image: 'z' }] }),
      500,
      'map: map[image:z] does not contain declared merge key: name',
    ],
    [
      'a deletion without name',
      inPod({ containers: [{ $patch: 'delete' }] }),
      500,
      'map: map[$patch:delete] does not contain declared merge key: name',
    ],
    [
      'a directive on an item that cannot be',
      inPod({ containers: [{ $patch: 'merge', name: 'c1' }] }),
      500,
      'merging lists cannot yet be specified in the patch',
    ],
    [
      'an unknown directive on an item',
      inPod({ containers: [{ $patch: 'odd', name: 'c1' }] }),
      500,
      'unknown patch type: odd in map: map[$patch:odd name:c1]',
    ],
    ['an unknown directive', { $patch: 'nope' }, 500, 'unknown patch type: nope in map: map[$patch:nope]'],
    [
      'items of two types',
      { metadata: { finalizers: [1] } },
      500,
      'list element types are not identical: [[x/a x/b] [1]]',
    ],
    [
      'an order that contradicts the patch',
      inPod({ '$setElementOrder/containers': [{ name: 'c2' }], containers: [{ name: 'c1', image: 'q' }] }),
      500,
      "The order in patch list:\n[map[image:q name:c1]]\n doesn't match $setElementOrder list:\n[map[name:c2]]\n",
    ],
    [
      'an order without keys',
      inPod({ '$setElementOrder/containers': [{ nam: 'c2' }] }),
      500,
      'map: map[nam:c2] does not contain declared merge key: name',
    ],
    [
      'an order of scalars',
      inPod({ '$setElementOrder/containers': ['c2'] }),
      500,
      'value for key 0 is not a map',
    ],
    [
      'an order that is no list',
      inPod({ '$setElementOrder/containers': {} }),
      500,
      'expected a []interface {}, but received a map[string]interface {}',
    ],
    [
      'an order of a field that is not there',
      inPod({ '$setElementOrder/nothere': [] }),
      500,
      'unable to find api field in struct PodSpec for the json field "nothere"',
    ],
    [
      'an order of nothing',
      { metadata: { $setElementOrder: [] } },
      400,
      'invalid patch format of setElementOrder list',
    ],
    [
      'a deletion from nothing',
      { metadata: { $deleteFromPrimitiveList: ['x/a'] } },
      400,
      'invalid patch format of primitive list',
    ],
    [
      'retained keys that are no list',
      { metadata: { $retainKeys: 'x' } },
      400,
      'invalid patch format of retainKeys',
    ],
    [
      'a key that it does not retain',
      { metadata: { labels: { $retainKeys: ['b'], c: '3' } } },
      400,
      'invalid patch format of retainKeys',
    ],
    ['a list', [], 400, 'json: cannot unmarshal array into Go value of type map[string]interface {}'],
  ])('for %s', (_, patch, code, message) => {
    expect(() => patched(patch)).toThrow(expect.objectContaining({ code, message }));
  });

  test('for a list of lists, without saying why', () => {
    const current = aDeployment({ containers: [] });
    const patch = inPod({ containers: [[1]] });
    expect(() => applyPatch('strategic', current, patch, DEPLOYMENT)).toThrow(
      expect.objectContaining({
        code: 422,
        message: 'the server rejected our request due to an error in our request',
      }),
    );
  });
});

describe('a strategic merge patch law', () => {
  const env = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('A', 'B', 'C', 'D'), value: fc.constantFrom('1', '2') }),
    {
      selector: ({ name }) => name,
    },
  );

  test('applying twice is applying once', () => {
    fc.assert(
      fc.property(env, (variables) => {
        const patch = { spec: { template: { spec: { containers: [{ name: 'c1', env: variables }] } } } };
        const once = patched(patch);
        expect(applyPatch('strategic', once, patch, DEPLOYMENT)).toEqual(once);
      }),
    );
  });

  test('no key comes up twice, and every item of the patch is there', () => {
    fc.assert(
      fc.property(env, (variables) => {
        const { containers } = podSpec({ containers: [{ name: 'c1', env: variables }] });
        const found = containers[0]?.['env'] as { name: string }[];
        expect(new Set(names(found)).size).toBe(found.length);
        expect(found).toEqual(expect.arrayContaining(variables));
      }),
    );
  });
});

describe('the media types of PATCH', () => {
  test('leave out strategic merge patches for custom resources', () => {
    expect(patchMediaTypes(true)).not.toContain('application/strategic-merge-patch+json');
    expect(patchMediaTypes(false)).toContain('application/strategic-merge-patch+json');
  });

  test('are named to who sends another one to a custom resource', () => {
    const refusal = unsupportedPatchType(true);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal.code).toBe(415);
    expect(refusal.message).toBe(
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    );
    expect(unsupportedPatchType(false).message).toBe('415: Unsupported Media Type');
  });
});
