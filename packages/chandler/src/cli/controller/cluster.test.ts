import { describe, expect, test } from 'vitest';
import { homeNamespace } from './cluster.ts';

/** What a kubeconfig gives: the namespace that kubectl would look at first. */
const LAPTOP = { namespace: 'shop' };
const POD = { namespace: 'karpenter', podNamespace: 'karpenter' };

describe('the namespace of the controller', () => {
  test('is what system-namespace says', () => {
    expect(homeNamespace('mine', POD)).toBe('mine');
    expect(homeNamespace('mine', LAPTOP)).toBe('mine');
  });

  test('is the namespace of the pod', () => {
    expect(homeNamespace('', POD)).toBe('karpenter');
  });

  test('is kube-system elsewhere, where Karpenter lives on AKS, whatever kubectl looks at', () => {
    expect(homeNamespace('', LAPTOP)).toBe('kube-system');
    expect(homeNamespace('', { namespace: 'default' })).toBe('kube-system');
  });
});
