import { describe, expect, test } from 'vitest';
import {
  AwsLabel,
  AzureLabel,
  DISRUPTED_TAINT,
  isKnownEphemeralTaint,
  KarpenterLabel,
  KubernetesLabel,
  labelDomain,
  nodeClassLabel,
  normalizeLabel,
  normalizeLabelValue,
  sameTaint,
} from './labels.ts';

describe('old names of a label', () => {
  test.each([
    ['failure-domain.beta.kubernetes.io/zone', KubernetesLabel.zone],
    ['failure-domain.beta.kubernetes.io/region', KubernetesLabel.region],
    ['beta.kubernetes.io/arch', KubernetesLabel.arch],
    ['beta.kubernetes.io/os', KubernetesLabel.os],
    ['beta.kubernetes.io/instance-type', KubernetesLabel.instanceType],
    ['topology.disk.csi.azure.com/zone', KubernetesLabel.zone],
    ['topology.ebs.csi.aws.com/zone', KubernetesLabel.zone],
    ['mine', 'mine'],
  ])('%s is read as %s', (key, normalized) => {
    expect(normalizeLabel(key)).toBe(normalized);
  });

  test('turns the empty zone of an Azure disk into the zone of regional machines', () => {
    expect(normalizeLabelValue('topology.disk.csi.azure.com/zone', '')).toBe('0');
    expect(normalizeLabelValue('topology.disk.csi.azure.com/zone', 'westeurope-1')).toBe('westeurope-1');
    expect(normalizeLabelValue('topology.ebs.csi.aws.com/zone', '')).toBe('');
  });
});

describe('taints', () => {
  test.each([
    [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }, true],
    [{ key: 'node.kubernetes.io/unreachable', effect: 'NoExecute' }, false],
    [{ key: 'node.cloudprovider.kubernetes.io/uninitialized', value: 'false', effect: 'NoSchedule' }, true],
    [{ key: 'karpenter.sh/unregistered', effect: 'NoExecute' }, true],
    [{ key: 'readiness.k8s.io/network', effect: 'PreferNoSchedule' }, true],
    [{ key: 'dedicated', effect: 'NoSchedule' }, false],
  ])('%j goes away by itself while a node starts: %s', (taint, ephemeral) => {
    expect(isKnownEphemeralTaint(taint)).toBe(ephemeral);
  });

  test('are the same when key and effect are', () => {
    const valued = { ...DISRUPTED_TAINT, value: 'x' };
    expect(sameTaint(valued, DISRUPTED_TAINT)).toBe(true);
    expect(sameTaint({ key: DISRUPTED_TAINT.key, effect: 'NoExecute' }, DISRUPTED_TAINT)).toBe(false);
  });
});

test('names the label of a node class after its group and kind', () => {
  expect(nodeClassLabel('karpenter.azure.com', 'AKSNodeClass')).toBe(AzureLabel.nodeClass);
  expect(nodeClassLabel('karpenter.k8s.aws', 'EC2NodeClass')).toBe(AwsLabel.nodeClass);
  expect(labelDomain(KarpenterLabel.nodePool)).toBe('karpenter.sh');
  expect(labelDomain('plain')).toBe('');
});
