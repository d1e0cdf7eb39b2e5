/** Commands of AWS for the texts of general causes, and the facts that they name. */
import type { EvidenceSet, NodeClaimEvidence } from '../../../causes/index.ts';
import type { CloudCommands } from '../../index.ts';

import { instanceLocation } from './aws-evidence.ts';

const INSTANCE = 'aws ec2 describe-instances --region {region} --instance-ids {instance}';
const STATUS =
  'aws ec2 describe-instance-status --region {region} --instance-ids {instance} --include-all-instances';
/** A session of Systems Manager, which needs AmazonSSMManagedInstanceCore on the node role. */
const RUN =
  'aws ssm send-command --region {region} --instance-ids {instance} --document-name AWS-RunShellScript --parameters';

export const COMMANDS: CloudCommands = {
  nodeClassResource: 'ec2nodeclass',
  showBootLog: 'aws ec2 get-console-output --region {region} --instance-id {instance} --latest --output text',
  showKubeletLog: `${RUN} commands="journalctl -u kubelet --no-pager | tail -n 50"`,
  showClock: `${RUN} commands="date -u; chronyc tracking"`,
  showInstanceStatus: STATUS,
  showInstanceAgent: STATUS,
  showInstanceDisk: `${INSTANCE} --query "Reservations[].Instances[].BlockDeviceMappings"`,
  showNodeStatus: STATUS,
  showInstanceHistory:
    'aws cloudtrail lookup-events --region {region} --lookup-attributes AttributeKey=ResourceName,AttributeValue={instance} --max-results 10',
  testApiServer: `${RUN} commands="getent hosts {apiServer}; curl -sk -m 5 https://{apiServer}/livez"`,
  osDiskSize: 'volumeSize in spec.blockDeviceMappings',
  repairDelay: '30 minutes',
  pullPermission: 'AmazonEC2ContainerRegistryPullOnly',
  checkIdentity: 'Check IRSA or EKS Pod Identity of the service account of the controller.',
  billingScope: 'account',
  auditLog: 'CloudTrail',
};

export function awsFacts(
  evidence: EvidenceSet,
  claim: NodeClaimEvidence | undefined,
): Readonly<Record<string, string | undefined>> {
  const at = instanceLocation(claim?.providerId ?? '');
  const options = evidence.first('options')?.values ?? {};
  const node = evidence.first('node');
  const ofClaim = (type: string) =>
    evidence
      .all('cloudResource')
      .find(
        (each) => each.type === type && (claim === undefined || (each.claim ?? claim.name) === claim.name),
      );
  const [namespace, deployment] = evidence.first('controller')?.deployment?.split('/') ?? [];
  return {
    instance: at?.id,
    zone: at?.zone,
    region:
      at?.region ||
      options['awsRegion']?.value ||
      node?.labels['topology.kubernetes.io/region'] ||
      regionOf(options['clusterEndpoint']?.value ?? ''),
    cluster: options['clusterName']?.value ?? ofClaim('cluster')?.name,
    subnet: ofClaim('subnet')?.name,
    ami: claim?.imageId,
    nodeRole: ofClaim('instanceProfile')?.facts['role'] ?? ofClaim('launchSettings')?.facts['role'],
    nodeRoleArn: ofClaim('instanceProfile')?.facts['roleArn'],
    profile: ofClaim('instanceProfile')?.name,
    apiServer: evidence.first('cluster')?.apiServerHost ?? hostOf(options['clusterEndpoint']?.value ?? ''),
    namespace: namespace ?? 'kube-system',
    deployment: deployment ?? 'karpenter',
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** `https://0123ABCD.gr7.eu-west-1.eks.amazonaws.com`. */
function regionOf(endpoint: string): string | undefined {
  return /\.([a-z]{2}(?:-[a-z]+)+-\d+)\.eks\.amazonaws\.com/.exec(endpoint)?.[1];
}

function hostOf(address: string): string | undefined {
  return URL.canParse(address) ? new URL(address).hostname : undefined;
}
