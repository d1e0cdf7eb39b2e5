/** Pages that checks link to. */
export const DOCS = {
  nodeClasses: 'https://karpenter.sh/docs/concepts/nodeclasses/',
  nodePools: 'https://karpenter.sh/docs/concepts/nodepools/',
  disruption: 'https://karpenter.sh/docs/concepts/disruption/',
  settings: 'https://karpenter.sh/docs/reference/settings/',
  gettingStarted: 'https://karpenter.sh/docs/getting-started/getting-started-with-karpenter/',
  policies: 'https://karpenter.sh/docs/reference/cloudformation/',
  upgrade: 'https://karpenter.sh/docs/upgrading/upgrade-guide/',
  amis: 'https://karpenter.sh/docs/tasks/managing-amis/',
  troubleshooting: 'https://karpenter.sh/docs/troubleshooting/',
  metadata: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configuring-instance-metadata-service.html',
  encryption: 'https://docs.aws.amazon.com/ebs/latest/userguide/ebs-encryption.html',
  serviceAccountRoles: 'https://docs.aws.amazon.com/eks/latest/userguide/iam-roles-for-service-accounts.html',
  al2: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-ami-deprecation-faqs.html',
  applications: 'https://argo-cd.readthedocs.io/en/stable/user-guide/helm/',
} as const;
