/**
 * Single mistakes in an installation that has none: in `file`, the text `from` becomes each of `to`, and the check `owner` finds it.
 * `also` are other checks that fail critically, rightly so.
 */

export interface Mutation {
  readonly file: string;
  readonly from: string;
  readonly to: readonly string[];
  readonly owner: string;
  readonly also?: readonly string[];
  /** Which occurrence of the text, from 0. */
  readonly occurrence?: number;
}

const APP = 'app.yaml';
const CLASS = 'nodes/class.yaml';
const POOL = 'nodes/pool.yaml';
const WORK = 'workloads.yaml';
const BALANCER = 'balancer.yaml';
const ADDONS = 'addons/main.tf';
const STATE = 'state.json';
const PLAN = 'plan.json';
const MAIN = 'main.tf';
const EXPECTED = 'expectations.yaml';
const FLOW = 'flow.yaml';
const GIT = 'git.txt';

const NAMES = [
  'orchard',
  'orchard-dev',
  'Orchard-prod',
  'orchard_prod',
  'orchard-prod2',
  'orchad-prod',
  'prod',
];
const ENDPOINT = 'https://4F1D0C9B7A6E4D21B3C5A7E9F0D2B468.gr7.eu-central-1.eks.amazonaws.com';
const KEY = 'arn:aws:kms:eu-central-1:418295670013:key/8c2f0a51-7a2c-4c8e-b1a7-2f60c1f0a411';
const ROLE = 'arn:aws:iam::418295670013:role/orchard-karpenter';
const TAG = 'karpenter.sh/discovery: orchard-prod';

const tagged = (...names: readonly string[]) => names.map((name) => `karpenter.sh/discovery: ${name}`);
const action = (name: string) => [`ec2:${name}Later`, `ec3:${name}`, `${name}`];

