import { type AwsServer, CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import { addKey } from '@chandler/cloudsim/aws/testing';
import { aNodeClass, aNodePool, type ExampleTable } from './example.ts';

const asItIs = () => {};
const KEY = '1234abcd-12ab-34cd-56ef-1234567890ab';
const ENCRYPTED = {
  'class.yaml': aNodeClass(`  blockDeviceMappings:
    - deviceName: /dev/xvda
      ebs:
        kmsKeyID: arn:aws:kms:eu-west-1:418295670013:key/${KEY}`),
};
const BOUNDARY = 'arn:aws:iam::418295670013:policy/boundary';
const limited = (cpu: string) => ({
  'pool.yaml': aNodePool(`  limits:
    cpu: ${cpu}
  template:
    spec:
      requirements:
        - {key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}`),
});
const reserved = (terms: string) => ({ 'class.yaml': aNodeClass(`  role: n${terms}`) });

function addReservation(aws: AwsServer): void {
  aws.addCapacityReservation({
    CapacityReservationId: 'cr-0123456789abcdef0',
    InstanceType: 'm5.large',
    AvailabilityZone: 'eu-west-1a',
    InstanceMatchCriteria: 'open',
    State: 'active',
    TotalInstanceCount: 2,
    AvailableInstanceCount: 2,
    Tags: [],
  });
}

export const LIVE_LIMIT_EXAMPLES: ExampleTable = {
  'K-33': {
    fails: {
      status: 'fail',
      files: ENCRYPTED,
      live: ({ context }) => {
        addKey(context, KEY).policy = { Version: '2012-10-17', Statement: [] };
      },
      sources: ['class.yaml:9', 'kms:GetKeyPolicy'],
    },
    passes: {
      files: ENCRYPTED,
      live: ({ context }) => {
        addKey(context, KEY);
      },
      sources: ['class.yaml:9', 'kms:GetKeyPolicy'],
    },
  },
  'K-42': {
    fails: {
      status: 'fail',
      files: {},
      live: ({ account }) => {
        account.roles.get(CONTROLLER_ROLE)!.boundaryArn = BOUNDARY;
        account.policies.set(BOUNDARY, {
          name: 'boundary',
          arn: BOUNDARY,
          document: { Statement: [{ Effect: 'Allow', Action: 's3:*', Resource: '*' }] },
        });
      },
      sources: ['iam:GetRole', 'iam:GetPolicyVersion'],
    },
    passes: { files: {}, live: asItIs, sources: ['iam:GetRole'] },
  },
  'K-70': {
    fails: {
      status: 'warn',
      files: reserved(''),
      live: addReservation,
      sources: ['ec2:DescribeCapacityReservations'],
    },
    passes: {
      files: reserved('\n  capacityReservationSelectorTerms:\n    - tags: {team: shop}'),
      live: addReservation,
      sources: ['class.yaml:7', 'ec2:DescribeCapacityReservations'],
    },
  },
  'K-71': {
    fails: {
      status: 'warn',
      files: limited('"1000"'),
      live: (aws) => {
        aws.quotas.limits = { onDemand: { standard: 64 } };
      },
      sources: ['pool.yaml:7', 'servicequotas:GetServiceQuota'],
    },
    passes: {
      files: limited('"1000"'),
      live: asItIs,
      sources: ['pool.yaml:7', 'servicequotas:GetServiceQuota'],
    },
  },
};
