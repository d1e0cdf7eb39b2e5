/** Where values are incomplete, generated or of another type, a check says so and does not decide. */
import { describe, expect, test } from 'vitest';
import { CHECKS, judge } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { aNodeClass, aNodePool, anApplication, CLUSTER } from './examples/example.ts';
import { statusesOf } from './examples/judged.ts';

test('values that are not known prove neither that a key is absent nor a number of replicas', () => {
  const tf = `resource "helm_release" "karpenter" {
  chart   = "karpenter"
  version = var.chart_version
  values  = [var.values]
}
`;
  expect(['S-19', 'K-46', 'K-82'].flatMap((id) => statusesOf(id, { 'main.tf': tf }))).toEqual([
    'skip',
    'skip',
    'skip',
  ]);
});

test('an endpoint that is a map is not absent', () => {
  const files = { 'values.yaml': 'settings:\n  clusterName: shop\n  clusterEndpoint: {a: b}\n' };
  expect(['S-16', 'S-17'].flatMap((id) => statusesOf(id, files))).toEqual(['fail', 'fail']);
});

describe('an ApplicationSet', () => {
  const set = (values: string, more = '') => {
    const spec = anApplication(values).split('spec:\n')[1]!.replaceAll(/^/gm, '    ');
    return `apiVersion: argoproj.io/v1alpha1\nkind: ApplicationSet\nmetadata:\n  name: karpenter\nspec:\n${more}  template:\n    spec:\n${spec}`;
  };
  const values = `        settings:\n          clusterName: '{{name}}'\n          clusterEndpoint: '{{endpoint}}'`;
  test('has values that its generator sets: they are no placeholders', () => {
    const files = { 'set.yaml': set(values), 'main.tf': CLUSTER };
    expect(['S-01', 'S-16'].flatMap((id) => statusesOf(id, files))).toEqual(['skip', 'skip']);
  });

  test('with a templatePatch may set more values', () => {
    const patched = set('        settings:\n          clusterName: shop', '  templatePatch: x\n');
    expect(statusesOf('S-16', { 'set.yaml': patched })).toEqual(['skip']);
  });
});

test('a class of the family Custom has no encrypted default', () => {
  expect(statusesOf('S-37', { 'class.yaml': aNodeClass('  amiFamily: Custom') })).toEqual(['warn']);
});

test('what has no effect is never the next action', () => {
  const tf = 'resource "aws_eks_cluster" "a" {\n  tags = { "karpenter.sh/discovery" = "shop" }\n}\n';
  const files = {
    'main.tf': tf,
    '.terraform.lock.hcl': '',
    'class.yaml': aNodeClass('  amiSelectorTerms: [{id: ami-1}]'),
  };
  expect(
    judge(
      inputsOf(files),
      CHECKS.filter(({ id }) => id === 'S-11'),
      { strict: false },
    ).nextAction,
  ).toBeUndefined();
});

test('a NodePool for reserved capacity only is not judged by a catalogue that knows no reservations', () => {
  const pool = (capacityType: string) =>
    aNodePool(
      [
        '  template:',
        '    spec:',
        '      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}',
        '      requirements:',
        `        - {key: karpenter.sh/capacity-type, operator: In, values: [${capacityType}]}`,
      ].join('\n'),
    );
  const files = { 'class.yaml': aNodeClass('  role: a') };
  expect(statusesOf('K-24', { ...files, 'pool.yaml': pool('reserved') })).toEqual(['skip']);
  expect(statusesOf('K-24', { ...files, 'pool.yaml': pool('on-demand') })).toEqual(['pass']);
});
