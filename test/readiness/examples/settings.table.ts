import { aNodeClass, aNodePool, type ExampleTable } from './example.ts';

const userData = (family: string, line: string) => ({
  'class.yaml': aNodeClass(`  amiFamily: ${family}\n  userData: |\n    ${line}`),
});
const kubelet = (field: string) => ({
  'class.yaml': aNodeClass(`  amiFamily: Bottlerocket\n  kubelet:\n    ${field}`),
});
const values = (text: string) => ({ 'values.yaml': `settings:\n  clusterName: shop\n${text}` });
const affinity = (key: string, operator: string) =>
  values(`affinity:
  nodeAffinity:
    requiredDuringSchedulingIgnoredDuringExecution:
      nodeSelectorTerms:
        - matchExpressions:
            - {key: ${key}, operator: ${operator}}
`);
const requirement = (key: string) => ({
  'pool.yaml': aNodePool(
    `  template:\n    spec:\n      requirements:\n        - {key: ${key}, operator: In, values: [c5]}`,
  ),
});
export const SETTINGS_EXAMPLES: ExampleTable = {
  'K-25': {
    fails: {
      status: 'warn',
      files: requirement('karpenter.k8s.aws/instance-famly'),
      sources: ['pool.yaml:9'],
    },
    passes: { files: requirement('karpenter.k8s.aws/instance-family'), sources: ['pool.yaml:9'] },
  },
  'K-43': {
    fails: { status: 'fail', files: affinity('disktype', 'Exists'), sources: ['values.yaml:3'] },
    passes: { files: affinity('karpenter.sh/nodepool', 'DoesNotExist'), sources: ['values.yaml:3'] },
  },
  'K-72': {
    fails: {
      status: 'fail',
      files: userData('AL2', '/etc/eks/bootstrap.sh shop'),
      sources: ['class.yaml:7'],
    },
    passes: { files: userData('AL2023', '#!/bin/bash'), sources: ['class.yaml:7'] },
  },
  'K-73': {
    fails: { status: 'fail', files: userData('Custom', '#!/bin/bash'), sources: ['class.yaml:7'] },
    passes: {
      files: userData('Custom', 'start --register-with-taints=karpenter.sh/unregistered:NoExecute'),
      sources: ['class.yaml:7'],
    },
  },
  'K-77': {
    fails: { status: 'fail', files: kubelet('podsPerCore: 10'), sources: ['class.yaml:8'] },
    passes: { files: kubelet('maxPods: 58'), sources: ['class.yaml:8'] },
  },
  'K-81': {
    fails: { status: 'warn', files: values(''), sources: ['values.yaml:1'] },
    passes: { files: values('serviceMonitor:\n  enabled: true\n'), sources: ['values.yaml:4'] },
  },
};
