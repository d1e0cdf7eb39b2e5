import { aNodeClass, CLUSTER, type ExampleTable } from './example.ts';

const ofClass = (spec: string) => ({ 'class.yaml': aNodeClass(spec) });
const alias = (text: string) => ofClass(`  amiSelectorTerms:\n    - alias: ${text}`);
const metadata = (text: string) => ofClass(`  metadataOptions:\n    ${text}`);
const volume = (text: string) =>
  ofClass(
    `  amiFamily: AL2023\n  blockDeviceMappings:\n    - deviceName: /dev/xvda\n      ebs:\n        ${text}`,
  );

export const NODE_CLASS_EXAMPLES: ExampleTable = {
  'S-32': {
    fails: {
      status: 'warn',
      files: ofClass('  amiSelectorTerms:\n    - id: ami-04bcf82576ac8eb1c'),
      sources: ['class.yaml:7'],
    },
    passes: { files: alias('al2023@v20260801'), sources: ['class.yaml:6'] },
  },
  'S-34': {
    fails: {
      status: 'fail',
      files: { 'main.tf': CLUSTER, ...alias('al2@latest') },
      sources: ['class.yaml:5', 'class.yaml:7', 'main.tf:3'],
    },
    passes: { files: alias('al2023@v20260801'), sources: ['class.yaml:5', 'class.yaml:7'] },
  },
  'S-35': {
    fails: { status: 'fail', files: metadata('httpTokens: optional'), sources: ['class.yaml:7'] },
    passes: { files: metadata('httpTokens: required'), sources: ['class.yaml:7'] },
  },
  'S-36': {
    fails: {
      status: 'warn',
      files: metadata('httpPutResponseHopLimit: 2'),
      sources: ['class.yaml:7', 'class.yaml:6'],
    },
    passes: { files: metadata('httpEndpoint: enabled'), sources: ['class.yaml:6', 'class.yaml:7'] },
  },
  'S-37': {
    fails: { status: 'fail', files: volume('encrypted: false'), sources: ['class.yaml:10'] },
    passes: { files: volume('encrypted: true'), sources: ['class.yaml:10'] },
  },
  'S-38': {
    fails: {
      status: 'fail',
      files: volume('kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/YOUR_KMS_KEY_ID'),
      sources: ['class.yaml:10'],
    },
    passes: {
      files: volume('kmsKeyID: arn:aws:kms:us-east-1:418295670013:key/4c3f'),
      sources: ['class.yaml:10'],
    },
  },
  'S-39': {
    fails: {
      status: 'fail',
      files: ofClass('  amiFamily: Windows2022\n  blockDeviceMappings:\n    - deviceName: /dev/xvda'),
      sources: ['class.yaml:8'],
    },
    passes: { files: volume('volumeSize: 20Gi'), sources: ['class.yaml:8'] },
  },
  'S-40': {
    fails: { status: 'warn', files: volume('volumeSize: 8Gi'), sources: ['class.yaml:10'] },
    passes: { files: volume('volumeSize: 100Gi'), sources: ['class.yaml:10'] },
  },
  'K-28': {
    fails: { status: 'warn', files: alias('al2023@latest'), sources: ['class.yaml:7'] },
    passes: { files: alias('al2023@v20260801'), sources: ['class.yaml:7'] },
  },
  'K-35': {
    fails: {
      status: 'fail',
      files: ofClass('  instanceProfile: arn:aws:iam::418295670013:instance-profile/KarpenterNode-shop'),
      sources: ['class.yaml:6'],
    },
    passes: { files: ofClass('  role: KarpenterNodeRole-shop'), sources: ['class.yaml:6', 'class.yaml:5'] },
  },
  'K-74': {
    fails: {
      status: 'warn',
      files: ofClass(
        '  subnetSelectorTerms:\n    - id: subnet-0a1\n      tags:\n        karpenter.sh/discovery: shop',
      ),
      sources: ['class.yaml:7'],
    },
    passes: {
      files: ofClass('  subnetSelectorTerms:\n    - id: subnet-0a1'),
      sources: ['class.yaml:6'],
    },
  },
  'K-75': {
    fails: {
      status: 'fail',
      files: ofClass('  subnetSelectorTerms:\n    - tags:\n        Name: "*"'),
      sources: ['class.yaml:7'],
    },
    passes: {
      files: ofClass(
        '  subnetSelectorTerms:\n    - tags:\n        karpenter.sh/discovery: shop\n  securityGroupSelectorTerms:\n    - name: nodes',
      ),
      sources: ['class.yaml:6', 'class.yaml:9'],
    },
  },
};
