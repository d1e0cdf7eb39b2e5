import { aNodePool, anApplication, CLUSTER, type ExampleTable } from './example.ts';

/** The pod spec begins in line 12. */
const deployment = (spec: string, annotations = '{}') => `apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    metadata:
      labels: {app: web}
      annotations: ${annotations}
    spec:
${spec}
`;
const CONTAINER = '      containers:\n        - name: web';
const budget = (spec: string, name = 'web') => `apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: ${name}
spec:
  ${spec}
  selector:
    matchLabels: {app: web}
`;
const TAINTED = aNodePool(`  template:
    spec:
      taints:
        - key: dedicated
          value: batch
          effect: NoSchedule`);
const KEEPING = '{karpenter.sh/do-not-disrupt: "true"}';
const chart = (version: string) => ({
  'app.yaml': anApplication('        settings:\n          clusterName: shop').replace('1.14.1', version),
});

export const WORKLOAD_EXAMPLES: ExampleTable = {
  'S-43': {
    fails: {
      status: 'warn',
      files: { 'pool.yaml': TAINTED, 'web.yaml': deployment('      tolerations: []') },
      sources: ['pool.yaml:9'],
    },
    passes: {
      files: {
        'pool.yaml': TAINTED,
        'web.yaml': deployment('      tolerations:\n        - {key: dedicated, operator: Exists}'),
      },
      sources: ['pool.yaml:9'],
    },
  },
  'K-19': {
    fails: {
      status: 'warn',
      files: { 'pool.yaml': aNodePool('  weight: 1'), 'web.yaml': deployment(CONTAINER, KEEPING) },
      sources: ['pool.yaml:5', 'pool.yaml:5', 'web.yaml:10'],
    },
    passes: {
      files: {
        'pool.yaml': aNodePool('  template:\n    spec:\n      terminationGracePeriod: 2h'),
        'web.yaml': deployment(CONTAINER),
        'budget.yaml': budget('maxUnavailable: 0'),
      },
      sources: ['pool.yaml:7', 'pool.yaml:8'],
    },
  },
  'K-20': {
    fails: {
      status: 'warn',
      files: {
        'pool.yaml': aNodePool('  template:\n    spec:\n      terminationGracePeriod: 1m'),
        'web.yaml': deployment('      terminationGracePeriodSeconds: 120'),
      },
      sources: ['pool.yaml:8', 'web.yaml:12'],
    },
    passes: {
      files: {
        'pool.yaml': aNodePool('  template:\n    spec:\n      terminationGracePeriod: 1m'),
        'web.yaml': deployment(CONTAINER),
      },
      sources: ['pool.yaml:8'],
    },
  },
  'K-21': {
    fails: {
      status: 'warn',
      files: { 'budget.yaml': budget('minAvailable: 2'), 'web.yaml': deployment(CONTAINER) },
      sources: ['budget.yaml:5', 'budget.yaml:6'],
    },
    passes: {
      files: { 'budget.yaml': budget('minAvailable: 1'), 'web.yaml': deployment(CONTAINER) },
      sources: ['budget.yaml:5', 'budget.yaml:6'],
    },
  },
  'K-22': {
    fails: {
      status: 'warn',
      files: {
        'a.yaml': budget('minAvailable: 1'),
        'b.yaml': budget('minAvailable: 1', 'other'),
        'web.yaml': deployment(CONTAINER),
      },
      sources: ['a.yaml:4', 'b.yaml:4'],
    },
    passes: {
      files: { 'a.yaml': budget('minAvailable: 1'), 'web.yaml': deployment(CONTAINER) },
      sources: ['a.yaml:4'],
    },
  },
  'K-23': {
    fails: {
      status: 'warn',
      files: { 'web.yaml': deployment(CONTAINER, KEEPING) },
      sources: ['web.yaml:10'],
    },
    passes: { files: { 'web.yaml': deployment(CONTAINER) }, sources: ['web.yaml:10'] },
  },
  'K-62': {
    fails: {
      status: 'warn',
      files: {
        'web.yaml': deployment(
          `${CONTAINER}\n          resources:\n            requests:\n              cpu: 1`,
        ),
      },
      sources: ['web.yaml:15'],
    },
    passes: {
      files: {
        'web.yaml': deployment(
          `${CONTAINER}\n          resources:\n            requests:\n              cpu: 1\n              memory: 1Gi`,
        ),
      },
      sources: ['web.yaml:16', 'web.yaml:17'],
    },
  },
  'K-51': {
    fails: {
      status: 'fail',
      files: { 'main.tf': CLUSTER, ...chart('1.4.0') },
      sources: ['app.yaml:12', 'main.tf:3'],
    },
    passes: { files: { 'main.tf': CLUSTER, ...chart('1.5.0') }, sources: ['app.yaml:12', 'main.tf:3'] },
  },
  'K-52': {
    fails: { status: 'warn', files: chart('1.8.4'), sources: ['app.yaml:12'] },
    passes: { files: chart('1.14.1'), sources: ['app.yaml:12'] },
  },
};
