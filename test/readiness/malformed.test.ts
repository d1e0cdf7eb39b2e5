/** Input that is malformed is reported: never a stack trace, and never a defect of Chandler. */
import { describe, expect, test } from 'vitest';
import { CHECKS, judge } from '../../packages/chandler/src/readiness/index.ts';
import { inputsOf } from '../../packages/chandler/src/readiness/testing.ts';
import { aNodeClass, aNodePool } from './examples/example.ts';

const judged = (files: Readonly<Record<string, string>>) => judge(inputsOf(files), CHECKS, { strict: false });
const statusesOf = (id: string, files: Readonly<Record<string, string>>) =>
  judged(files)
    .findings.filter((finding) => finding.id === id)
    .map(({ status, message }) => `${status}: ${message}`);

const TAINTED = aNodePool(
  '  template:\n    spec:\n      taints:\n        - key: gpu\n          effect: NoSchedule',
);
const BUDGET = (selector: string) =>
  `apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: b\nspec:\n  minAvailable: 1\n  selector: ${selector}\n`;
const DEPLOYMENT = (spec: string) =>
  `apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: d\nspec:\n  replicas: 1\n  template:\n    metadata:\n      labels: {app: d}\n    spec:\n${spec}\n`;

describe('a malformed manifest', () => {
  test.each<readonly [string, Readonly<Record<string, string>>]>([
    ['a map of terms', { 'c.yaml': aNodeClass('  subnetSelectorTerms: {tags: {a: b}}') }],
    ['a role that is a number', { 'c.yaml': aNodeClass('  role: 12345') }],
    ['a role that is a map', { 'c.yaml': aNodeClass('  role: {{ .Values.role }}') }],
    ['a term that is null', { 'c.yaml': aNodeClass('  amiSelectorTerms: [null]') }],
    ['an alias that is a list', { 'c.yaml': aNodeClass('  amiSelectorTerms: [{alias: [a]}]') }],
    ['a spec that is a text', { 'c.yaml': aNodeClass('  text') }],
    ['a kubelet that is a text', { 'c.yaml': aNodeClass('  kubelet: x') }],
    ['a kubelet with texts', { 'c.yaml': aNodeClass('  kubelet: {evictionHard: x, systemReserved: [1]}') }],
    ['a toleration that is null', { 'p.yaml': TAINTED, 'd.yaml': DEPLOYMENT('      tolerations: [null]') }],
    [
      'a taint that is null',
      {
        'p.yaml': aNodePool('  template:\n    spec:\n      taints: [null]'),
        'd.yaml': DEPLOYMENT('      tolerations: [{operator: Exists}]'),
      },
    ],
    ...[
      '{matchExpressions: {}}',
      '{matchExpressions: [null]}',
      '{matchExpressions: [{key: a, operator: In, values: b}]}',
      '{matchLabels: [a]}',
      'x',
    ].map(
      (selector) =>
        [
          `the selector ${selector}`,
          { 'b.yaml': BUDGET(selector), 'd.yaml': DEPLOYMENT('      containers: []'), 'p.yaml': TAINTED },
        ] as const,
    ),
  ])('is never a defect of Chandler: %s', (_, files) => {
    expect(judged(files).findings.filter(({ status }) => status === 'error')).toEqual([]);
  });

  test('fails the check that reads the field, and says what it should be', () => {
    expect(statusesOf('K-35', { 'c.yaml': aNodeClass('  role: 12345') })).toEqual([
      'fail: spec.role is not a text.',
    ]);
    expect(statusesOf('K-74', { 'c.yaml': aNodeClass('  subnetSelectorTerms: {tags: {a: b}}') })).toEqual([
      'fail: spec.subnetSelectorTerms is not a list.',
    ]);
    expect(statusesOf('K-74', { 'c.yaml': aNodeClass('  amiSelectorTerms: [null]') })).toEqual([
      'fail: spec.amiSelectorTerms[0] is not a map.',
    ]);
  });
});

test('a kustomize target that is no expression is reported with its line, and the rest is judged', () => {
  const { problems, findings } = judged({
    'kustomization.yaml': `resources: [pool.yaml]
patches:
  - target: {kind: NodePool, name: "*"}
    patch: |
      - op: remove
        path: /spec/limits
`,
    'pool.yaml': TAINTED,
  });
  expect(problems).toContainEqual({
    at: { file: 'kustomization.yaml', line: 3 },
    message: 'the target name "*" is not a regular expression; the patch was not applied',
    level: 'error',
  });
  expect(findings.some(({ object }) => object === 'NodePool/default')).toBe(true);
});

describe('YAML with many aliases', () => {
  test('is read in one pass: each alias does not search the document again', () => {
    const lines = Array.from({ length: 30_000 }, () => '  - *a').join('\n');
    const inputs = inputsOf({ 'c.yaml': `${aNodeClass('  role: &a x')}list:\n${lines}\n` });
    expect(inputs.problems).toEqual([]);
    expect(inputs.manifests).toHaveLength(1);
  });

  test('shares what an anchor names: values do not grow with each level', () => {
    const levels = Array.from(
      { length: 9 },
      (_, level) => `  l${level + 1}: &l${level + 1} [${Array(10).fill(`*l${level}`).join(', ')}]`,
    );
    const text = aNodeClass(['  l0: &l0 {a: b}', ...levels, '  role: node'].join('\n'));
    expect(statusesOf('K-35', { 'c.yaml': text })).toEqual(['pass: It is a name.']);
  });

  test('an alias means the anchor that stands last before it', () => {
    const text = aNodeClass('  a: &x arn:one\n  role: *x\n  b: &x two');
    expect(statusesOf('K-35', { 'c.yaml': text })[0]).toMatch(/^fail: spec.role: is an ARN/);
  });
});