export const MUTATIONS: readonly Mutation[] = [
  // Names of the cluster.
  {
    file: APP,
    from: 'clusterName: orchard-prod',
    to: NAMES.map((name) => `clusterName: ${name}`),
    owner: 'S-01',
  },
  {
    file: MAIN,
    from: 'name    = "orchard-prod"',
    to: NAMES.map((name) => `name    = "${name}"`),
    owner: 'S-01',
  },
  {
    file: STATE,
    from: '"name": "orchard-prod"',
    to: NAMES.map((name) => `"name": "${name}"`),
    owner: 'S-01',
  },
  { file: CLASS, from: TAG, to: tagged(...NAMES, 'REPLACE_ME', '<cluster>'), owner: 'S-10' },
  { file: CLASS, from: TAG, to: tagged(...NAMES, 'YOUR_CLUSTER'), owner: 'S-10', occurrence: 1 },
  { file: CLASS, from: TAG, to: ["karpenter.sh/discovery: '*'"], owner: 'K-75' },
  { file: CLASS, from: TAG, to: ["karpenter.sh/discovery: '*'"], owner: 'K-75', occurrence: 1 },
  {
    file: CLASS,
    from: '    - tags:',
    to: ['    - id: subnet-1\n      tags:'],
    owner: 'K-74',
  },
  {
    file: CLASS,
    from: '    - tags:',
    to: ['    - id: sg-1\n      tags:'],
    owner: 'K-74',
    occurrence: 1,
  },
  // Tags of the infrastructure.
  {
    file: STATE,
    from: '"name": "orchard-nodes", "tags": {"karpenter.sh/discovery": "orchard-prod"}',
    to: [
      ...NAMES.map((name) => `"name": "orchard-nodes", "tags": {"karpenter.sh/discovery": "${name}"}`),
      '"name": "orchard-nodes", "tags": {}',
      '"name": "orchard-nodes"',
      '"name": "orchard-nodes", "tags": {"karpenter.sh/discover": "orchard-prod"}',
      '"name": "orchard-nodes", "tags": {"karpenter.sh/Discovery": "orchard-prod"}',
    ],
    owner: 'S-09',
  },
  {
    file: STATE,
    from: '{"Name": "orders"}',
    to: ['{"karpenter.sh/discovery": "orchard-prod"}'],
    owner: 'S-09',
  },
  {
    file: STATE,
    from: '"map_public_ip_on_launch": false',
    to: ['"map_public_ip_on_launch": true'],
    owner: 'S-07',
  },
  {
    file: STATE,
    from: '"map_public_ip_on_launch": false',
    to: ['"map_public_ip_on_launch": true'],
    owner: 'S-07',
    occurrence: 2,
  },
  {
    file: STATE,
    from: '"endpoint": "https://4F1D0C9B7A6E4D21B3C5A7E9F0D2B468.gr7.eu-central-1.eks.amazonaws.com", "tags": {}',
    to: [
      '"endpoint": "https://4F1D0C9B7A6E4D21B3C5A7E9F0D2B468.gr7.eu-central-1.eks.amazonaws.com", "tags": {"karpenter.sh/discovery": "orchard-prod"}',
    ],
    owner: 'S-11',
  },
  // Profiles and roles.
  {
    file: CLASS,
    from: 'instanceProfile: orchard-karpenter-node',
    to: ['orchard-node', 'orchard-karpenter', 'orchard-karpenter-nodes', 'Orchard-karpenter-node'].map(
      (name) => `instanceProfile: ${name}`,
    ),
    owner: 'S-02',
    also: ['S-03'],
  },
  {
    file: CLASS,
    from: 'instanceProfile: orchard-karpenter-node',
    to: [
      'instanceProfile: arn:aws:iam::418295670013:instance-profile/orchard-karpenter-node',
      'instanceProfile: arn:aws:iam::418295670013:role/orchard-karpenter-node',
    ],
    owner: 'K-35',
    also: ['S-02', 'S-03'],
  },
  {
    file: STATE,
    from: '{"name": "orchard-karpenter-node", "role": "orchard-karpenter-node"}',
    to: ['""', 'null'].map((role) => `{"name": "orchard-karpenter-node", "role": ${role}}`),
    owner: 'S-04',
  },
  {
    file: STATE,
    from: '{"name": "orchard-karpenter-node", "role": "orchard-karpenter-node"}',
    to: ['other', 'orchard-karpenter-node-2'].map(
      (name) => `{"name": "${name}", "role": "orchard-karpenter-node"}`,
    ),
    owner: 'S-03',
  },
  ...['AmazonEKSWorkerNodePolicy', 'AmazonEC2ContainerRegistryPullOnly', 'AmazonSSMManagedInstanceCore'].map(
    (policy, index): Mutation => ({
      file: STATE,
      from: `"policy_arn": "arn:aws:iam::aws:policy/${policy}"`,
      to: [
        'AmazonEKSClusterPolicy',
        'AmazonEKSServicePolicy',
        `${policy}2`,
        policy.slice(0, -1),
        policy.toLowerCase(),
      ].map((name) => `"policy_arn": "arn:aws:iam::aws:policy/${name}"`),
      owner: ['S-46', 'S-47', 'S-48'][index]!,
    }),
  ),
  {
    file: APP,
    from: ROLE,
    to: [
      'arn:aws:iam::418295670013:role/orchard-karpenter-node',
      'arn:aws:iam::418295670013:role/orchard',
      'arn:aws:iam::418295670013:role/Orchard-karpenter',
      'arn:aws:iam::418295670013:policy/orchard-karpenter',
      'orchard-karpenter',
      'REPLACE_ME',
    ],
    owner: 'S-06',
    also: ['S-05'],
  },
  {
    file: STATE,
    from: '"arn": "arn:aws:iam::418295670013:role/orchard-karpenter"',
    to: ['a', 'orchard', 'path/other'].map((name) => `"arn": "arn:aws:iam::418295670013:role/${name}"`),
    owner: 'S-05',
    also: ['S-06'],
  },
  {
    file: MAIN,
    from: 'name = "orchard-karpenter"',
    to: [65, 80, 128].map((length) => `name = "${'k'.repeat(length)}"`),
    owner: 'K-36',
  },
  // Regions, accounts and partitions.
  {
    file: MAIN,
    from: 'region = "eu-central-1"',
    to: ['eu-central-2', 'us-east-1', 'eu-west-1', 'ap-south-1'].map((region) => `region = "${region}"`),
    owner: 'S-65',
  },
  {
    file: APP,
    from: ROLE,
    to: ['418295670014', '590184210077', '999999999999'].map(
      (account) => `arn:aws:iam::${account}:role/orchard-karpenter`,
    ),
    owner: 'S-65',
    also: ['S-05', 'S-06'],
  },
  {
    file: CLASS,
    from: KEY,
    to: ['eu-west-1', 'us-east-1', 'eu-central-2'].map((region) => KEY.replace('eu-central-1', region)),
    owner: 'S-38',
  },
  {
    file: CLASS,
    from: KEY,
    to: ['418295670014', '590184210077'].map((account) => KEY.replace('418295670013', account)),
    owner: 'S-65',
  },
  {
    file: CLASS,
    from: KEY,
    to: ['aws-cn', 'aws-us-gov'].map((partition) => KEY.replace('arn:aws:', `arn:${partition}:`)),
    owner: 'K-88',
  },
  { file: CLASS, from: KEY, to: ['REPLACE_WITH_KEY', '<key>', '$' + '{KEY}'], owner: 'S-38' },
  { file: CLASS, from: `        kmsKeyID: ${KEY}\n`, to: [''], owner: 'S-38' },
  // The endpoint.
  {
    file: APP,
    from: `clusterEndpoint: ${ENDPOINT}`,
    to: [
      'REPLACE_WITH_ENDPOINT',
      'TODO',
      'CHANGEME',
      'CHANGE_ME',
      '<endpoint>',
      '$' + '{ENDPOINT}',
      'YOUR_ENDPOINT',
      'https://xxxx.eks.amazonaws.com',
      'https://example.com',
      'PLACEHOLDER',
      'INSERT_ENDPOINT',
    ].map((text) => `clusterEndpoint: "${text}"`),
    owner: 'S-16',
    also: ['S-17', 'S-18'],
  },
  {
    file: APP,
    from: `clusterEndpoint: ${ENDPOINT}`,
    to: [
      ENDPOINT.slice('https://'.length),
      ENDPOINT.replace('https', 'http'),
      'https://',
      '/cluster',
      'ftp://a.gr7.eu-central-1.eks.amazonaws.com',
      'https://api.orchard.test',
    ].map((text) => `clusterEndpoint: ${text}`),
    owner: 'S-17',
    also: ['S-18'],
  },
  {
    file: APP,
    from: `clusterEndpoint: ${ENDPOINT}`,
    to: ['A', 'B', '0F1D0C9B7A6E4D21B3C5A7E9F0D2B468'].map(
      (id) => `clusterEndpoint: https://${id}.gr7.eu-central-1.eks.amazonaws.com`,
    ),
    owner: 'S-18',
  },
  {
    file: APP,
    from: '          interruptionQueue: orchard-karpenter\n',
    to: ['', '          interruptionQueue: ""\n', '          interruptionQueueName: orchard-karpenter\n'],
    owner: 'K-07',
  },
  {
    file: APP,
    from: 'interruptionQueue: orchard-karpenter',
    to: [
      'arn:aws:sqs:eu-central-1:418295670013:orchard-karpenter',
      'https://sqs.eu-central-1.amazonaws.com/418295670013/orchard-karpenter',
      'REPLACE_ME',
      '<queue>',
    ].map((text) => `interruptionQueue: "${text}"`),
    owner: 'K-09',
  },
  {
    file: APP,
    from: '        settings:\n',
    to: ['defaultInstanceProfile: a', 'instanceProfile: a', 'aws: {defaultInstanceProfile: a}'].map(
      (text) => `        settings:\n          ${text}\n`,
    ),
    owner: 'S-19',
  },
  { file: APP, from: 'replicas: 2', to: ['replicas: 1', 'replicas: 0'], owner: 'K-46' },
  { file: APP, from: 'enabled: true', to: ['enabled: false', 'enable: true'], owner: 'K-81' },
  {
    file: APP,
    from: '            requests:\n              cpu: 1\n              memory: 1Gi\n',
    to: ['            limits: {cpu: 1}\n', '            request: {cpu: 1}\n'],
    owner: 'K-45',
  },
  {
    file: APP,
    from: 'operator: DoesNotExist',
    to: ['operator: Exists', 'operator: In\n                      values: [default]'],
    owner: 'K-43',
  },
  {
    file: APP,
    from: 'key: karpenter.sh/nodepool',
    to: ['kubernetes.io/os', 'karpenter.sh/provisioner-name', 'karpenter.sh/nodepools'].map(
      (key) => `key: ${key}`,
    ),
    owner: 'K-43',
  },
  // The chart.
  {
    file: APP,
    from: 'targetRevision: 1.14.1',
    to: ['1.4.9', '1.2.0', '1.0.5', '0.37.0', '1.3.3'].map((version) => `targetRevision: ${version}`),
    owner: 'K-51',
  },
  { file: APP, from: 'targetRevision: 1.14.1', to: ['targetRevision: 1.8.4'], owner: 'K-52' },
  {
    file: APP,
    from: '    targetRevision: 1.14.1\n',
    to: [
      '',
      ...['1.x', '"*"', '">=1.0.0"', '1.14', 'main', 'HEAD', '^1.2.3'].map(
        (text) => `    targetRevision: ${text}\n`,
      ),
    ],
    owner: 'K-82',
  },
  {
    file: APP,
    from: '    repoURL: public.ecr.aws/karpenter\n',
    to: ['', '    repoURL: https://github.com/your-org/gitops.git\n', '    repoURL: <registry>\n'],
    owner: 'S-21',
  },
  { file: APP, from: '    server: https://kubernetes.default.svc\n', to: [''], owner: 'S-21' },
  { file: APP, from: '    automated: {}\n', to: ['    retry: {}\n'], owner: 'S-21' },
  { file: APP, from: '      - CreateNamespace=true', to: ['      - ServerSideApply=true'], owner: 'S-21' },
  {
    file: APP,
    from: '    path: nodes',
    to: ['node', 'other/nodes-2', 'apps', 'nodes/prod'].map((path) => `    path: ${path}`),
    owner: 'S-67',
  },
  // Policies.
  ...['RunInstances', 'CreateFleet', 'CreateLaunchTemplate', 'CreateTags'].map(
    (name): Mutation => ({ file: STATE, from: `ec2:${name}`, to: action(name), owner: 'S-50' }),
  ),
  {
    file: STATE,
    from: '\\"iam:PassRole\\"',
    to: ['iam:PassRoles', 'iam:GetRole', 'sts:AssumeRole'].map((name) => `\\"${name}\\"`),
    owner: 'S-49',
  },
  {
    file: STATE,
    from: 'arn:aws:iam::418295670013:role/orchard-karpenter-node\\"',
    to: [
      'role/other',
      'instance-profile/orchard-karpenter-node',
      'role/orchard-karpenter',
      'role/karpenter-*',
    ].map((name) => `arn:aws:iam::418295670013:${name}\\"`),
    owner: 'S-49',
  },
  {
    file: STATE,
    from: '\\"ec2:DescribeSubnets\\"',
    to: ['*', 'ec2:*', 'iam:*', 'iam:PassRole', 'EC2:*'].map((name) => `\\"${name}\\"`),
    owner: 'K-41',
  },
  { file: STATE, from: '\\"ec2:DescribeSubnets\\"', to: ['\\"ec2:TerminateInstances\\"'], owner: 'K-41' },
  {
    file: STATE,
    from: 'ec2:DescribeInstanceStatus',
    to: ['ec2:DescribeInstances', 'ec2:Get*'],
    owner: 'K-40',
  },
  { file: STATE, from: 'iam:ListInstanceProfiles', to: ['iam:ListRoles', 'iam:Get*'], owner: 'K-40' },
  ...[
    'AWS Health Event',
    'Interruption Warning',
    'Rebalance Recommendation',
    'State-change Notification',
  ].map((event): Mutation => ({ file: STATE, from: event, to: ['Other Event'], owner: 'K-10' })),
  {
    file: STATE,
    from: 'policy/AmazonEKS_CNI_Policy"}',
    to: ['AdministratorAccess', 'AmazonS3FullAccess', 'PowerUserAccess'].map((name) => `policy/${name}"}`),
    owner: 'K-85',
    also: ['K-86'],
  },
  // Plan and files of Terraform.
  ...[0, 5, 6, 7, 8].map(
    (occurrence): Mutation => ({
      file: PLAN,
      from: '["no-op"]',
      to: ['["delete"]', '["delete", "create"]', '["create", "delete"]'],
      owner: 'S-12',
      occurrence,
    }),
  ),
  ...[0, 5, 7].map(
    (occurrence): Mutation => ({
      file: PLAN,
      from: '["no-op"]',
      to: ['["create"]', '["update"]'],
      owner: 'S-64',
      occurrence,
    }),
  ),
  { file: MAIN, from: '"./addons"', to: ['"./addon"'], owner: 'S-13' },
  {
    file: MAIN,
    from: 'resource "aws_subnet" "private" {',
    to: ['resource "aws_subnet" "private"', 'resource aws_subnet private {{'],
    owner: 'S-13',
  },
  // Node pools.
  {
    file: POOL,
    from: '        name: default',
    to: ['defaults', 'Default', 'gpu'].map((name) => `        name: ${name}`),
    owner: 'S-29',
  },
  {
    file: POOL,
    from: 'group: karpenter.k8s.aws',
    to: ['group: karpenter.sh', 'group: karpenter.azure.com'],
    owner: 'S-29',
  },
  { file: POOL, from: 'kind: EC2NodeClass', to: ['kind: NodeClass', 'kind: AWSNodeTemplate'], owner: 'S-29' },
  { file: CLASS, from: '  name: default', to: ['  name: general', '  name: default-2'], owner: 'S-29' },
  ...[0, 1].flatMap((occurrence): readonly Mutation[] => [
    {
      file: POOL,
      from: 'metadata:\n  name:',
      to: ['metadata:\n  namespace: karpenter\n  name:'],
      owner: 'S-30',
      occurrence,
    },
    {
      file: POOL,
      from: 'expireAfter: 720h',
      to: ['15m', '5m', '59m', '1h', '23h'].map((text) => `expireAfter: ${text}`),
      owner: 'S-42',
      occurrence,
    },
    {
      file: POOL,
      from: 'expireAfter: 720h',
      to: ['30d', 'never', '1w'].map((text) => `expireAfter: ${text}`),
      owner: 'S-41',
      occurrence,
    },
    {
      file: POOL,
      from: 'consolidateAfter: 5m',
      to: ['0s', '30s', '59s'].map((text) => `consolidateAfter: ${text}`),
      owner: 'K-16',
      occurrence,
    },
    { file: POOL, from: 'consolidateAfter: 5m', to: ['consolidateAfter: Never'], owner: 'S-70', occurrence },
    { file: POOL, from: 'WhenEmptyOrUnderutilized', to: ['WhenEmpty'], owner: 'S-70', occurrence },
    { file: POOL, from: 'nodes: 10%', to: ['nodes: "0"', 'nodes: 0%'], owner: 'K-18', occurrence },
    {
      file: POOL,
      from: '  limits:\n    cpu: 1000\n    memory: 4000Gi\n',
      to: ['', '  limits: {}\n'],
      owner: 'K-13',
      occurrence,
    },
    {
      file: POOL,
      from: '  limits:\n    cpu: 1000\n    memory: 4000Gi\n',
      to: ['  limits: {nodes: 10}\n'],
      owner: 'K-14',
      occurrence,
    },
    {
      file: POOL,
      from: 'terminationGracePeriod: 24h',
      to: ['terminationGracePeriod: 30s', 'terminationGracePeriod: 10s'],
      owner: 'K-20',
      occurrence,
    },
    {
      file: POOL,
      from: 'karpenter.k8s.aws/instance-family',
      to: ['karpenter.k8s.aws/instance-familly', 'karpenter.sh/instance-family', 'kubernetes.io/family'],
      owner: 'K-25',
      occurrence,
    },
    {
      file: POOL,
      from: 'env: production',
      to: ['karpenter.sh/env: production', 'karpenter.k8s.aws/env: production'],
      owner: 'S-31',
      occurrence,
    },
  ]),
  {
    file: POOL,
    from: 'values: [on-demand]',
    to: ['values: [spot]', 'values: [spot, on-demand]'],
    owner: 'S-44',
  },
  { file: POOL, from: 'values: [spot]', to: ['values: [on-demand]'], owner: 'S-44' },
  { file: POOL, from: 'key: orchard.test/spot', to: ['key: orchard.test/other', 'key: spot'], owner: 'S-43' },
  { file: POOL, from: 'value: "true"', to: ['value: "yes"'], owner: 'S-43' },
  { file: POOL, from: 'effect: NoSchedule', to: ['effect: NoExecute'], owner: 'S-43' },
  { file: POOL, from: '  name: spot', to: ['  name: on-demand'], owner: 'K-89' },
  {
    file: POOL,
    from: 'karpenter.sh/v1',
    to: ['karpenter.sh/v1beta1', 'karpenter.sh/v1alpha5'],
    owner: 'K-50',
  },
  { file: CLASS, from: 'karpenter.k8s.aws/v1', to: ['karpenter.k8s.aws/v1beta1'], owner: 'K-50' },
  {
    file: POOL,
    from: 'values: [c, m]',
    to: ['values: [c]', 'values: [c, m, r]', 'values: [t]'],
    owner: 'S-68',
    also: ['K-24'],
  },
  {
    file: POOL,
    from: 'values: [c6i, c7i, m6i, m7i]',
    to: ['values: [c6i]', 'values: [c6i, c7i]'],
    owner: 'S-68',
  },
  { file: EXPECTED, from: 'env: production', to: ['env: staging'], owner: 'S-31' },
  // Node classes.
  { file: CLASS, from: 'alias: al2023@v20260801', to: ['id: ami-0123456789abcdef0'], owner: 'S-32' },
  {
    file: CLASS,
    from: 'alias: al2023@v20260801',
    to: ['alias: al2023@latest', 'alias: bottlerocket@latest'],
    owner: 'K-28',
  },
  { file: CLASS, from: 'amiFamily: AL2023', to: ['amiFamily: AL2'], owner: 'S-34' },
  { file: CLASS, from: 'amiFamily: AL2023', to: ['amiFamily: Custom'], owner: 'K-73' },
  { file: CLASS, from: 'httpTokens: required', to: ['httpTokens: optional'], owner: 'S-35' },
  {
    file: CLASS,
    from: 'httpPutResponseHopLimit: 1',
    to: ['httpPutResponseHopLimit: 2', 'httpPutResponseHopLimit: 64'],
    owner: 'S-36',
  },
  { file: CLASS, from: 'httpEndpoint: enabled', to: ['httpEndpoint: disabled'], owner: 'S-36' },
  { file: CLASS, from: 'encrypted: true', to: ['encrypted: false', 'encrypt: true'], owner: 'S-37' },
  { file: CLASS, from: '/dev/xvda', to: ['/dev/sda1', '/dev/xvdb', '/dev/nvme0n1', 'xvda'], owner: 'S-39' },
  { file: CLASS, from: 'volumeSize: 100Gi', to: ['volumeSize: 8Gi', 'volumeSize: 19Gi'], owner: 'S-40' },
  { file: CLASS, from: 'volumeSize: 100Gi', to: ['volumeSize: 99Gi', 'volumeSize: 1Ti'], owner: 'S-69' },
  { file: CLASS, from: 'volumeType: gp3', to: ['volumeType: gp2', 'volumeType: standard'], owner: 'S-40' },
  { file: CLASS, from: 'deleteOnTermination: true', to: ['deleteOnTermination: false'], owner: 'S-40' },
  { file: CLASS, from: 'maxPods: 58', to: ['maxPod: 58', 'maxPods: many'], owner: 'K-77' },
  {
    file: CLASS,
    from: '    sysctl',
    to: ['    export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENGbPxRfiCYzzzzzzzzzzzz\n    sysctl'],
    owner: 'K-72',
  },
  {
    file: CLASS,
    from: 'httpTokens: required',
    to: ['httpTokens: Required', 'httpTokens: yes'],
    owner: 'S-35',
  },
  {
    file: CLASS,
    from: '    #!/bin/bash\n',
    to: [
      '    MIME-Version: 1.0\n    Content-Type: multipart/mixed\n\n',
      '    #!/bin/bash\n    DB_PASSWORD=abc\n',
    ],
    owner: 'K-72',
  },
  {
    file: CLASS,
    from: 'team: orchard',
    to: ['commit: 351d1084', 'built: 2026-08-01', 'release: v1.4.12', 'last_updated: today'],
    owner: 'K-76',
  },
  // Who may be whom.
  {
    file: STATE,
    from: '"https://oidc.eks.eu-central-1.amazonaws.com/id/4F1D"',
    to: [
      '"https://oidc.eks.eu-central-1.amazonaws.com/id/5A2E"',
      '"https://oidc.eks.eu-west-1.amazonaws.com/id/4F1D"',
    ],
    owner: 'S-15',
  },
  {
    file: STATE,
    from: '"url": "oidc.eks.eu-central-1.amazonaws.com/id/4F1D"',
    to: ['"url": "oidc.eks.eu-central-1.amazonaws.com/id/5A2E"', '"url": ""'],
    owner: 'S-15',
  },
  {
    file: STATE,
    from: 'system:serviceaccount:karpenter:karpenter',
    to: [
      'system:serviceaccount:kube-system:karpenter',
      'system:serviceaccount:karpenter:karp',
      'serviceaccount:karpenter:karpenter',
      'system:serviceaccount:*:*',
    ],
    owner: 'K-37',
  },
  {
    file: STATE,
    from: '\\"oidc.eks.eu-central-1.amazonaws.com/id/4F1D:sub\\"',
    to: [
      '\\"arn:aws:iam::418295670013:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/4F1D:sub\\"',
      '\\"oidc.eks.eu-central-1.amazonaws.com/id/5A2E:sub\\"',
      '\\"oidc.eks.eu-central-1.amazonaws.com/id/4F1D:subject\\"',
    ],
    owner: 'K-37',
  },
  {
    file: STATE,
    from: '\\"sts.amazonaws.com\\"',
    to: ['\\"sts\\"', '\\"ec2.amazonaws.com\\"'],
    owner: 'K-37',
  },
  {
    file: STATE,
    from: 'sts:AssumeRoleWithWebIdentity',
    to: ['sts:AssumeRole', 'sts:AssumeRoleWithSAML'],
    owner: 'K-37',
  },
  { file: STATE, from: '"type": "EC2_LINUX"', to: ['"type": "STANDARD"', '"type": null'], owner: 'K-34' },
  {
    file: STATE,
    from: '"authentication_mode": "API"',
    to: ['"authentication_mode": "CONFIG_MAP"'],
    owner: 'K-34',
  },
  {
    file: STATE,
    from: 'arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy',
    to: ['arn:aws:iam::aws:policy/AmazonEKSVPCResourceController', 'arn:aws:iam::aws:policy/ReadOnlyAccess'],
    owner: 'K-86',
  },
  {
    file: STATE,
    from: 'eks.amazonaws.com/nodegroup',
    to: ['karpenter.sh/nodepool', 'karpenter.k8s.aws/instance-category', 'karpenter.sh/capacity-type'],
    owner: 'K-47',
  },
  // Where the controller runs.
  {
    file: FLOW,
    from: 'namespace: karpenter',
    to: ['namespace: kube-system', 'namespace: karp'],
    owner: 'K-48',
  },
  {
    file: APP,
    from: 'clusterName: orchard-prod',
    to: ['clusterName: orchard-prod\n          isolatedVPC: true'],
    owner: 'K-67',
  },
  { file: GIT, from: '0', to: ['0\napp.yaml', '3'], owner: 'S-22' },
  // What the planner says.
  {
    file: POOL,
    from: 'values: [c6i, c7i, m6i, m7i]\n          minValues: 2',
    to: [
      'values: [r6i, r7i]',
      'values: [c6i]\n        - {key: kubernetes.io/arch, operator: In, values: [arm64]}',
      'values: [c6i]\n        - {key: karpenter.k8s.aws/instance-cpu, operator: Gt, values: ["500"]}',
      'values: [c6i]\n        - {key: topology.kubernetes.io/zone, operator: In, values: [eu-west-1a]}',
      'values: [c6i]\n        - {key: karpenter.k8s.aws/instance-size, operator: In, values: [large, xlarge]}',
      'values: [c6ii]',
    ],
    owner: 'K-24',
  },
  { file: POOL, from: 'minValues: 2', to: ['minValues: 5', 'minValues: 50'], owner: 'K-26' },
  {
    file: POOL,
    from: 'values: [on-demand]\n',
    to: [
      'values: [spot]\n      taints: [{key: orchard.test/spot, value: "true", effect: NoSchedule}]\n',
      'values: [on-demand, spot]\n      taints: [{key: orchard.test/spot, value: "true", effect: NoSchedule}]\n',
    ],
    owner: 'K-15',
  },
  {
    file: WORK,
    from: 'env: production',
    to: [
      'env: test',
      'karpenter.sh/nodepool: batch',
      'karpenter.k8s.aws/instance-category: r',
      'env: productoin',
    ],
    owner: 'K-60',
  },
  { file: WORK, from: 'cpu: 500m', to: ['cpu: 500', 'cpu: 2000'], owner: 'K-60' },
  { file: WORK, from: 'memory: 512Mi', to: ['memory: 512Ti'], owner: 'K-60' },
  {
    file: WORK,
    from: 'topologyKey: topology.kubernetes.io/zone',
    to: ['topologyKey: orchard.test/rack', 'topologyKey: topology.kubernetes.io/zones'],
    owner: 'K-61',
  },
  // Workloads.
  { file: WORK, from: '              cpu: 500m\n', to: [''], owner: 'K-62' },
  { file: WORK, from: '              memory: 512Mi\n', to: [''], owner: 'K-62' },
  { file: WORK, from: 'do-not-disrupt: "false"', to: ['do-not-disrupt: "true"'], owner: 'K-23' },
  {
    file: WORK,
    from: 'maxUnavailable: 1',
    to: [
      'maxUnavailable: 0',
      'maxUnavailable: 0%',
      'minAvailable: 100%',
      'minAvailable: 3',
      'minAvailable: 90%',
    ],
    owner: 'K-21',
  },
  { file: WORK, from: '{app: api}', to: ['{app: web}', '{}'], owner: 'K-22' },
  {
    file: WORK,
    from: 'operator: Equal\n          value: "true"',
    to: ['operator: Equal\n          value: "no"'],
    owner: 'S-43',
  },
  {
    file: WORK,
    from: 'terminationGracePeriodSeconds: 60',
    to: ['terminationGracePeriodSeconds: 90000'],
    owner: 'K-20',
  },
  // Addresses and credentials of pods.
  { file: CLASS, from: 'maxPods: 58', to: ['maxPods: 580', 'maxPods: 5800'], owner: 'K-54' },
  { file: ADDONS, from: '"true"', to: ['"false"', '"yes"'], owner: 'K-54' },
  {
    file: BALANCER,
    from: '            - --aws-vpc-id=vpc-0a1b2c3d4e5f60718\n',
    to: ['', '            - --vpc-id=vpc-0a1b2c3d4e5f60718\n'],
    owner: 'K-27',
  },
];
