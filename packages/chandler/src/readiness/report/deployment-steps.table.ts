/** The commands of an installation, phase by phase, for the Markdown report. */
import type { Estate } from '../checks/estate.ts';
import type { PhaseNumber } from '../model/finding.ts';

export interface Installation {
  readonly clusterName: string;
  readonly region: string;
  readonly namespace: string;
}

export interface DeploymentStep {
  /** For clusters of this kind; for all where it is absent. */
  readonly on?: Estate;
  /** What the commands are for. */
  readonly purpose: string;
  commands(installation: Installation): readonly string[];
}

export const DEPLOYMENT_STEPS: Readonly<Record<PhaseNumber, readonly DeploymentStep[]>> = {
  1: [
    {
      purpose: 'Review and apply the infrastructure',
      commands: () => [
        'terraform init',
        'terraform validate',
        'terraform plan -out plan',
        'terraform show -json plan > plan.json',
        'chandler check . --plan plan.json',
        'terraform apply plan',
      ],
    },
    {
      on: 'EKS',
      purpose: 'Subnets and the security group of the nodes carry the discovery tag',
      commands: ({ clusterName, region }) => [
        `aws ec2 describe-subnets --region ${region} --filters "Name=tag:karpenter.sh/discovery,Values=${clusterName}" --query 'Subnets[].[SubnetId,AvailabilityZone]' --output table`,
        `aws ec2 describe-security-groups --region ${region} --filters "Name=tag:karpenter.sh/discovery,Values=${clusterName}" --query 'SecurityGroups[].[GroupId,GroupName]' --output table`,
      ],
    },
    {
      on: 'AKS',
      purpose:
        'The cluster has an OIDC issuer and workload identity, and the identity of the controller has its roles',
      commands: ({ clusterName }) => [
        `az aks show --resource-group $RESOURCE_GROUP --name ${clusterName} --query '{issuer: oidcIssuerProfile.issuerUrl, workloadIdentity: securityProfile.workloadIdentity, nodes: nodeResourceGroup}'`,
        'az role assignment list --all --assignee $PRINCIPAL_ID --query "[].[roleDefinitionName, scope]" --output table',
      ],
    },
  ],
  2: [
    {
      on: 'EKS',
      purpose: 'The endpoint for the Helm values',
      commands: ({ clusterName, region }) => [
        `aws eks describe-cluster --name ${clusterName} --region ${region} --query cluster.endpoint --output text`,
      ],
    },
    {
      on: 'AKS',
      purpose: 'The endpoint, the node resource group and the network options for the Helm values',
      commands: ({ clusterName }) => [
        `az aks show --resource-group $RESOURCE_GROUP --name ${clusterName} --query '[fqdn, privateFqdn, nodeResourceGroup]'`,
        `az aks show --resource-group $RESOURCE_GROUP --name ${clusterName} --query networkProfile`,
      ],
    },
  ],
  3: [
    {
      purpose: 'The controller is available',
      commands: ({ namespace }) => [
        `kubectl get deployment,pods -n ${namespace} -l app.kubernetes.io/name=karpenter`,
        `kubectl get serviceaccount karpenter -n ${namespace} -o yaml`,
      ],
    },
  ],
  4: [
    {
      on: 'EKS',
      purpose: 'Node classes and NodePools are Ready (both are cluster-scoped)',
      commands: () => ['kubectl get ec2nodeclasses,nodepools', 'kubectl describe ec2nodeclasses'],
    },
    {
      on: 'AKS',
      purpose: 'Node classes and NodePools are Ready (both are cluster-scoped)',
      commands: () => ['kubectl get aksnodeclasses,nodepools', 'kubectl describe aksnodeclasses'],
    },
  ],
  5: [
    {
      purpose: 'Pods that fit no node get one',
      commands: () => [
        'kubectl create deployment inflate --image=public.ecr.aws/eks-distro/kubernetes/pause:3.7 --replicas=0',
        'kubectl set resources deployment inflate --requests=cpu=1,memory=1Gi',
        'kubectl scale deployment inflate --replicas=10',
        'kubectl get nodeclaims --watch',
        'kubectl delete deployment inflate',
      ],
    },
  ],
};
