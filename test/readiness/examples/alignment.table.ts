import { aNodeClass, aResource, aState, CLUSTER, type ExampleTable } from './example.ts';

const ROLE = `resource "aws_iam_role" "karpenter_controller" {
  name = "shop-karpenter"
}
`;

const PROFILE = `resource "aws_iam_instance_profile" "karpenter" {
  name = "KarpenterNode-shop"
}
`;

const roleValues = (arn: string) => `settings:
  clusterName: shop
serviceAccount:
  annotations:
    eks.amazonaws.com/role-arn: ${arn}
`;

const selectors = (tag: string) => `  subnetSelectorTerms:
    - tags:
        karpenter.sh/discovery: ${tag}`;

export const ALIGNMENT_EXAMPLES: ExampleTable = {
  'S-01': {
    fails: {
      status: 'fail',
      files: { 'main.tf': CLUSTER, 'values.yaml': 'settings:\n  clusterName: store\n' },
      sources: ['values.yaml:2', 'main.tf:2'],
    },
    passes: {
      files: { 'main.tf': CLUSTER, 'values.yaml': 'settings:\n  clusterName: shop\n' },
      sources: ['values.yaml:2', 'main.tf:2'],
    },
  },
  'S-02': {
    fails: {
      status: 'fail',
      files: { 'main.tf': PROFILE, 'class.yaml': aNodeClass('  instanceProfile: KarpenterNode-store') },
      sources: ['class.yaml:6', 'main.tf:2'],
    },
    passes: {
      files: { 'main.tf': PROFILE, 'class.yaml': aNodeClass('  instanceProfile: KarpenterNode-shop') },
      sources: ['class.yaml:6', 'main.tf:2'],
    },
  },
  'S-06': {
    fails: {
      status: 'fail',
      files: { 'main.tf': ROLE, 'values.yaml': roleValues('arn:aws:iam::418295670013:role/store-karpenter') },
      sources: ['values.yaml:5', 'main.tf:2', 'main.tf:2'],
    },
    passes: {
      files: {
        'state.json': aState(
          aResource('aws_iam_role', 'karpenter', {
            name: 'shop-karpenter',
            arn: 'arn:aws:iam::418295670013:role/shop-karpenter',
          }),
        ),
        'values.yaml': roleValues('arn:aws:iam::418295670013:role/shop-karpenter'),
      },
      sources: ['values.yaml:5', 'state.json:2'],
    },
  },
  'S-10': {
    fails: {
      status: 'fail',
      files: { 'main.tf': CLUSTER, 'class.yaml': aNodeClass(selectors('store')) },
      sources: ['class.yaml:8', 'main.tf:2'],
    },
    passes: {
      files: { 'main.tf': CLUSTER, 'class.yaml': aNodeClass(selectors('shop')) },
      sources: ['class.yaml:8', 'main.tf:2'],
    },
  },
  'S-65': {
    fails: {
      status: 'fail',
      files: {
        'main.tf': 'provider "aws" {\n  region = "eu-west-1"\n}\n',
        'values.yaml': 'settings:\n  clusterEndpoint: https://A.gr7.us-east-1.eks.amazonaws.com\n',
      },
      sources: ['main.tf:2', 'values.yaml:2'],
    },
    passes: {
      files: {
        'main.tf': 'provider "aws" {\n  region = "us-east-1"\n}\n',
        'values.yaml': 'settings:\n  clusterEndpoint: https://A.gr7.us-east-1.eks.amazonaws.com\n',
      },
      sources: ['main.tf:2', 'values.yaml:2'],
    },
  },
  'K-36': {
    fails: {
      status: 'fail',
      files: { 'main.tf': `resource "aws_iam_role" "node" {\n  name = "${'n'.repeat(65)}"\n}\n` },
      sources: ['main.tf:2'],
    },
    passes: {
      files: { 'main.tf': `resource "aws_iam_role" "node" {\n  name = "${'n'.repeat(64)}"\n}\n` },
      sources: ['main.tf:2'],
    },
  },
  'K-88': {
    fails: {
      status: 'fail',
      files: {
        'values.yaml': roleValues('arn:aws-cn:iam::418295670013:role/shop-karpenter'),
        'class.yaml': aNodeClass(
          '  blockDeviceMappings:\n    - ebs:\n        kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/1',
        ),
      },
      sources: ['values.yaml:5', 'class.yaml:8'],
    },
    passes: {
      files: { 'values.yaml': roleValues('arn:aws:iam::418295670013:role/shop-karpenter') },
      sources: ['values.yaml:5'],
    },
  },
};
