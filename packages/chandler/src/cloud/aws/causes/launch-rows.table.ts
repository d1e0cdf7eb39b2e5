/**
 * Why AWS does not launch an instance, by the reasons of the error table (`errors/error-rows.table.ts`) and, where these say
 * no more than that it failed, by AWS's codes and words. What the controller may not do is in `denied.ts`.
 */
import type { Layer, Specificity } from '../../../causes/index.ts';
import { SHOW_IDENTITY } from './aws-row.ts';

export interface LaunchRow {
  readonly name: string;
  readonly reasons: readonly string[];
  /** Codes of AWS that say the same in an answer about several types and zones. */
  readonly codes?: readonly string[];
  /** And the message matches; with `codes`, one of them suffices. */
  readonly says?: RegExp;
  readonly title: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly layer?: Layer;
  readonly specificity?: Specificity;
  /** The general cause that says less. */
  readonly explains?: readonly string[];
  /** Parts of the message that texts name. */
  readonly facts?: Readonly<Record<string, RegExp>>;
}

const QUOTAS = 'aws service-quotas list-service-quotas --region {region} --service-code ec2 --output table';
const NO_CAPACITY = ['cloud.no-capacity'];
const SUBNET_ID = /(subnet-[0-9a-f]{8,17})/;

/** What the answers of AWS have in common with calls for an EC2NodeClass. */
export const ACCESS_ROWS: readonly LaunchRow[] = [
  {
    name: 'unreachable',
    reasons: ['CloudUnreachable'],
    title: 'AWS does not answer the controller',
    fix: 'Check DNS, routes, security groups and proxies of the node that the controller runs on. In a VPC without internet access it needs VPC endpoints for ec2, sts, ssm, eks and sqs, and --isolated-vpc=true, because Pricing and IAM have none.',
    confirm: [
      'aws ec2 describe-vpc-endpoints --region {region} --query "VpcEndpoints[].[ServiceName,State]"',
    ],
    explains: ['cloud.unreachable'],
  },
  {
    name: 'no-credentials',
    reasons: ['CredentialsMissing'],
    title: 'The controller has no credentials for AWS',
    fix: 'Give its service account a role: an annotation eks.amazonaws.com/role-arn (IRSA), or an EKS Pod Identity association and the add-on eks-pod-identity-agent. Then restart its pods, which get credentials when they are created.',
    confirm: [
      SHOW_IDENTITY,
      'aws eks list-pod-identity-associations --region {region} --cluster-name {cluster}',
    ],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'credentials-expired',
    reasons: ['CredentialsExpired'],
    title: 'The credentials of the controller have expired',
    fix: 'Static credentials of a session end with it: use IRSA or EKS Pod Identity. With these, check that the token file in the pod is renewed, and restart the pod.',
    confirm: [SHOW_IDENTITY],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'credentials-invalid',
    reasons: ['CredentialsInvalid'],
    title: 'AWS does not know the credentials of the controller',
    fix: 'The access key was deleted or belongs to another partition, the region is not enabled for the account, or the trust policy of the role does not name the OIDC provider of this cluster and the service account of the controller.',
    confirm: [
      SHOW_IDENTITY,
      'aws eks describe-cluster --region {region} --name {cluster} --query cluster.identity.oidc.issuer',
    ],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'signature',
    reasons: ['SignatureDoesNotMatch'],
    title: 'AWS computes another signature for the requests of the controller',
    fix: 'The secret key does not belong to the access key, or a proxy changes headers of the requests. Set the pair again, or exempt amazonaws.com from the proxy.',
    confirm: [SHOW_IDENTITY],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'clock-skew',
    reasons: ['ClockSkew'],
    title: 'The clock of the controller is wrong',
    fix: 'Synchronize the clock of the node that the controller runs on (Amazon Time Sync: chronyd with 169.254.169.123). AWS rejects requests that are signed more than five minutes away from its own time.',
    confirm: ['kubectl -n {namespace} get pods -o wide', 'chronyc tracking'],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'region-not-enabled',
    reasons: ['RegionNotEnabled'],
    title: 'The region is not enabled for the account',
    fix: 'Enable the region (aws account enable-region --region-name {region}), or check AWS_REGION of the controller.',
    confirm: ['aws account get-region-opt-status --region-name {region}'],
    explains: ['cloud.unauthorized'],
  },
  {
    name: 'throttled',
    reasons: ['RequestLimitExceeded', 'Throttled'],
    title: 'AWS throttles the API calls of the account',
    fix: 'No action needed for a short time: calls are repeated with a pause. If it persists, find other callers of EC2 in this account and region (CloudTrail, errorCode RequestLimitExceeded), or ask AWS to raise the API limits.',
    confirm: [
      'aws cloudtrail lookup-events --region {region} --lookup-attributes AttributeKey=EventName,AttributeValue=DescribeInstances --max-results 20',
    ],
    explains: ['cloud.throttled'],
  },
  {
    name: 'internal',
    reasons: ['InternalError'],
    title: 'An internal error of AWS',
    fix: 'The call is repeated automatically. If it persists, check the AWS Health Dashboard, and allow more zones and instance types.',
    confirm: ['aws health describe-events --region us-east-1 --filter eventStatusCodes=open'],
    explains: ['cloud.unreachable'],
  },
];

