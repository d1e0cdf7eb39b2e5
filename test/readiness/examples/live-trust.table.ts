import { type AwsServer, CONTROLLER_ROLE } from '@chandler/cloudsim/aws';
import type { ExampleTable } from './example.ts';
import { CLASS } from './live-network.table.ts';

const asItIs = () => {};
const ISSUER = 'oidc.eks.eu-west-1.amazonaws.com/id/0123456789ABCDEF';

/** The controller gets its role by a service account with an annotation. */
function withoutAssociation(aws: AwsServer): void {
  aws.cluster.podIdentityAssociations = [];
}

function trust(aws: AwsServer, subject: string): void {
  aws.account.roles.get(CONTROLLER_ROLE)!.trust = {
    Version: '2012-10-17',
    Statement: [
      {
        Effect: 'Allow',
        Principal: { Federated: `arn:aws:iam::418295670013:oidc-provider/${ISSUER}` },
        Action: 'sts:AssumeRoleWithWebIdentity',
        Condition: {
          StringEquals: { [`${ISSUER}:sub`]: subject, [`${ISSUER}:aud`]: 'sts.amazonaws.com' },
        },
      },
    ],
  };
}

export const LIVE_TRUST_EXAMPLES: ExampleTable = {
  'S-15': {
    fails: {
      status: 'fail',
      files: {},
      live: (aws) => {
        withoutAssociation(aws);
        aws.account.oidcProviders.clear();
        aws.account.oidcProviders.add('arn:aws:iam::418295670013:oidc-provider/token.actions.example');
      },
      sources: ['eks:DescribeCluster', 'iam:ListOpenIDConnectProviders'],
    },
    passes: {
      files: {},
      live: withoutAssociation,
      sources: ['eks:DescribeCluster', 'iam:ListOpenIDConnectProviders'],
    },
  },
  'K-34': {
    fails: {
      status: 'fail',
      files: CLASS,
      live: ({ cluster }) => {
        for (const arn of cluster.accessEntries.keys()) cluster.accessEntries.set(arn, 'STANDARD');
      },
      sources: ['eks:DescribeAccessEntry'],
    },
    passes: { files: CLASS, live: asItIs, sources: ['eks:DescribeAccessEntry'] },
  },
  'K-37': {
    fails: {
      status: 'fail',
      files: {},
      live: (aws) => trust(aws, 'system:serviceaccount:default:web'),
      sources: ['iam:GetRole', 'eks:DescribeCluster'],
    },
    passes: {
      files: {},
      live: (aws) => trust(aws, 'system:serviceaccount:kube-system:karpenter'),
      sources: ['iam:GetRole', 'eks:DescribeCluster'],
    },
  },
  'K-86': {
    fails: {
      status: 'warn',
      files: CLASS,
      live: ({ account }) => {
        const role = account.roles.get('KarpenterNodeRole-shop')!;
        role.attached = role.attached.filter((arn) => !arn.includes('CNI')).slice(0, 1);
      },
      sources: ['iam:ListAttachedRolePolicies'],
    },
    passes: { files: CLASS, live: asItIs, sources: ['iam:ListAttachedRolePolicies'] },
  },
};
