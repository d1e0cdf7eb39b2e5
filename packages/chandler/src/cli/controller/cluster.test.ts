import { describe, expect, test } from 'vitest';
import { homeNamespace } from './cluster.ts';

/** From a kubeconfig: the namespace of the current context. */
const LAPTOP = { namespace: 'shop' };
const POD = { namespace: 'karpenter', podNamespace: 'karpenter' };

describe('the namespace of the controller', () => {
  test('is the value of system-namespace', () => {
    expect(homeNamespace('mine', POD)).toBe('mine');
    expect(homeNamespace('mine', LAPTOP)).toBe('mine');
  });

  test('is the namespace of the pod', () => {
    expect(homeNamespace('', POD)).toBe('karpenter');
  });

  test('is kube-system outside a pod, as for Karpenter on AKS, whatever the kubeconfig context says', () => {
    expect(homeNamespace('', LAPTOP)).toBe('kube-system');
    expect(homeNamespace('', { namespace: 'default' })).toBe('kube-system');
  });
});
