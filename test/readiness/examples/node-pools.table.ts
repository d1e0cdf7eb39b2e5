import { aNodeClass, aNodePool, type ExampleTable } from './example.ts';

const ofPool = (spec: string, name?: string) => ({ 'pool.yaml': aNodePool(spec, name) });
const disruption = (text: string) => ofPool(`  disruption:\n    ${text}`);
const expire = (text: string) => ofPool(`  template:\n    spec:\n      expireAfter: ${text}`);
const reference = (name: string) => ({
  'class.yaml': aNodeClass('  role: KarpenterNodeRole-shop'),
  'pool.yaml': aNodePool(`  template:
    spec:
      nodeClassRef:
        group: karpenter.k8s.aws
        kind: EC2NodeClass
        name: ${name}`),
});
const capacity = (value: string) =>
  ofPool(
    `  template:
    spec:
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values: [${value}]`,
    'spot-fleet',
  );

export const NODE_POOL_EXAMPLES: ExampleTable = {
  'S-29': {
    fails: {
      status: 'fail',
      files: reference('other'),
      sources: ['pool.yaml:9', 'pool.yaml:10', 'pool.yaml:11'],
    },
    passes: {
      files: reference('default'),
      sources: ['pool.yaml:9', 'pool.yaml:10', 'pool.yaml:11', 'class.yaml:4'],
    },
  },
  'S-30': {
    fails: {
      status: 'warn',
      files: {
        'pool.yaml':
          'apiVersion: karpenter.sh/v1\nkind: NodePool\nmetadata:\n  name: default\n  namespace: karpenter\nspec: {}\n',
      },
      sources: ['pool.yaml:5'],
    },
    passes: { files: ofPool('  weight: 1'), sources: ['pool.yaml:3'] },
  },
  'S-41': {
    fails: { status: 'fail', files: expire('30 days'), sources: ['pool.yaml:8'] },
    passes: { files: expire('720h'), sources: ['pool.yaml:8'] },
  },
  'S-42': {
    fails: { status: 'fail', files: expire('15m'), sources: ['pool.yaml:8'] },
    passes: { files: expire('Never'), sources: ['pool.yaml:8'] },
  },
  'S-44': {
    fails: { status: 'warn', files: capacity('on-demand'), sources: ['pool.yaml:9'] },
    passes: { files: capacity('spot'), sources: ['pool.yaml:9'] },
  },
  'S-70': {
    fails: {
      status: 'warn',
      files: disruption('consolidationPolicy: WhenEmpty'),
      sources: ['pool.yaml:7', 'pool.yaml:6'],
    },
    passes: { files: disruption('consolidateAfter: 5m'), sources: ['pool.yaml:6', 'pool.yaml:7'] },
  },
  'K-13': {
    fails: { status: 'warn', files: ofPool('  weight: 1'), sources: ['pool.yaml:5', 'pool.yaml:5'] },
    passes: { files: ofPool('  limits:\n    cpu: 100'), sources: ['pool.yaml:7', 'pool.yaml:6'] },
  },
  'K-14': {
    fails: { status: 'warn', files: ofPool('  limits:\n    nodes: 10'), sources: ['pool.yaml:7'] },
    passes: {
      files: ofPool('  limits:\n    nodes: 10\n    cpu: 100'),
      sources: ['pool.yaml:7', 'pool.yaml:8'],
    },
  },
  'K-16': {
    fails: { status: 'warn', files: disruption('consolidateAfter: 30s'), sources: ['pool.yaml:7'] },
    passes: { files: disruption('consolidateAfter: 5m'), sources: ['pool.yaml:7'] },
  },
  'K-17': {
    fails: {
      status: 'warn',
      files: ofPool(
        '  disruption:\n    consolidateAfter: Never\n  template:\n    spec:\n      expireAfter: Never',
      ),
      sources: ['pool.yaml:7', 'pool.yaml:10'],
    },
    passes: { files: disruption('consolidateAfter: 5m'), sources: ['pool.yaml:7', 'pool.yaml:5'] },
  },
  'K-18': {
    fails: {
      status: 'warn',
      files: disruption('budgets:\n      - nodes: "0"'),
      sources: ['pool.yaml:8'],
    },
    passes: {
      files: disruption('budgets:\n      - nodes: "0"\n        schedule: "0 9 * * *"\n        duration: 8h'),
      sources: ['pool.yaml:8'],
    },
  },
  'K-89': {
    fails: {
      status: 'fail',
      files: { 'pools/a.yaml': aNodePool('  weight: 1'), 'pools/b.yaml': aNodePool('  weight: 2') },
      sources: ['pools/a.yaml:4', 'pools/b.yaml:4'],
    },
    passes: {
      files: { 'east/a.yaml': aNodePool('  weight: 1'), 'west/a.yaml': aNodePool('  weight: 2') },
      sources: ['east/a.yaml:4', 'west/a.yaml:4'],
    },
  },
};
