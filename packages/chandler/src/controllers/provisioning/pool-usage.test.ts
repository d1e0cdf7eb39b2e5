import { describe, expect, test } from 'vitest';
import type { NodePool } from '../../api/index.ts';
import type { InstanceType } from '../../scheduling/index.ts';
import { aClaim, handmade } from '../../state/testing.ts';
import { usageOf, usedBy } from './pool-usage.ts';

/** Instance types that count how often their capacity is read. */
function countedTypes(count: number) {
  const reads = { capacities: 0 };
  const types = Array.from({ length: count }, (_, index): InstanceType => {
    const capacity = { cpu: `${index + 1}`, memory: `${4 * (index + 1)}Gi` };
    return {
      name: `type-${index}`,
      requirements: [],
      offerings: [],
      get capacity() {
        reads.capacities++;
        return capacity;
      },
    };
  });
  return { types, reads };
}

const ofTypes = (...values: readonly string[]) => [
  { key: 'node.kubernetes.io/instance-type', operator: 'In', values },
];

/** Claims without an instance; their requirements are one object, as in the stores of the controller. */
function withClaims(count: number, requirements: readonly object[]) {
  const made = handmade();
  const { spec } = aClaim('any');
  for (let index = 0; index < count; index++) {
    made.put(made.stores.claims, aClaim(`c${index}`, { spec: { ...spec, requirements } }));
  }
  return made;
}

const pool = (limits?: Record<string, string>) =>
  ({ metadata: { name: 'general' }, spec: { template: {}, ...(limits && { limits }) } }) as NodePool;

describe('the usage of a pool', () => {
  test('is read from the instance types once for all claims that list the same types', () => {
    const { types, reads } = countedTypes(10);
    const { cluster } = withClaims(50, ofTypes('type-1', 'type-3'));
    expect(usedBy('general', cluster, types)).toEqual({ nodes: '50', cpu: '200', memory: '800Gi' });
    expect(usedBy('general', cluster, types)).toEqual({ nodes: '50', cpu: '200', memory: '800Gi' });
    expect(reads.capacities).toBeLessThanOrEqual(types.length);
  });

  test('follows the claim and the instance types when one of them changes', () => {
    const { types } = countedTypes(10);
    const { cluster, put, stores } = withClaims(2, ofTypes('type-1', 'type-3'));
    expect(usedBy('general', cluster, types)).toMatchObject({ cpu: '8' });
    const { spec } = aClaim('any');
    put(stores.claims, aClaim('c0', { spec: { ...spec, requirements: ofTypes('type-9') } }));
    expect(usedBy('general', cluster, types)).toMatchObject({ cpu: '14' });
    const larger = types.map((type) => ({ ...type, capacity: { ...type.capacity, cpu: '100' } }));
    expect(usedBy('general', cluster, larger)).toMatchObject({ cpu: '200' });
    expect(usedBy('general', cluster, types, new Set(['c0']))).toMatchObject({ cpu: '4', nodes: '1' });
  });

  test('is not summed for a pool without limits', () => {
    const { types, reads } = countedTypes(10);
    const { cluster } = withClaims(5, ofTypes('type-1'));
    expect(usageOf(pool(), cluster, types)).toEqual({});
    expect(usageOf(pool({}), cluster, types)).toEqual({});
    expect(reads.capacities).toBe(0);
    const { used } = usageOf(pool({ cpu: '20' }), cluster, types);
    expect(used).toEqual({ nodes: '5', cpu: '10', memory: '40Gi' });
  });

  test('counts nodes that are replaced and their replacements once, whichever is more', () => {
    const { types } = countedTypes(10);
    const { cluster, put, stores } = withClaims(3, ofTypes('type-1'));
    const used = () => usedBy('general', cluster, types);
    const { spec } = aClaim('any');
    const replacement = (name: string, type: string) => {
      const { metadata } = aClaim(name);
      const labels = { 'karpenter.sh/nodepool': 'general' };
      return { metadata: { ...metadata, labels }, spec: { ...spec, requirements: ofTypes(type) } };
    };
    // Two nodes with two cores each are replaced by one with three that does not exist yet.
    cluster.exchanges.begin('x', {
      candidates: ['c0', 'c1'],
      replacements: [replacement('new', 'type-2')],
    } as unknown as Parameters<typeof cluster.exchanges.begin>[1]);
    expect(used()).toMatchObject({ nodes: '3', cpu: '6' });
    cluster.mark(['c0', 'c1'].map((name) => cluster.nodeOfClaim(name)!.key));
    expect(used()).toMatchObject({ nodes: '3', cpu: '6' });
    // The command itself counts its replacement in place of what it replaces.
    expect(usedBy('general', cluster, types, new Set(['c0', 'c1']))).toMatchObject({ nodes: '2', cpu: '5' });
    put(stores.claims, aClaim('new', { spec: { ...spec, requirements: ofTypes('type-9') } }));
    expect(used()).toMatchObject({ nodes: '3', cpu: '12' });
    // The command has ended, and its nodes are marked until the store shows their deletion.
    cluster.exchanges.end('x');
    expect(used()).toMatchObject({ nodes: '2', cpu: '12' });
    cluster.unmark(['c0', 'c1'].map((name) => cluster.nodeOfClaim(name)!.key));
    expect(used()).toMatchObject({ nodes: '4', cpu: '16' });
  });
});
