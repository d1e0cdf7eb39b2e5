import { aNodePool, anApplication, aResource, aState, type ExampleTable } from './example.ts';

const endpoint = (text: string) => ({
  'values.yaml': `settings:\n  clusterName: shop\n  clusterEndpoint: ${text}\n`,
});
const state = {
  'state.json': aState(
    aResource('aws_eks_cluster', 'this', {
      name: 'shop',
      endpoint: 'https://A1.gr7.us-east-1.eks.amazonaws.com',
    }),
  ),
};
const SPOT = aNodePool(`  template:
    spec:
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values: [spot]`);

const values = (text: string) => ({ 'values.yaml': `settings:\n  clusterName: shop\n${text}` });

export const VALUES_EXAMPLES: ExampleTable = {
  'S-16': {
    fails: {
      status: 'fail',
      files: {
        'app.yaml': anApplication('        settings:\n          clusterEndpoint: REPLACE_WITH_YOUR_ENDPOINT'),
      },
      sources: ['app.yaml:16'],
    },
    passes: { files: endpoint('https://A1.gr7.us-east-1.eks.amazonaws.com'), sources: ['values.yaml:3'] },
  },
  'S-17': {
    fails: {
      status: 'fail',
      files: endpoint('A1.gr7.us-east-1.eks.amazonaws.com'),
      sources: ['values.yaml:3'],
    },
    passes: { files: endpoint('https://A1.gr7.us-east-1.eks.amazonaws.com'), sources: ['values.yaml:3'] },
  },
  'S-18': {
    fails: {
      status: 'fail',
      files: { ...endpoint('https://B2.gr7.us-east-1.eks.amazonaws.com'), ...state },
      sources: ['values.yaml:3', 'state.json:2'],
    },
    passes: {
      files: { ...endpoint('https://a1.gr7.us-east-1.eks.amazonaws.com/'), ...state },
      sources: ['values.yaml:3', 'state.json:2'],
    },
  },
  'S-19': {
    fails: {
      status: 'warn',
      files: values('  defaultInstanceProfile: KarpenterNode-shop\n'),
      sources: ['values.yaml:3'],
    },
    passes: { files: values(''), sources: ['values.yaml:1'] },
  },
  'K-07': {
    fails: {
      status: 'fail',
      files: { 'pool.yaml': SPOT, ...values('') },
      sources: ['pool.yaml:9', 'values.yaml:1'],
    },
    passes: {
      files: { 'pool.yaml': SPOT, ...values('  interruptionQueue: Karpenter-shop\n') },
      sources: ['pool.yaml:9', 'values.yaml:3'],
    },
  },
  'K-09': {
    fails: {
      status: 'fail',
      files: values('  interruptionQueue: arn:aws:sqs:us-east-1:418295670013:Karpenter-shop\n'),
      sources: ['values.yaml:3'],
    },
    passes: { files: values('  interruptionQueue: Karpenter-shop\n'), sources: ['values.yaml:3'] },
  },
  'K-45': {
    fails: { status: 'warn', files: values(''), sources: ['values.yaml:1', 'values.yaml:1'] },
    passes: {
      files: values('controller:\n  resources:\n    requests:\n      cpu: 1\n      memory: 1Gi\n'),
      sources: ['values.yaml:6', 'values.yaml:7'],
    },
  },
  'K-46': {
    fails: { status: 'warn', files: values('replicas: 1\n'), sources: ['values.yaml:3'] },
    passes: { files: values('replicas: 2\n'), sources: ['values.yaml:3'] },
  },
  'K-82': {
    fails: {
      status: 'warn',
      files: {
        'main.tf':
          'resource "helm_release" "karpenter" {\n  name  = "karpenter"\n  chart = "karpenter"\n  version = "~> 1.14"\n}\n',
      },
      sources: ['main.tf:4'],
    },
    passes: {
      files: { 'app.yaml': anApplication('        settings:\n          clusterName: shop') },
      sources: ['app.yaml:12'],
    },
  },
};
