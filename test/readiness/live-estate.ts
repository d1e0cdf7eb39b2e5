/** A healthy installation: files, and the account that they are for, so that every call of the reader is made. */
import { type AwsServer, CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { addKey } from '@chandler/cloudsim/aws/testing';
import { aNodeClass, aNodePool } from './examples/example.ts';
import { ACCOUNT, REGION } from './live-account.ts';

const KEY = '1234abcd-12ab-34cd-56ef-1234567890ab';
const SPOT = `arn:aws:iam::${ACCOUNT}:role/aws-service-role/spot.amazonaws.com/AWSServiceRoleForEC2Spot`;
const POLICY = `arn:aws:iam::${ACCOUNT}:policy/KarpenterController`;

const aClass = (identity: string, name: string) =>
  aNodeClass(
    `  ${identity}
  amiSelectorTerms:
    - alias: al2023@v20251222
  subnetSelectorTerms:
    - tags:
        karpenter.sh/discovery: shop
  securityGroupSelectorTerms:
    - tags:
        karpenter.sh/discovery: shop
  metadataOptions:
    httpTokens: required
  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs:
        volumeSize: 100Gi
        volumeType: gp3
        encrypted: true
        kmsKeyID: arn:aws:kms:${REGION}:${ACCOUNT}:key/${KEY}`,
    name,
  );

export const FILES = {
  'values.yaml': `settings:
  clusterName: shop
  interruptionQueue: shop
  enableZonalShift: true
`,
  'class.yaml': aClass('role: KarpenterNodeRole-shop', 'default'),
  'profile.yaml': aClass('instanceProfile: shop-nodes', 'profile'),
  'pool.yaml': aNodePool(`  limits:
    cpu: "100"
  disruption:
    consolidationPolicy: WhenEmptyOrUnderutilized
    consolidateAfter: 10m
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      expireAfter: 720h
      requirements:
        - {key: kubernetes.io/arch, operator: In, values: [amd64]}
        - {key: karpenter.sh/capacity-type, operator: In, values: [spot, on-demand]}`),
};

export function furnish({ context, account, queue }: AwsServer): void {
  const { createdMs } = queue.settings;
  account.instanceProfiles.set('shop-nodes', {
    name: 'shop-nodes',
    path: '/',
    arn: `arn:aws:iam::${ACCOUNT}:instance-profile/shop-nodes`,
    id: 'AIPA',
    createdMs,
    roleName: 'KarpenterNodeRole-shop',
    usableMs: createdMs,
    tags: [],
  });
  const key = addKey(context, KEY);
  key.policy = {
    Statement: [
      ...key.policy.Statement,
      { Effect: 'Allow', Principal: { AWS: SPOT }, Action: 'kms:*', Resource: '*' },
    ],
  };
  const role = account.roles.get(CONTROLLER_ROLE)!;
  role.attached = [POLICY];
  account.policies.set(POLICY, { name: 'KarpenterController', arn: POLICY, document: CONTROLLER_POLICY });
  context.access.attach(role.arn, { policies: [{ Statement: [CONTROLLER_POLICY.Statement[0]!] }] });
}

// ---------------------------------------------------------------------------------------------------

const CONTROLLER_POLICY = {
  Version: '2012-10-17',
  Statement: [
    {
      Effect: 'Allow' as const,
      Action: [
        'ec2:RunInstances',
        'ec2:CreateFleet',
        'ec2:CreateLaunchTemplate',
        'ec2:CreateTags',
        'ec2:Describe*',
      ],
      Resource: '*',
      Condition: { StringEquals: { 'aws:RequestedRegion': REGION } },
    },
    {
      Effect: 'Allow' as const,
      Action: 'iam:PassRole',
      Resource: `arn:aws:iam::${ACCOUNT}:role/KarpenterNodeRole-shop`,
    },
    {
      Effect: 'Allow' as const,
      Action: ['kms:CreateGrant', 'kms:Decrypt', 'kms:GenerateDataKeyWithoutPlaintext'],
      Resource: `arn:aws:kms:${REGION}:${ACCOUNT}:key/${KEY}`,
    },
    { Effect: 'Allow' as const, Action: 'iam:ListInstanceProfiles', Resource: '*' },
  ],
};
