/**
 * Layer 4 on Azure: what the error codes of ARM mean, and what to do about them. The reasons are those by which the
 * controller classifies errors (`cloud/azure/errors`). Disk encryption has its own rows.
 */
import {
  type Cause,
  type CloudErrorEvidence,
  type Match,
  NO_INSTANCE_TYPES,
  SHOW_OPTIONS,
  seen,
} from '../../../causes/index.ts';

const SHOW_CLAIM = 'kubectl describe nodeclaim {claim}';
const SHOW_QUOTA = 'az vm list-usage -l {location} -o table';
const SHOW_SKUS = 'az vm list-skus -l {location} --size {size} --all -o table';

interface Row {
  readonly name: string;
  readonly reasons: readonly string[];
  /** Tells rows of one reason apart; searched in code and message. */
  readonly says?: RegExp;
  readonly title: string;
  /** Default: that a launch is refused so. */
  readonly symptom?: string;
  readonly fix: string;
  readonly confirm?: readonly string[];
  readonly layer?: Cause['layer'];
}

const ROWS: readonly Row[] = [
  {
    name: 'quota-spot',
    reasons: ['SubscriptionQuotaReached'],
    says: /LowPriorityCores/,
    title: 'The quota for spot cores is exhausted',
    fix: 'Request more LowPriorityCores quota for this region, or allow on-demand in the NodePool.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'quota-family',
    reasons: ['SubscriptionQuotaReached'],
    says: /Family Cores quota/,
    title: 'The quota for this VM family is exhausted',
    fix: 'Request more quota for the VM family that the message names, or allow other families in the NodePool.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'quota-regional',
    reasons: ['InsufficientCapacityError', 'SubscriptionQuotaReached'],
    says: /Total Regional Cores/,
    title: 'The quota for all cores of the region is exhausted',
    fix: 'Request more Total Regional vCPUs quota. Until then, no VM of any size can be created.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'sku-not-available',
    reasons: ['SKUNotAvailable'],
    says: /SkuNotAvailable/,
    title: 'The VM size is currently not available in this zone or region',
    fix: 'Allow more VM sizes, zones or capacity types in the NodePool. The size is retried later automatically.',
    confirm: [SHOW_SKUS],
  },
  {
    name: 'size-not-for-subscription',
    reasons: ['SKUNotAvailable'],
    says: /VMSizeNotSupported|is not supported for subscription/,
    title: 'The subscription is not allowed to use this VM size',
    fix: 'Request access to the size for the subscription, or exclude it in the NodePool.',
    confirm: [SHOW_SKUS],
  },
  {
    name: 'zone-full',
    reasons: ['ZonalAllocationFailure'],
    title: 'The zone has no capacity for this VM size',
    fix: 'Allow other zones or VM sizes in the NodePool. Other allowed zones and sizes are tried automatically.',
  },
  {
    name: 'region-full',
    reasons: ['AllocationFailure'],
    title: 'The region has no capacity for this VM size',
    fix: 'Allow other VM sizes in the NodePool. They are tried automatically.',
  },
  {
    name: 'zone-overconstrained',
    reasons: ['OverconstrainedZonalAllocationFailure'],
    title: 'The zone has no capacity for this combination of constraints',
    fix: 'Relax one of: zone, size, spot, accelerated networking, ephemeral disk, ultra disk.',
  },
  {
    name: 'overconstrained',
    reasons: ['OverconstrainedAllocationFailure'],
    title: 'The region has no capacity for this combination of constraints',
    fix: 'Relax one of: size, spot, accelerated networking, ephemeral disk, ultra disk.',
  },
  {
    name: 'sold-out',
    reasons: ['InsufficientCapacityError'],
    says: new RegExp(NO_INSTANCE_TYPES),
    title: 'No instance type that the NodeClaim allows is available',
    fix: 'Allow more VM sizes, zones or capacity types in the NodePool. All VM sizes that it allows lack capacity, exceed the quota, or are blocked after failures.',
    confirm: ['kubectl get events -A --field-selector reason=InsufficientCapacityError', SHOW_QUOTA],
  },
  {
    name: 'token-refused',
    reasons: ['TokenNotAccepted'],
    title: 'The controller cannot authenticate to Azure',
    fix: 'Check the identity: the client secret may be expired, the federated credential of the service account may be missing, or the tenant or client ID may be wrong.',
    confirm: ['kubectl -n {namespace} logs deployment/{deployment} | grep -i token'],
  },
  {
    name: 'role-missing',
    reasons: ['AuthorizationFailed'],
    title: "The controller's identity lacks a role",
    fix: 'Grant the identity a role for the action and scope that the message names (Virtual Machine Contributor and Network Contributor on the node resource group, Managed Identity Operator on node identities).',
    confirm: ['az role assignment list --assignee {identity} --all -o table'],
  },
  {
    name: 'policy',
    reasons: ['RequestDisallowedByPolicy'],
    title: 'An Azure Policy forbids the VM',
    fix: 'Change the settings that the policy denies (tags, sizes, disk encryption, public IP), or exempt the node resource group.',
    confirm: [
      'az policy state list --resource-group {resourceGroup} --filter "complianceState eq \'NonCompliant\'" -o table',
    ],
  },
  {
    name: 'locked',
    reasons: ['ScopeLocked'],
    title: 'The resource group or subscription is locked',
    fix: 'Remove the lock from the node resource group or from the subscription. If the subscription is disabled, enable it again.',
    confirm: ['az lock list --resource-group {resourceGroup} -o table'],
  },
  {
    name: 'subnet-full',
    reasons: ['SubnetFull'],
    title: 'The subnet has no addresses left',
    fix: 'Free addresses, or set a larger subnet in spec.vnetSubnetID of the NodeClass.',
    confirm: [
      'az network vnet subnet show --ids {subnet} --query "{range:addressPrefix,used:length(ipConfigurations)}"',
    ],
  },
  {
    name: 'image-missing',
    reasons: ['ImageNotFound'],
    title: 'The node image does not exist in this region',
    fix: 'Check status.images of the NodeClass. A pinned or shared image must be replicated to the region and readable.',
    confirm: ['kubectl get aksnodeclass {nodeClass} -o jsonpath={.status.images}'],
  },
  {
    name: 'nic-reserved',
    reasons: ['NetworkInterfaceReserved'],
    title: 'Azure reserves the network interface for a failed VM',
    fix: 'No action needed: the reservation ends after three minutes, and the launch continues.',
  },
  {
    name: 'interrupted',
    reasons: ['OperationInterrupted'],
    title: 'Another client changed the VM at the same time',
    fix: 'Check what else changes the node resource group (policies, scripts, a second controller). The launch is retried automatically.',
    confirm: ['az monitor activity-log list -g {resourceGroup} --offset 1h -o table'],
  },
  {
    name: 'internal',
    reasons: ['InternalError', 'CloudUnreachable'],
    says: /\bInternal\w*Error\b|\b(?:ServerTimeout|ServiceUnavailable|GatewayTimeout)\b/,
    title: 'Azure failed to create the VM',
    fix: 'The NodeClaim is replaced automatically. If the error persists, check the status of Azure, and try other VM sizes or zones.',
  },
  {
    name: 'cluster-values',
    reasons: ['ClusterValuesUnknown'],
    layer: 'configuration',
    title: 'The controller lacks information about the cluster',
    fix: "Set the option that the message names, or grant the controller's identity permission to read the resource that the message names.",
    confirm: [SHOW_OPTIONS],
  },
  {
    name: 'cloud-unknown',
    reasons: ['CloudUnknown'],
    layer: 'configuration',
    title: 'Node images are not known for this Azure cloud',
    fix: 'Check ARM_CLOUD and AZURE_ENVIRONMENT_FILEPATH.',
    confirm: [SHOW_OPTIONS],
  },
  {
    name: 'kubernetes-version',
    reasons: ['KubernetesVersionMalformed'],
    layer: 'configuration',
    title: 'The Kubernetes version of the nodes is invalid',
    fix: 'Set KUBERNETES_VERSION in the form 1.34.2, or leave it empty.',
    confirm: [SHOW_OPTIONS],
  },
  {
    name: 'custom-data',
    reasons: ['CustomDataTooLarge', 'CustomDataInvalid'],
    layer: 'vmCreation',
    title: 'The custom data of the VM is invalid or too large',
    fix: 'Shorten labels, taints and kubelet settings of the NodePool and the NodeClass. The message names the limit that is exceeded, or the character that is invalid.',
    confirm: [
      'kubectl get aksnodeclass/{nodeClass} nodeclaim/{claim} -o yaml | chandler bootstrap render -f -',
    ],
  },
  {
    name: 'bootstrapping-server-down',
    reasons: [
      'BootstrappingServerUnreachable',
      'BootstrappingServerTimeout',
      'BootstrappingServerFailed',
      'BootstrappingServerAnswer',
      'BootstrappingServerThrottled',
    ],
    layer: 'vmCreation',
    title: 'The bootstrapping server does not answer',
    fix: 'Check NODEBOOTSTRAPPING_SERVER_URL and the network from the controller to the server. Launches resume when the server answers.',
    confirm: [SHOW_OPTIONS],
  },
  {
    name: 'bootstrapping-server-refuses',
    reasons: ['BootstrappingServerRefused', 'BootstrappingServerRejected'],
    layer: 'vmCreation',
    title: 'The bootstrapping server refuses the VM',
    fix: 'Check the permissions of the controller on that server, and the fields of the NodeClass that the message names.',
    confirm: ['kubectl describe aksnodeclass {nodeClass}'],
  },
  {
    name: 'api-version-not-supported',
    reasons: ['ApiVersionNotSupported'],
    layer: 'cloudApi',
    title: 'The cloud does not support the api-version of a call',
    fix: 'Sovereign and custom clouds get new versions later. Set one that the message lists: --arm-api-versions TYPE=VERSION.',
    confirm: ['az provider show --namespace Microsoft.Compute'],
  },
  {
    name: 'ephemeral-disk-refused',
    reasons: ['EphemeralDiskRefused'],
    layer: 'vmCreation',
    title: 'The OS disk does not fit on the local disk of the VM size',
    fix: 'Nothing has to be done: the next attempt uses a managed disk. For a local disk, use a smaller osDiskSizeGB or larger sizes.',
    confirm: ['kubectl describe aksnodeclass {nodeClass}'],
  },
  {
    name: 'class-readiness-unknown',
    reasons: ['NodeClassReadinessUnknown'],
    layer: 'configuration',
    title: 'The readiness of the NodeClass is not known',
    fix: 'Check the conditions of the NodeClass. One of them is Unknown, and its message says what could not be verified.',
    confirm: ['kubectl describe aksnodeclass {nodeClass}'],
  },
  {
    name: 'machine-of-aks',
    reasons: ['ManagedByAKS'],
    title: 'The VM is managed by AKS',
    symptom: 'A launch, an update or a deletion is refused with the reason ManagedByAKS.',
    fix: 'To remove the VM, delete it in AKS (az aks nodepool delete-machines).',
  },
  {
    name: 'vm-elsewhere',
    reasons: ['MachineElsewhere'],
    title: 'The VM is not in the configured resource group and subscription',
    symptom: 'A launch, an update or a deletion is refused with the reason MachineElsewhere.',
    fix: 'Run the controller with node-resource-group and azure-subscription-id as they were when the VM was launched. If they were changed on purpose, delete the VM manually, then remove the finalizer of the NodeClaim.',
  },
];

