import { describe, expect, test } from 'vitest';
import { AZURE_WELL_KNOWN_LABELS } from '../known-labels.ts';
import { AwsLabel } from '../labels.ts';
import type { Rule } from '../schema/schema.ts';
import { aksRequirementRules, aksTemplateRules, keyRules, templateLabelRules } from './label-rules.ts';

const messages = (rules: readonly { message: string }[]) => rules.map((rule) => rule.message);
const ruleOf = (rules: readonly { message: string; rule: string }[], domain: string) =>
  rules.find((rule) => rule.message.includes(`"${domain}"`))?.rule ?? '';

describe('rules over labels', () => {
  test('only a NodePool refuses its own name as a key', () => {
    const refusal = 'label "karpenter.sh/nodepool" is restricted';
    expect(messages(keyRules('NodePool'))).toContain(refusal);
    expect(messages(keyRules('NodeClaim'))).not.toContain(refusal);
    expect(messages(keyRules('NodeOverlay'))).not.toContain(refusal);
  });

  test('all clouds are closed at once', () => {
    for (const rules of [
      keyRules('NodePool'),
      keyRules('NodeClaim'),
      keyRules('NodeOverlay'),
      templateLabelRules(),
    ]) {
      for (const domain of [
        'karpenter.sh',
        'karpenter.azure.com',
        'kubernetes.azure.com',
        'karpenter.k8s.aws',
      ]) {
        expect(messages(rules)).toContain(`label domain "${domain}" is restricted`);
      }
    }
  });

  test.each([
    ['karpenter.sh', 2, 2],
    ['karpenter.azure.com', 15, 15],
    ['kubernetes.azure.com', 12, 12],
    ['karpenter.k8s.aws', 29, 23],
  ])('as many labels of %s are open as upstream opens', (domain, forPools, forOverlays) => {
    const open = (rules: readonly Rule[]) => ruleOf(rules, domain).split(' || ')[0]!.split(', ').length;
    expect(open(keyRules('NodePool'))).toBe(forPools);
    expect(open(keyRules('NodeClaim'))).toBe(forPools);
    expect(open(templateLabelRules())).toBe(forPools + 1 /* the comma of self.all(k, …) */);
    expect(open(keyRules('NodeOverlay'))).toBe(forOverlays);
  });

  test('every label that scheduling knows on Azure may be required', () => {
    const rules = keyRules('NodePool');
    const open = `${ruleOf(rules, 'karpenter.azure.com')} ${ruleOf(rules, 'kubernetes.azure.com')}`;
    for (const label of AZURE_WELL_KNOWN_LABELS) expect(open).toContain(`'${label}'`);
    expect(open).not.toContain('sku-hyperv-generation');
  });

  test('an overlay cannot select on the capacity type or the reservation of an instance', () => {
    const pool = ruleOf(keyRules('NodePool'), 'karpenter.k8s.aws');
    const overlay = ruleOf(keyRules('NodeOverlay'), 'karpenter.k8s.aws');
    for (const label of [
      AwsLabel.tenancy,
      AwsLabel.capacityReservationId,
      AwsLabel.placementGroupPartition,
    ]) {
      expect(pool).toContain(`'${label}'`);
      expect(overlay).not.toContain(`'${label}'`);
    }
    expect(overlay).toContain(`'${AwsLabel.category}'`);
    expect(pool).not.toContain('zone-id');
  });

  test('the plain names of AKS are closed on AKS only', () => {
    for (const rules of [aksTemplateRules(), aksRequirementRules()]) {
      expect(messages(rules)).toEqual([
        'label "agentpool" is restricted',
        'label "storageprofile" is restricted',
        'label "storagetier" is restricted',
        'label "accelerator" is restricted',
      ]);
      for (const { rule } of rules) expect(rule).toContain("nodeClassRef.group != 'karpenter.azure.com' ||");
    }
  });
});
