import { describe, expect, test } from 'vitest';
import {
  AWS_LABEL_RULES,
  AWS_WELL_KNOWN_LABELS,
  AZURE_LABEL_RULES,
  AZURE_WELL_KNOWN_LABELS,
  CORE_LABEL_RULES,
  isRestrictedLabel,
  type LabelRules,
} from './known-labels.ts';
import { AKS_LEGACY_LABELS, AksLabel, AwsLabel, AzureLabel, KarpenterLabel } from './labels.ts';

describe('which labels a user may set', () => {
  test.each([
    ['karpenter.sh/capacity-type', false],
    ['karpenter.sh/nodepool', false],
    ['karpenter.sh/anything-else', true],
    ['sub.karpenter.sh/x', true],
    ['notkarpenter.sh/x', false],
    ['kubernetes.io/hostname', true],
    ['topology.kubernetes.io/zone', false],
    ['team', false],
    ['example.com/team', false],
  ])('%s is restricted: %s', (key, restricted) => {
    expect(isRestrictedLabel(key)).toBe(restricted);
  });

  test('closes the domain of a cloud except for its well-known names', () => {
    expect(isRestrictedLabel(AzureLabel.skuCpu, AZURE_LABEL_RULES)).toBe(false);
    expect(isRestrictedLabel(AzureLabel.skuHyperVGeneration, AZURE_LABEL_RULES)).toBe(true);
    expect(isRestrictedLabel(AksLabel.ebpfDataplane, AZURE_LABEL_RULES)).toBe(false);
    expect(isRestrictedLabel(AwsLabel.family, AWS_LABEL_RULES)).toBe(false);
    expect(isRestrictedLabel('karpenter.k8s.aws/unknown', AWS_LABEL_RULES)).toBe(true);
    expect(isRestrictedLabel('karpenter.k8s.aws/unknown', AZURE_LABEL_RULES)).toBe(false);
  });

  test('knows as many names of each cloud as upstream does', () => {
    expect(AZURE_WELL_KNOWN_LABELS.size).toBe(22);
    expect(AWS_WELL_KNOWN_LABELS.size).toBe(29);
    expect(AKS_LEGACY_LABELS).toContain('agentpool');
  });

  test('limits a label to the values that a cloud has for it', () => {
    const values = (rules: LabelRules, key: string) => rules.knownValues.get(key)?.toSorted();
    expect(values(CORE_LABEL_RULES, KarpenterLabel.capacityType)).toEqual(['on-demand', 'reserved', 'spot']);
    expect(values(AWS_LABEL_RULES, KarpenterLabel.capacityType)).toEqual(['on-demand', 'reserved', 'spot']);
    expect(values(AZURE_LABEL_RULES, KarpenterLabel.capacityType)).toEqual(['on-demand', 'spot']);
    expect(values(AZURE_LABEL_RULES, AksLabel.osSku)).toEqual(['AzureLinux', 'Ubuntu']);
    expect(values(AZURE_LABEL_RULES, AksLabel.fipsEnabled)).toEqual(['true']);
    expect(values(AWS_LABEL_RULES, AwsLabel.tenancy)).toEqual(['dedicated', 'default']);
    expect(values(AWS_LABEL_RULES, AwsLabel.family)).toBeUndefined();
  });

  test('limits the values of well-known labels only', () => {
    for (const rules of [CORE_LABEL_RULES, AZURE_LABEL_RULES, AWS_LABEL_RULES])
      expect([...rules.knownValues.keys()].filter((key) => !rules.wellKnown.has(key))).toEqual([]);
  });
});
