import { describe, expect, test } from 'vitest';
import { AZURE_WELL_KNOWN_LABELS } from '../known-labels.ts';
import { AwsLabel } from '../labels.ts';
import type { Rule } from '../schema/schema.ts';
import {
  cloudRequirementRules,
  cloudTemplateRules,
  foreignDomain,
  keyRules,
  templateLabelRules,
} from './label-rules.ts';

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

  test('each cloud closes its domains where the node class is its own, and an overlay closes all', () => {
    const owners = {
      'karpenter.azure.com': 'karpenter.azure.com',
      'kubernetes.azure.com': 'karpenter.azure.com',
      'karpenter.k8s.aws': 'karpenter.k8s.aws',
    };
    for (const [domain, group] of Object.entries(owners)) {
      const message = `label domain "${domain}" is restricted`;
      expect(messages(keyRules('NodeOverlay'))).toContain(message);
      for (const open of [keyRules('NodePool'), keyRules('NodeClaim'), templateLabelRules()])
        expect(messages(open)).not.toContain(message);
      for (const rules of [cloudTemplateRules(), cloudRequirementRules()])
        expect(ruleOf(rules, domain)).toContain(`nodeClassRef.group != '${group}' ||`);
    }
    for (const rules of [keyRules('NodePool'), keyRules('NodeClaim'), templateLabelRules()])
      expect(messages(rules)).toContain('label domain "karpenter.sh" is restricted');
  });

  test.each([
    ['karpenter.azure.com', 15, 15],
    ['kubernetes.azure.com', 12, 12],
    ['karpenter.k8s.aws', 29, 23],
  ])('as many labels of %s are open as upstream opens', (domain, forPools, forOverlays) => {
    const open = (rules: readonly Rule[]) =>
      /\[([^\]]*)\]/.exec(ruleOf(rules, domain))?.[1]?.split(', ').length;
    expect(open(cloudTemplateRules())).toBe(forPools);
    expect(open(cloudRequirementRules())).toBe(forPools);
    expect(open(keyRules('NodeOverlay'))).toBe(forOverlays);
  });

  test.each([
    ['karpenter.k8s.aws/instance-family', 'karpenter.azure.com', 'karpenter.k8s.aws'],
    ['kubernetes.azure.com/mode', 'karpenter.k8s.aws', 'kubernetes.azure.com'],
    ['x.kubernetes.azure.com/mode', 'karpenter.k8s.aws', 'kubernetes.azure.com'],
    ['karpenter.azure.com/sku-cpu', 'karpenter.azure.com', undefined],
    ['example.com/mode', 'karpenter.azure.com', undefined],
    ['karpenter.azure.com/sku-cpu', 'example.com', undefined],
  ])('%s with a node class of %s is of the foreign domain %s', (label, group, domain) => {
    expect(foreignDomain(label, group)).toBe(domain);
  });

  test('every label that scheduling knows on Azure may be required', () => {
    const rules = cloudRequirementRules();
    const open = `${ruleOf(rules, 'karpenter.azure.com')} ${ruleOf(rules, 'kubernetes.azure.com')}`;
    for (const label of AZURE_WELL_KNOWN_LABELS) expect(open).toContain(`'${label}'`);
    expect(open).not.toContain('sku-hyperv-generation');
  });

  test('an overlay cannot select on the capacity type or the reservation of an instance', () => {
    const pool = ruleOf(cloudRequirementRules(), 'karpenter.k8s.aws');
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
    for (const all of [cloudTemplateRules(), cloudRequirementRules()]) {
      const rules = all.filter(({ message }) => message.startsWith('label "'));
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