export const ARM_ERRORS: readonly Cause[] = ROWS.map((row) => ({
  id: `azure.${row.name}`,
  layer: row.layer ?? 'cloudApi',
  specificity: 'exact',
  title: row.title,
  symptom: row.symptom ?? `A launch fails with the reason ${row.reasons.join(' or ')}.`,
  summary: '{what}: {problem}',
  fix: row.fix,
  confirm: [SHOW_CLAIM, ...(row.confirm ?? [])],
  recognise: (evidence) => {
    const error = evidence.all('cloudError').find((each) => fits(row, each));
    return error === undefined ? undefined : matchOf(row, error);
  },
}));

// ---------------------------------------------------------------------------------------------------

function fits({ reasons, says }: Row, { reason, code = '', message }: CloudErrorEvidence): boolean {
  return reasons.includes(reason) && (says === undefined || says.test(code) || says.test(message));
}

function matchOf({ title }: Row, error: CloudErrorEvidence): Match {
  const { claim, reason, code, message } = error;
  const what = claim === '' ? title : `${title} (${claim})`;
  return {
    facts: { claim, reason, what, problem: message, ...(code === undefined ? {} : { code }) },
    seen: [seen(error, `${reason}${code === undefined ? '' : ` (${code})`}: ${message}`)],
  };
}
