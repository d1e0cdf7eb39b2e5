import { describe, expect, test } from 'vitest';
import { aksNodeClassKind } from '../kinds/aks-node-class/aks-node-class.ts';
import { nodePoolKind } from '../kinds/node-pool.ts';
import { withDefaults } from './defaults.ts';
import { integer, list, map, object, openObject, optional, text } from './schema.ts';

const NODE_CLASS_REF = { group: 'karpenter.azure.com', kind: 'AKSNodeClass', name: 'default' };

describe('defaults of a manifest', () => {
  test('a pool gets what the API server would give it', () => {
    const spec = { template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [] } } };
    expect(withDefaults(nodePoolKind.spec, spec)).toEqual({
      template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [], expireAfter: '720h' } },
      disruption: {
        consolidateAfter: '0s',
        consolidationPolicy: 'WhenEmptyOrUnderutilized',
        budgets: [{ nodes: '10%' }],
      },
    });
  });

  test('what was written stays', () => {
    const spec = withDefaults(aksNodeClassKind.spec, {
      osDiskSizeGB: 64,
      kubelet: { cpuManagerPolicy: 'static' },
    });
    expect(spec).toMatchObject({ osDiskSizeGB: 64, imageFamily: 'Ubuntu' });
    expect(spec.kubelet).toMatchObject({ cpuManagerPolicy: 'static', containerLogMaxSize: '50Mi' });
  });

  test('an absent object gets no defaults inside it', () => {
    expect(withDefaults(aksNodeClassKind.spec, {})).toEqual({ imageFamily: 'Ubuntu', osDiskSizeGB: 128 });
  });

  const item = object('An item.', { size: optional(integer('Its size.', { default: 1 })) });

  test('items of lists and maps are filled in', () => {
    const schema = object('A thing.', { parts: list('Parts.', item), named: map('Named.', item) });
    const value = { parts: [{}, { size: 2 }], named: { a: {} } };
    expect(withDefaults(schema, value)).toEqual({
      parts: [{ size: 1 }, { size: 2 }],
      named: { a: { size: 1 } },
    });
  });

  test('a null counts as missing where there is a default', () => {
    const written = { size: null } as unknown as { size?: number };
    expect(withDefaults(item, written)).toEqual({ size: 1 });
  });

  test('the input is not changed, and the result shares nothing with it', () => {
    const schema = openObject('Settings.', { name: optional(text('A name.', { default: 'a' })) });
    const given = { extra: { deep: [1] } };
    const filled = withDefaults(schema, given);
    expect(filled).toEqual({ extra: { deep: [1] }, name: 'a' });
    (filled['extra'] as { deep: number[] }).deep.push(2);
    expect(given).toEqual({ extra: { deep: [1] } });
  });

  test('a default is copied, so that objects do not share it', () => {
    const first = withDefaults(nodePoolKind.spec, {
      template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [] } },
    });
    first.disruption?.budgets?.push({ nodes: '1' });
    const second = withDefaults(nodePoolKind.spec, {
      template: { spec: { nodeClassRef: NODE_CLASS_REF, requirements: [] } },
    });
    expect(second.disruption?.budgets).toEqual([{ nodes: '10%' }]);
  });
});