export const CAPACITY_ROWS: readonly LaunchRow[] = [
  {
    name: 'sold-out',
    reasons: ['InsufficientInstanceCapacity'],
    codes: ['InsufficientInstanceCapacity', 'UnfulfillableCapacity'],
    specificity: 'particular',
    title: 'The zones have no capacity for the instance types',
    fix: 'Allow more instance types, sizes, zones and capacity types in the NodePool. A type and zone that lacks capacity is tried again after three minutes. For capacity that must be there, use a capacity reservation.',
    confirm: [
      'kubectl get nodepool {nodePool} -o jsonpath={.spec.template.spec.requirements}',
      'aws ec2 describe-instance-type-offerings --region {region} --location-type availability-zone --output table',
    ],
    explains: NO_CAPACITY,
  },
  {
    name: 'unsupported-in-zone',
    reasons: ['Unsupported'],
    codes: ['Unsupported'],
    title: 'The zone does not have the instance type as it is requested',
    fix: 'Use other zones or instance types in the NodePool, or change what the type does not support there: tenancy, placement group, EFA, or a capacity type.',
    confirm: [
      'aws ec2 describe-instance-type-offerings --region {region} --location-type availability-zone --filters Name=instance-type,Values={instanceType}',
    ],
    explains: NO_CAPACITY,
    facts: { instanceType: /requested (?:instance type \()?([a-z0-9-]+\.[a-z0-9-]+)/ },
  },
  {
    name: 'quota-on-demand',
    reasons: ['VCPULimitExceeded'],
    codes: ['VcpuLimitExceeded', 'InstanceLimitExceeded'],
    title: 'The quota of on-demand vCPUs is used up',
    fix: 'Request an increase: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-1216C47A --desired-value N (standard families; others have their own codes). Or use spot or other families.',
    confirm: [QUOTAS],
    explains: NO_CAPACITY,
  },
  {
    name: 'quota-spot',
    reasons: ['SpotQuotaExceeded'],
    codes: ['MaxSpotInstanceCountExceeded'],
    title: 'The quota of spot vCPUs is used up',
    fix: 'Request an increase: aws service-quotas request-service-quota-increase --service-code ec2 --quota-code L-34B43A08 --desired-value N (standard families). Or allow on-demand in the NodePool.',
    confirm: [QUOTAS],
    explains: NO_CAPACITY,
  },
  {
    name: 'quota-fleets',
    reasons: ['FleetQuotaExceeded'],
    codes: ['MaxFleetCountExceeded'],
    title: 'The quota of EC2 fleets is used up',
    fix: 'Request an increase of the quota of EC2 Fleets in Service Quotas. Delete fleets that nobody needs (aws ec2 describe-fleets).',
    confirm: [QUOTAS, 'aws ec2 describe-fleets --region {region} --query "Fleets[].[FleetId,FleetState]"'],
    explains: NO_CAPACITY,
  },
  {
    name: 'spot-role',
    reasons: ['SpotSLRCreationFailed'],
    codes: ['AuthFailure.ServiceLinkedRoleCreationNotPermitted'],
    title: 'The account lacks the service-linked role of EC2 Spot',
    fix: 'Create it once for the account: aws iam create-service-linked-role --aws-service-name spot.amazonaws.com. Until then, spot capacity is not tried.',
    confirm: ['aws iam get-role --role-name AWSServiceRoleForEC2Spot'],
    explains: NO_CAPACITY,
  },
  {
    name: 'subnet-full',
    reasons: ['InsufficientFreeAddressesInSubnet'],
    codes: ['InsufficientFreeAddressesInSubnet'],
    title: 'The subnet has no free IP addresses',
    fix: 'Free addresses in {subnet}, add subnets of the same zone to subnetSelectorTerms of the EC2NodeClass, or add a CIDR block to the VPC. The CNI keeps warm addresses for every node: WARM_IP_TARGET lowers them, prefix delegation needs more in one piece.',
    confirm: [
      'aws ec2 describe-subnets --region {region} --subnet-ids {subnet} --query "Subnets[].[SubnetId,CidrBlock,AvailableIpAddressCount]"',
    ],
    explains: NO_CAPACITY,
    facts: { subnet: SUBNET_ID },
  },
  {
    name: 'reservation-full',
    reasons: ['ReservationCapacityExceeded'],
    codes: ['ReservationCapacityExceeded'],
    title: 'The capacity reservation is full',
    fix: 'Raise the number of instances of the reservation, add reservations to capacityReservationSelectorTerms, or allow on-demand in the NodePool.',
    confirm: [
      'aws ec2 describe-capacity-reservations --region {region} --query "CapacityReservations[].[CapacityReservationId,State,TotalInstanceCount,AvailableInstanceCount]"',
    ],
    explains: NO_CAPACITY,
  },
  {
    name: 'spread-group-full',
    reasons: ['SpreadPlacementGroupLimit'],
    says: /limit of instances in this spread placement group/,
    title: 'The spread placement group has its seven instances in the zone',
    fix: 'A spread placement group takes seven instances per zone. Allow more zones, use a partition placement group, or a second EC2NodeClass with another group.',
    confirm: ['aws ec2 describe-placement-groups --region {region}'],
    explains: NO_CAPACITY,
  },
  {
    name: 'nothing-left',
    reasons: ['InsufficientCapacityError'],
    // Of Karpenter, and of our launches.
    says: /no instance types available|instance types can be launched for the claim now|no offering is in a zone with a subnet/,
    title: 'No instance type that the NodeClaim allows is available',
    fix: 'Allow more instance types, zones or capacity types in the NodePool. All that it allows lack capacity, exceed a quota, or were blocked for three minutes after a failure; the events of the NodePool say which.',
    confirm: ['kubectl describe nodepool {nodePool}', QUOTAS],
    explains: NO_CAPACITY,
  },
  {
    name: 'min-values',
    reasons: ['InsufficientCapacityError'],
    says: /minValues cannot be met/,
    title: 'Too few instance types can be launched for minValues',
    fix: 'Lower minValues of the requirement in the NodePool, allow more values, or set --min-values-policy=BestEffort. Instance types that failed are not tried again for three minutes.',
    confirm: ['kubectl describe nodepool {nodePool}'],
    explains: NO_CAPACITY,
  },
];
