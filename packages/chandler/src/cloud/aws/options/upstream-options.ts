/**
 * The options of Karpenter's AWS provider, with its flags, variables, defaults and checks. An invalid value is an error and never
 * replaced by the default.
 */
import { caBundleProblem, optionGroup } from '../../../settings/index.ts';
import { clusterNameProblem, queueNameProblem } from './value-checks.ts';

const MINUTE_MS = 60_000;

const CLUSTER = optionGroup(
  { group: 'AWS: cluster', settingsPrefix: 'aws.' },
  {
    clusterName: {
      flag: 'cluster-name',
      env: 'CLUSTER_NAME',
      type: 'string',
      default: '',
      required: true,
      check: clusterNameProblem,
      doc: 'The name of the EKS cluster',
    },
    clusterEndpoint: {
      flag: 'cluster-endpoint',
      env: 'CLUSTER_ENDPOINT',
      type: 'url',
      default: '',
      runtime: true,
      doc: 'The URL of the API server for new nodes; if empty, the controller reads it from EKS',
    },
    clusterCaBundle: {
      flag: 'cluster-ca-bundle',
      env: 'CLUSTER_CA_BUNDLE',
      type: 'base64',
      default: '',
      runtime: true,
      check: caBundleProblem,
      doc: "The CA bundle with which new nodes verify the API server; if empty, the CA of the controller's kubeconfig, or what EKS says",
    },
    eksControlPlane: {
      flag: 'eks-control-plane',
      env: 'EKS_CONTROL_PLANE',
      type: 'boolean',
      default: false,
      doc: 'Read the Kubernetes version from EKS instead of the API server',
    },
    isolatedVpc: {
      flag: 'isolated-vpc',
      env: 'ISOLATED_VPC',
      type: 'boolean',
      default: false,
      doc: 'The VPC has no way to services without a VPC endpoint: prices are those of the built-in list, and instance profiles are not cleaned up',
    },
  },
);

const INSTANCES = optionGroup(
  { group: 'AWS: instances', settingsPrefix: 'aws.' },
  {
    vmMemoryOverheadPercent: {
      flag: 'vm-memory-overhead-percent',
      env: 'VM_MEMORY_OVERHEAD_PERCENT',
      type: 'number',
      minimum: 0,
      maximum: 1,
      default: 0.075,
      runtime: true,
      doc: 'The fraction of instance memory that the hypervisor and the kernel use, for types that no node has shown yet',
    },
    reservedEnis: {
      flag: 'reserved-enis',
      env: 'RESERVED_ENIS',
      type: 'integer',
      minimum: 0,
      default: 0,
      runtime: true,
      doc: 'Network interfaces of an instance that are not for pods, as with custom networking of the VPC CNI',
    },
    interruptionQueue: {
      flag: 'interruption-queue',
      env: 'INTERRUPTION_QUEUE',
      type: 'string',
      default: '',
      check: queueNameProblem,
      doc: 'The name of the SQS queue with interruption events; if empty, they are not handled',
    },
    disableDryRun: {
      flag: 'disable-dry-run',
      env: 'DISABLE_DRY_RUN',
      type: 'boolean',
      default: false,
      doc: 'Do not validate an EC2NodeClass with dry runs of its launches',
    },
    amiRefreshInterval: {
      flag: 'ami-refresh-interval',
      env: 'AMI_REFRESH_INTERVAL',
      type: 'duration',
      minimum: MINUTE_MS,
      default: MINUTE_MS,
      runtime: true,
      doc: 'How often the AMIs of an EC2NodeClass are read',
    },
    subnetRefreshInterval: {
      flag: 'subnet-refresh-interval',
      env: 'SUBNET_REFRESH_INTERVAL',
      type: 'duration',
      minimum: MINUTE_MS,
      default: MINUTE_MS,
      runtime: true,
      doc: 'How often the subnets of an EC2NodeClass are read',
    },
    enableZonalShift: {
      flag: 'enable-zonal-shift',
      env: 'ENABLE_ZONAL_SHIFT',
      type: 'boolean',
      default: false,
      doc: 'Launch nothing in a zone while ARC has shifted the cluster away from it; the cluster must be registered with ARC zonal shift',
    },
    awsFeatureGates: {
      flag: 'aws-feature-gates',
      env: 'AWS_FEATURE_GATES',
      type: 'gates',
      default: { NodeClassCEL: false } as Readonly<Record<string, boolean>>,
      doc: 'Optional features of the AWS provider; an unknown name only logs a warning. With NodeClassCEL, maxPods, kubeReserved and systemReserved of an EC2NodeClass may be CEL expressions over the instance type',
    },
  },
);

export const AWS_UPSTREAM_OPTIONS = { ...CLUSTER, ...INSTANCES };
