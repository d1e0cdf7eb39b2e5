import { expect, test } from 'vitest';
import { specValues } from './spec-values.ts';

const rows = (spec: object) =>
  specValues({ metadata: { name: 'x' }, spec }).map(({ name, value, from }) => [name, value, from]);

test('a requirement is one row, with its key', () => {
  const requirements = [
    { key: 'kubernetes.io/arch', operator: 'In', values: ['amd64', 'arm64'] },
    { key: 'node.kubernetes.io/instance-type', operator: 'Exists', minValues: 5 },
  ];
  expect(rows({ template: { spec: { requirements } } })).toEqual([
    ['requirement', 'kubernetes.io/arch In amd64, arm64', 'spec.template.spec.requirements[0]'],
    [
      'requirement',
      'node.kubernetes.io/instance-type Exists, at least 5 values',
      'spec.template.spec.requirements[1]',
    ],
  ]);
});

test('taints and tolerations are one row each, with their key', () => {
  const taints = [
    { key: 'gpu', value: 'yes', effect: 'NoSchedule' },
    { key: 'spot', effect: 'NoExecute' },
  ];
  const tolerations = [
    { key: 'gpu', operator: 'Equal', value: 'yes', effect: 'NoSchedule' },
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    { operator: 'Exists' },
    { key: 'any-effect', operator: 'Exists' },
  ];
  expect(rows({ taints, tolerations })).toEqual([
    ['taint', 'gpu=yes:NoSchedule', 'spec.taints[0]'],
    ['taint', 'spot:NoExecute', 'spec.taints[1]'],
    ['toleration', 'gpu=yes:NoSchedule', 'spec.tolerations[0]'],
    ['toleration', 'node.kubernetes.io/not-ready:NoExecute for 300 s', 'spec.tolerations[1]'],
    ['toleration', 'every taint', 'spec.tolerations[2]'],
    ['toleration', 'any-effect', 'spec.tolerations[3]'],
  ]);
});

test('an affinity and a spread of a pod have their keys', () => {
  const matchExpressions = [{ key: 'zone', operator: 'NotIn', values: ['a'] }];
  expect(
    rows({
      affinity: { nodeAffinity: { nodeSelectorTerms: [{ matchExpressions }] } },
      topologySpreadConstraints: [{ topologyKey: 'zone', maxSkew: 1 }],
    }),
  ).toEqual([
    [
      'match expression',
      'zone NotIn a',
      'spec.affinity.nodeAffinity.nodeSelectorTerms[0].matchExpressions[0]',
    ],
    ['topologyKey', 'zone', 'spec.topologySpreadConstraints[0].topologyKey'],
    ['maxSkew', '1', 'spec.topologySpreadConstraints[0].maxSkew'],
  ]);
});

test('what may be a secret stays hidden', () => {
  const secrets = [
    { env: [{ name: 'A', value: 'hunter2' }], args: ['--x=hunter2'] },
    { userData: 'hunter2' },
    { tls: { key: 'hunter2' } },
    { items: [{ key: 'hunter2', path: 'p', mode: 1 }] },
    { password: 'hunter2' },
  ];
  for (const spec of secrets) expect(JSON.stringify(rows(spec))).not.toContain('hunter2');
});
