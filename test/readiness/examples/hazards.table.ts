import { aNodeClass, aNodePool, anApplication, aResource, aState, type ExampleTable } from './example.ts';

const QUEUE = aResource('aws_sqs_queue', 'karpenter', { name: 'shop' });
const rule = (name: string, event: string) =>
  aResource('aws_cloudwatch_event_rule', name, { event_pattern: JSON.stringify({ 'detail-type': [event] }) });
const RULES = [
  rule('health', 'AWS Health Event'),
  rule('spot', 'EC2 Spot Instance Interruption Warning'),
  rule('rebalance', 'EC2 Instance Rebalance Recommendation'),
  rule('state', 'EC2 Instance State-change Notification'),
];

const gpu = aNodePool(`  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - {key: karpenter.k8s.aws/instance-gpu-count, operator: Gt, values: ["0"]}`);

const association = aState(
  aResource('aws_eks_pod_identity_association', 'karpenter', {
    role_arn: 'arn:aws:iam::418295670013:role/shop-karpenter',
  }),
);
const annotated = (role: string) => `settings: {clusterName: shop}
serviceAccount:
  annotations:
    eks.amazonaws.com/role-arn: arn:aws:iam::418295670013:role/${role}
`;

const isolated = 'settings:\n  clusterName: shop\n  isolatedVPC: true\n';

const nodes = (options: string) =>
  anApplication('        settings: {clusterName: shop}', 'karpenter-nodes')
    .replace('    chart: karpenter\n', '    path: nodes\n')
    .replace('automated: {}', 'automated:\n      prune: true')
    .replace('CreateNamespace=true', options);

const attached = (name: string) =>
  aState(
    aResource('aws_iam_role', 'karpenter_node', { name: 'shop-karpenter-node' }),
    aResource('aws_iam_role_policy_attachment', 'a', {
      role: 'shop-karpenter-node',
      policy_arn: `arn:aws:iam::aws:policy/${name}`,
    }),
  );

export const HAZARD_EXAMPLES: ExampleTable = {
  'K-10': {
    fails: {
      status: 'fail',
      files: { 'state.json': aState(QUEUE, ...RULES.slice(1)) },
      sources: ['state.json:2', 'state.json:3', 'state.json:4', 'state.json:5'],
    },
    passes: {
      files: { 'state.json': aState(QUEUE, ...RULES) },
      sources: ['state.json:2', 'state.json:3', 'state.json:4', 'state.json:5', 'state.json:6'],
    },
  },
  'K-31': {
    fails: {
      status: 'warn',
      files: { 'pool.yaml': gpu, 'class.yaml': aNodeClass('  amiSelectorTerms:\n    - id: ami-1') },
      sources: ['pool.yaml:8', 'class.yaml:6'],
    },
    passes: {
      files: {
        'pool.yaml': gpu,
        'class.yaml': aNodeClass('  amiSelectorTerms:\n    - alias: al2023@v20260801'),
      },
      sources: ['pool.yaml:8', 'class.yaml:6'],
    },
  },
  'K-38': {
    fails: {
      status: 'warn',
      files: { 'state.json': association, 'values.yaml': annotated('other') },
      sources: ['values.yaml:4', 'state.json:2'],
    },
    passes: {
      files: { 'state.json': association, 'values.yaml': annotated('shop-karpenter') },
      sources: ['values.yaml:4', 'state.json:2'],
    },
  },
  'K-66': {
    fails: {
      status: 'fail',
      files: { 'values.yaml': isolated, 'class.yaml': aNodeClass('  role: shop-node') },
      sources: ['values.yaml:3', 'class.yaml:5', 'class.yaml:6'],
    },
    passes: {
      files: { 'values.yaml': isolated, 'class.yaml': aNodeClass('  instanceProfile: shop-node') },
      sources: ['values.yaml:3', 'class.yaml:6', 'class.yaml:5'],
    },
  },
  'K-83': {
    fails: {
      status: 'warn',
      files: { 'app.yaml': nodes('ServerSideApply=true'), 'pool.yaml': gpu },
      sources: ['app.yaml:18'],
    },
    passes: {
      files: { 'app.yaml': nodes('Prune=confirm'), 'pool.yaml': gpu },
      sources: ['app.yaml:18'],
    },
  },
  'K-85': {
    fails: {
      status: 'warn',
      files: { 'state.json': attached('AmazonS3FullAccess') },
      sources: ['state.json:3'],
    },
    passes: { files: { 'state.json': attached('AmazonEKSWorkerNodePolicy') }, sources: ['state.json:3'] },
  },
};
