import { aNodeClass, anApplication, aResource, aState, type ExampleTable } from './example.ts';

const ISSUER = 'oidc.eks.eu-west-1.amazonaws.com/id/4F1D0C9B';
const ARN = 'arn:aws:iam::418295670013';
const cluster = (values: object = {}) =>
  aResource('aws_eks_cluster', 'this', {
    name: 'shop',
    identity: [{ oidc: [{ issuer: `https://${ISSUER}` }] }],
    ...values,
  });
const provider = (url: string) => aResource('aws_iam_openid_connect_provider', 'this', { url });
const annotated = anApplication(`        settings: {clusterName: shop}
        serviceAccount:
          annotations:
            eks.amazonaws.com/role-arn: ${ARN}:role/shop-karpenter`);

const node = aResource('aws_iam_role', 'karpenter_node', { name: 'shop-karpenter-node' });
const attached = (policy: string) =>
  aResource('aws_iam_role_policy_attachment', 'a', {
    role: 'shop-karpenter-node',
    policy_arn: `arn:aws:iam::aws:policy/${policy}`,
  });
const plugin = aResource('aws_eks_addon', 'cni', { addon_name: 'vpc-cni' });
const entry = (type: string) =>
  aResource('aws_eks_access_entry', 'node', { principal_arn: `${ARN}:role/shop-karpenter-node`, type });

const controller = (subject: string) =>
  aResource('aws_iam_role', 'karpenter', {
    name: 'shop-karpenter',
    assume_role_policy: JSON.stringify({
      Statement: [
        {
          Effect: 'Allow',
          Action: 'sts:AssumeRoleWithWebIdentity',
          Principal: { Federated: `${ARN}:oidc-provider/${ISSUER}` },
          Condition: {
            StringEquals: { [`${ISSUER}:sub`]: subject, [`${ISSUER}:aud`]: 'sts.amazonaws.com' },
          },
        },
      ],
    }),
  });

const dns = (nodeSelector: object) =>
  aState(
    aResource('aws_eks_addon', 'dns', {
      addon_name: 'coredns',
      configuration_values: JSON.stringify({ nodeSelector }),
    }),
  );
const values = (text: string) => ({ 'values.yaml': `settings:\n  clusterName: shop\n${text}` });
const flow = (namespace: string) => `apiVersion: flowcontrol.apiserver.k8s.io/v1
kind: FlowSchema
metadata:
  name: karpenter
spec:
  rules:
    - subjects:
        - kind: ServiceAccount
          serviceAccount: {name: karpenter, namespace: ${namespace}}
`;

export const TRUST_EXAMPLES: ExampleTable = {
  'S-15': {
    fails: {
      status: 'fail',
      files: {
        'state.json': aState(cluster(), provider('oidc.eks.eu-west-1.amazonaws.com/id/OTHER')),
        'app.yaml': annotated,
      },
      sources: ['state.json:2', 'state.json:3'],
    },
    passes: {
      files: { 'state.json': aState(cluster(), provider(ISSUER)), 'app.yaml': annotated },
      sources: ['state.json:2', 'state.json:3'],
    },
  },
  'S-22': {
    fails: {
      status: 'warn',
      files: { ...values(''), 'git.txt': '0\nvalues.yaml' },
      sources: ['values.yaml:1'],
    },
    passes: { files: { ...values(''), 'git.txt': '0' }, sources: ['values.yaml:1'] },
  },
  'K-34': {
    fails: {
      status: 'fail',
      files: { 'state.json': aState(cluster(), node, entry('STANDARD')) },
      sources: ['state.json:4'],
    },
    passes: {
      files: {
        'state.json': aState(
          cluster({ access_config: [{ authentication_mode: 'API' }] }),
          node,
          entry('EC2_LINUX'),
        ),
      },
      sources: ['state.json:2', 'state.json:4'],
    },
  },
  'K-37': {
    fails: {
      status: 'fail',
      files: {
        'state.json': aState(controller('system:serviceaccount:kube-system:karpenter')),
        'app.yaml': annotated,
      },
      sources: ['state.json:2', 'app.yaml:8'],
    },
    passes: {
      files: {
        'state.json': aState(controller('system:serviceaccount:karpenter:karpenter')),
        'app.yaml': annotated,
      },
      sources: ['state.json:2'],
    },
  },
  'K-47': {
    fails: {
      status: 'fail',
      files: { 'state.json': dns({ 'karpenter.sh/nodepool': 'default' }), ...values('') },
      sources: ['values.yaml:1', 'state.json:2'],
    },
    passes: {
      files: { 'state.json': dns({ 'karpenter.sh/nodepool': 'default' }), ...values('dnsPolicy: Default\n') },
      sources: ['values.yaml:3', 'state.json:2'],
    },
  },
  'K-48': {
    fails: {
      status: 'warn',
      files: { 'app.yaml': annotated, 'flow.yaml': flow('kube-system') },
      sources: ['app.yaml:8'],
    },
    passes: {
      files: { 'app.yaml': annotated, 'flow.yaml': flow('karpenter') },
      sources: ['app.yaml:8', 'flow.yaml:4'],
    },
  },
  'K-67': {
    fails: {
      status: 'fail',
      files: values('  isolatedVPC: true\n'),
      sources: ['values.yaml:3', 'values.yaml:1'],
    },
    passes: {
      files: values(
        '  isolatedVPC: true\ncontroller:\n  image:\n    repository: 418295670013.dkr.ecr.eu-west-1.amazonaws.com/karpenter\n',
      ),
      sources: ['values.yaml:3', 'values.yaml:6'],
    },
  },
  'K-76': {
    fails: {
      status: 'warn',
      files: { 'class.yaml': aNodeClass('  tags:\n    team: shop\n    git-commit: 351d1084') },
      sources: ['class.yaml:8'],
    },
    passes: { files: { 'class.yaml': aNodeClass('  tags:\n    team: shop') }, sources: ['class.yaml:7'] },
  },
  'K-86': {
    fails: {
      status: 'fail',
      files: { 'state.json': aState(node, attached('AmazonEKSWorkerNodePolicy'), plugin) },
      sources: ['state.json:3'],
    },
    passes: {
      files: { 'state.json': aState(node, attached('AmazonEKS_CNI_Policy')) },
      sources: ['state.json:3'],
    },
  },
};
