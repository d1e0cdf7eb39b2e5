import { describe, expect, test } from 'vitest';
import type { Pod } from '../../scheduling/index.ts';
import { PodAmounts } from './resource-amounts.ts';

const containers = [
  {
    name: 'm',
    resources: { requests: { cpu: '100m', memory: '1Gi' }, limits: { cpu: '1', 'example.com/gpu': '2' } },
  },
];
const pod = (spec: Partial<Pod['spec']> = {}): Pod =>
  ({ metadata: { name: 'a', namespace: 'default' }, spec: { containers, ...spec } }) as Pod;
const shown = (of: 'requests' | 'limits', pods: readonly Pod[]) => {
  const amounts = new PodAmounts();
  return Object.fromEntries(amounts.named(amounts[of](pods)));
};

describe('the sum of pod requests', () => {
  test('is the same whether pods share container objects or not', () => {
    const apart = [pod(), pod({ containers: structuredClone(containers) })];
    expect(shown('requests', [pod(), pod()])).toEqual({ cpu: 0.2, memory: 2 ** 31, pods: 2 });
    expect(shown('requests', apart)).toEqual(shown('requests', [pod(), pod()]));
    expect(shown('limits', [pod(), pod()])).toEqual({ cpu: 2, 'example.com/gpu': 4 });
  });

  test('adds overhead and pod-level resources for each pod', () => {
    const overhead = { cpu: '50m' };
    const initContainers = [{ name: 'i', resources: { requests: { memory: '3Gi' } } }];
    const all = [pod(), pod({ overhead }), pod({ initContainers }), pod()];
    expect(shown('requests', all)).toEqual({ cpu: 0.45, memory: 6 * 2 ** 30, pods: 4 });
    expect(shown('limits', all)['cpu']).toBe(4);
  });

  test('skips invalid quantities, and is empty without requests', () => {
    const nonsense = pod({ containers: [{ name: 'm', resources: { requests: { cpu: 'much' } } }] });
    expect(shown('requests', [pod(), nonsense])['cpu']).toBe(0.1);
    expect(shown('limits', [])).toEqual({});
  });
});
