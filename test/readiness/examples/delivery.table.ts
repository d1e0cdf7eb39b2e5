import { aNodeClass, aNodePool, anApplication, type ExampleTable } from './example.ts';

const SETTINGS = '        settings:\n          clusterName: shop';
const module = (namespace: string) => `module "karpenter" {
  source       = "terraform-aws-modules/eks/aws//modules/karpenter"
  cluster_name = "shop"
  namespace    = "${namespace}"
  version      = "21.19.0"
}
`;
const provisioners = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: karpenter-provisioners
spec:
  source:
    repoURL: https://git.shop.io/gitops
    path: prod/karpenter
`;
const labels = (text: string) => ({
  'pool.yaml': aNodePool(`  template:\n    metadata:\n      labels:\n        ${text}`),
});
const expected = 'nodePools:\n  default:\n    labels:\n      env: production\n    categories: [c]\n';
const category = (text: string) => ({
  'expectations.yaml': expected,
  'pool.yaml': aNodePool(`  template:
    spec:
      requirements:
        - key: karpenter.k8s.aws/instance-category
          operator: In
          values: [${text}]`),
});
const disk = (size: string) => ({
  'expectations.yaml': 'nodeClasses:\n  default:\n    rootVolume: 250Gi\n    kubelet: false\n',
  'class.yaml': aNodeClass(`  blockDeviceMappings:\n    - ebs:\n        volumeSize: ${size}`),
});

export const DELIVERY_EXAMPLES: ExampleTable = {
  'S-20': {
    fails: {
      status: 'fail',
      files: { 'main.tf': module('kube-system'), 'app.yaml': anApplication(SETTINGS) },
      sources: ['app.yaml:8', 'main.tf:4'],
    },
    passes: {
      files: { 'main.tf': module('karpenter'), 'app.yaml': anApplication(SETTINGS) },
      sources: ['app.yaml:8', 'main.tf:4'],
    },
  },
  'S-21': {
    fails: {
      status: 'fail',
      files: {
        'app.yaml': anApplication(SETTINGS).replace(
          'public.ecr.aws/karpenter',
          'https://github.com/your-org/gitops.git',
        ),
      },
      sources: ['app.yaml:1'],
    },
    passes: {
      files: { 'app.yaml': anApplication(SETTINGS) },
      sources: ['app.yaml:1', 'app.yaml:7', 'app.yaml:6', 'app.yaml:18'],
    },
  },
  'S-67': {
    fails: {
      status: 'warn',
      files: { 'app.yaml': anApplication(SETTINGS), 'pool.yaml': aNodePool('  weight: 1') },
      sources: ['pool.yaml:4'],
    },
    passes: {
      files: {
        'app.yaml': provisioners,
        'pool.yaml': aNodePool('  weight: 1'),
        'gitops/prod/karpenter/pool.yaml': aNodePool('  weight: 1'),
      },
      sources: ['gitops/prod/karpenter/pool.yaml:4', 'pool.yaml:4'],
    },
  },
  'K-50': {
    fails: {
      status: 'fail',
      files: {
        'pool.yaml': aNodePool('  weight: 1').replace('karpenter.sh/v1', 'karpenter.sh/v1beta1'),
      },
      sources: ['pool.yaml:1'],
    },
    passes: { files: { 'pool.yaml': aNodePool('  weight: 1') }, sources: ['pool.yaml:1'] },
  },
  'S-31': {
    fails: { status: 'fail', files: labels('karpenter.sh/team: shop'), sources: ['pool.yaml:9'] },
    passes: {
      files: { ...labels('env: production'), 'expectations.yaml': expected },
      sources: ['pool.yaml:9'],
    },
  },
  'S-68': {
    fails: {
      status: 'fail',
      files: category('c, m'),
      sources: ['pool.yaml:8', 'expectations.yaml:2'],
    },
    passes: { files: category('c'), sources: ['pool.yaml:8', 'expectations.yaml:2'] },
  },
  'S-69': {
    fails: {
      status: 'fail',
      files: disk('100Gi'),
      sources: ['class.yaml:8', 'class.yaml:5', 'expectations.yaml:2'],
    },
    passes: {
      files: disk('250Gi'),
      sources: ['class.yaml:8', 'class.yaml:5', 'expectations.yaml:2'],
    },
  },
};
