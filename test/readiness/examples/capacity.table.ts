import { aNodePool, type ExampleTable } from './example.ts';

/** Its requirements are in line 10 and after. */
const pool = (requirements: readonly string[], rest = '', name = 'default') =>
  aNodePool(
    `  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
${requirements.map((each) => `        - ${each}`).join('\n')}${rest}`,
    name,
  );
const category = (...values: readonly string[]) =>
  `{key: karpenter.k8s.aws/instance-category, operator: In, values: [${values.join(', ')}]}`;
const family = (value: string, minValues = '') =>
  `{key: karpenter.k8s.aws/instance-family, operator: In, values: [${value}]${minValues}}`;
const arch = (value: string) => `{key: kubernetes.io/arch, operator: In, values: [${value}]}`;
const capacity = (value: string) => `{key: karpenter.sh/capacity-type, operator: In, values: [${value}]}`;
const zones = (...values: readonly string[]) =>
  `{key: topology.kubernetes.io/zone, operator: In, values: [${values.join(', ')}]}`;

const deployment = (spec: string) => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 6
  template:
    metadata:
      labels: {app: web}
    spec:
${spec}
      containers:
        - name: web
          resources: {requests: {cpu: 1, memory: 1Gi}}
`;
const spread = (minDomains: number) =>
  deployment(`      topologySpreadConstraints:
        - maxSkew: 1
          minDomains: ${minDomains}
          topologyKey: topology.kubernetes.io/zone
          whenUnsatisfiable: DoNotSchedule
          labelSelector: {matchLabels: {app: web}}`);

export const CAPACITY_EXAMPLES: ExampleTable = {
  'K-15': {
    fails: {
      status: 'warn',
      files: { 'a.yaml': pool([category('c')], '', 'a'), 'b.yaml': pool([category('c', 'm')], '', 'b') },
      sources: ['a.yaml:9', 'b.yaml:9'],
    },
    passes: {
      files: {
        'a.yaml': pool([category('c'), capacity('spot')], '', 'a'),
        'b.yaml': pool([category('c', 'm'), capacity('on-demand')], '', 'b'),
      },
      sources: ['a.yaml:9', 'b.yaml:9'],
    },
  },
  'K-24': {
    fails: {
      status: 'fail',
      files: { 'pool.yaml': pool([family('m7g'), arch('amd64')]) },
      sources: ['pool.yaml:9'],
    },
    passes: { files: { 'pool.yaml': pool([family('m7g'), arch('arm64')]) }, sources: ['pool.yaml:9'] },
  },
  'K-26': {
    fails: {
      status: 'fail',
      files: { 'pool.yaml': pool([family('m7g, c7g', ', minValues: 3')]) },
      sources: ['pool.yaml:10'],
    },
    passes: {
      files: { 'pool.yaml': pool([family('m7g, c7g, r7g', ', minValues: 3')]) },
      sources: ['pool.yaml:10'],
    },
  },
  'K-60': {
    fails: {
      status: 'fail',
      files: {
        'pool.yaml': pool([category('c')]),
        'web.yaml': deployment('      nodeSelector: {karpenter.k8s.aws/instance-category: m}'),
      },
      sources: ['web.yaml:11', 'pool.yaml:4'],
    },
    passes: {
      files: {
        'pool.yaml': pool([category('c')]),
        'web.yaml': deployment('      nodeSelector: {karpenter.k8s.aws/instance-category: c}'),
      },
      sources: ['web.yaml:11', 'pool.yaml:4'],
    },
  },
  'K-61': {
    fails: {
      status: 'warn',
      files: { 'pool.yaml': pool([zones('us-east-1a', 'us-east-1b')]), 'web.yaml': spread(3) },
      sources: ['web.yaml:11', 'pool.yaml:9'],
    },
    passes: {
      files: { 'pool.yaml': pool([zones('us-east-1a', 'us-east-1b')]), 'web.yaml': spread(2) },
      sources: ['web.yaml:11', 'pool.yaml:9'],
    },
  },
};
