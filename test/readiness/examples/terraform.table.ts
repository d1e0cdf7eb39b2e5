import { aChange, aNodeClass, aPlan, aResource, aState, CLUSTER, type ExampleTable } from './example.ts';

const PROFILE_CLASS = { 'class.yaml': aNodeClass('  instanceProfile: KarpenterNode-shop') };
const profileState = (name: string) => ({
  'state.json': aState(aResource('aws_iam_instance_profile', 'karpenter', { name })),
});
const planned = (actions: readonly string[]) => ({
  'plan.json': aPlan(
    aChange('aws_iam_policy', 'karpenter_controller', actions),
    aChange('aws_iam_role_policy_attachment', 'karpenter', ['create']),
    aChange('aws_iam_role', 'karpenter', ['no-op']),
  ),
});
const tagged = (type: string, value: string) => ({
  'main.tf': `${CLUSTER}
resource "${type}" "nodes" {
  tags = merge(var.tags, {
    "karpenter.sh/discovery" = "${value}"
  })
}
`,
});
const clusterTags = (tags: string) => ({
  'main.tf': `resource "aws_eks_cluster" "this" {\n  name = "shop"\n  tags = {\n    ${tags}\n  }\n}\n`,
});
const attached = (policy: string) => ({
  'main.tf': `resource "aws_iam_role" "karpenter_node" {
  name = "KarpenterNodeRole-shop"
}
resource "aws_iam_role_policy_attachment" "node" {
  role       = aws_iam_role.karpenter_node.name
  policy_arn = "arn:aws:iam::aws:policy/${policy}"
}
`,
});
const outputs = (...names: readonly string[]) => ({
  'outputs.tf': names.map((name) => `output "${name}" {\n  value = local.x\n}\n`).join(''),
});

export const TERRAFORM_EXAMPLES: ExampleTable = {
  'S-03': {
    fails: {
      status: 'fail',
      files: { ...PROFILE_CLASS, ...profileState('KarpenterNode-store') },
      sources: ['class.yaml:6', 'state.json:2'],
    },
    passes: {
      files: { ...PROFILE_CLASS, ...profileState('KarpenterNode-shop') },
      sources: ['class.yaml:6', 'state.json:2'],
    },
  },
  'S-07': {
    fails: { status: 'fail', files: tagged('aws_subnet', 'store'), sources: ['main.tf:8'] },
    passes: { files: tagged('aws_subnet', 'shop'), sources: ['main.tf:8'] },
  },
  'S-09': {
    fails: {
      status: 'fail',
      files: { 'main.tf': `${CLUSTER}resource "aws_security_group" "nodes" {\n  tags = {}\n}\n` },
      sources: ['main.tf:5'],
    },
    passes: { files: tagged('aws_security_group', 'shop'), sources: ['main.tf:8'] },
  },
  'S-11': {
    fails: {
      status: 'warn',
      files: clusterTags('"karpenter.sh/discovery" = "shop"'),
      sources: ['main.tf:4'],
    },
    passes: { files: clusterTags('env = "prod"'), sources: ['main.tf:1'] },
  },
  'S-12': {
    fails: { status: 'fail', files: planned(['delete', 'create']), sources: ['plan.json:1'] },
    passes: { files: planned(['create']), sources: ['plan.json:1', 'plan.json:1', 'plan.json:1'] },
  },
  'S-13': {
    fails: {
      status: 'fail',
      files: { 'infra/main.tf': 'module "network" {\n  source = "./network"\n}\n' },
      sources: ['infra/main.tf:1'],
    },
    passes: {
      files: { 'infra/main.tf': CLUSTER, 'infra/.terraform.lock.hcl': '' },
      sources: ['infra/main.tf:1'],
    },
  },
  'S-14': {
    fails: { status: 'warn', files: outputs('cluster_endpoint'), sources: [] },
    passes: {
      files: outputs('kubernetes_cluster_endpoint', 'oidc_provider_arn', 'eks_kms_key_arn'),
      sources: ['outputs.tf:4'],
    },
  },
  'S-46': {
    fails: { status: 'fail', files: attached('AmazonEKS_CNI_Policy'), sources: ['main.tf:6'] },
    passes: { files: attached('AmazonEKSWorkerNodePolicy'), sources: ['main.tf:6'] },
  },
  'S-47': {
    fails: { status: 'fail', files: attached('AmazonEKS_CNI_Policy'), sources: ['main.tf:6'] },
    passes: { files: attached('AmazonEC2ContainerRegistryPullOnly'), sources: ['main.tf:6'] },
  },
  'S-48': {
    fails: { status: 'warn', files: attached('AmazonEKS_CNI_Policy'), sources: ['main.tf:6'] },
    passes: { files: attached('AmazonSSMManagedInstanceCore'), sources: ['main.tf:6'] },
  },
};
