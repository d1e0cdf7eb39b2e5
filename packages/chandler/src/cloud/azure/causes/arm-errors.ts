/**
 * Layer 4 on Azure: what the codes of ARM mean for the one who runs the cluster. The reasons are those by which the
 * controller classifies (`cloud/azure/errors`); here stands what to do about them. Disk encryption has rows of its own.
 */
import { type Cause, type CloudErrorEvidence, type Match, seen } from '../../../causes/index.ts';

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
    title: 'The quota for spot cores is used up',
    fix: 'Ask Azure for more LowPriorityCores in this region, or allow on-demand in the NodePool.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'quota-family',
    reasons: ['SubscriptionQuotaReached'],
    says: /Family Cores quota/,
    title: 'The quota for this family of sizes is used up',
    fix: 'Ask Azure for more cores of the family that the message names, or allow other families in the NodePool.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'quota-regional',
    reasons: ['InsufficientCapacityError', 'SubscriptionQuotaReached'],
    says: /Total Regional Cores/,
    title: 'The quota for all cores of the region is used up',
    fix: 'Ask Azure for more Total Regional vCPUs; until then no machine of any size can be made.',
    confirm: [SHOW_QUOTA],
  },
  {
    name: 'sku-not-available',
    reasons: ['SKUNotAvailable'],
    says: /SkuNotAvailable/,
    title: 'The size cannot be had here now',
    fix: 'Allow more sizes, zones or capacity types in the NodePool; the size is tried again later by itself.',
    confirm: [SHOW_SKUS],
  },
  {
    name: 'size-not-for-subscription',
    reasons: ['SKUNotAvailable'],
    says: /VMSizeNotSupported|is not supported for subscription/,
    title: 'The subscription may not use this size',
    fix: 'Ask Azure to open the size for the subscription, or exclude it in the NodePool.',
    confirm: [SHOW_SKUS],
  },
  {
    name: 'zone-full',
    reasons: ['ZonalAllocationFailure'],
    title: 'The zone has no room for this size',
    fix: 'Allow other zones or sizes in the NodePool; it is tried elsewhere by itself where that is allowed.',
  },
  {
    name: 'region-full',
    reasons: ['AllocationFailure'],
    title: 'The region has no room for this size',
    fix: 'Allow other sizes in the NodePool; it is tried with them by itself.',
  },
  {
    name: 'zone-overconstrained',
    reasons: ['OverconstrainedZonalAllocationFailure'],
    title: 'The zone has no room for all that is asked of this size together',
    fix: 'Relax one of: zone, size, spot, accelerated networking, ephemeral disk, ultra disk.',
  },
  {
    name: 'overconstrained',
    reasons: ['OverconstrainedAllocationFailure'],
    title: 'The region has no room for all that is asked of this size together',
    fix: 'Relax one of: size, spot, accelerated networking, ephemeral disk, ultra disk.',
  },
  {
    name: 'sold-out',
    reasons: ['InsufficientCapacityError'],
    says: /no instance types available/,
    title: 'Nothing that the claim allows can be bought now',
    fix: 'All its sizes are sold out, without quota, or blocked after failures: allow more sizes, zones or capacity types.',
    confirm: ['kubectl get events -A --field-selector reason=InsufficientCapacityError', SHOW_QUOTA],
  },
  {
    name: 'token-refused',
    reasons: ['TokenNotAccepted'],
    title: 'Azure gives the controller no token, or takes none of its',
    fix: 'Look at the identity: client secret expired, federated credential for the service account missing, wrong tenant or client id.',
    confirm: ['kubectl -n kube-system logs deployment/karpenter | grep -i token'],
  },
  {
    name: 'role-missing',
    reasons: ['AuthorizationFailed'],
    title: "The controller's identity lacks a role",
    fix: 'Give it the role for the action and scope that the message names (Virtual Machine Contributor and Network Contributor on the node resource group, Managed Identity Operator on node identities).',
    confirm: ['az role assignment list --assignee {identity} --all -o table'],
  },
  {
    name: 'policy',
    reasons: ['RequestDisallowedByPolicy'],
    title: 'An Azure Policy forbids the machine',
    fix: 'Change what the policy objects to (tags, sizes, disk encryption, public IP), or exempt the node resource group.',
    confirm: [
      'az policy state list --resource-group {resourceGroup} --filter "complianceState eq \'NonCompliant\'" -o table',
    ],
  },
  {
    name: 'locked',
    reasons: ['ScopeLocked'],
    title: 'The resource group or subscription is locked',
    fix: 'Remove the lock from the node resource group, or the block from the subscription.',
    confirm: ['az lock list --resource-group {resourceGroup} -o table'],
  },
  {
    name: 'subnet-full',
    reasons: ['SubnetFull'],
    title: 'The subnet has no addresses left',
    fix: 'Free addresses, or name a larger subnet in spec.vnetSubnetID of the NodeClass.',
    confirm: [
      'az network vnet subnet show --ids {subnet} --query "{range:addressPrefix,used:length(ipConfigurations)}"',
    ],
  },
  {
    name: 'image-missing',
    reasons: ['ImageNotFound'],
    title: 'The node image does not exist in this region',
    fix: 'Look at status.images of the NodeClass; a pinned or shared image must be replicated to the region and readable.',
    confirm: ['kubectl get aksnodeclass {nodeClass} -o jsonpath={.status.images}'],
  },
  {
    name: 'nic-reserved',
    reasons: ['NetworkInterfaceReserved'],
    title: 'Azure holds the network interface for a machine that failed',
    fix: 'Nothing: it lets go after three minutes and the launch goes on.',
  },
  {
    name: 'interrupted',
    reasons: ['OperationInterrupted'],
    title: 'Something else changed the machine at the same time',
    fix: 'Look at who works in the node resource group (policies, scripts, a second controller); the launch is tried again.',
    confirm: ['az monitor activity-log list -g {resourceGroup} --offset 1h -o table'],
  },
  {
    name: 'internal',
    reasons: ['InternalError', 'CloudUnreachable'],
    says: /\bInternal\w*Error\b/,
    title: 'Azure failed while it made the machine',
    fix: 'The claim is replaced by itself. If it goes on, look at the status of Azure, and try other sizes or zones.',
  },
  {
    name: 'cluster-values',
    reasons: ['ClusterValuesUnknown'],
    layer: 'configuration',
    title: 'The controller does not know all it must about the cluster',
    fix: 'Set the option that the message names, or give the identity the right to read what it names.',
    confirm: ['chandler controller --print-options'],
  },
  {
    name: 'cloud-unknown',
    reasons: ['CloudUnknown'],
    layer: 'configuration',
    title: 'Node images are not known for this Azure cloud',
    fix: 'Look at ARM_CLOUD and AZURE_ENVIRONMENT_FILEPATH.',
    confirm: ['chandler controller --print-options'],
  },
  {
    name: 'kubernetes-version',
    reasons: ['KubernetesVersionMalformed'],
    layer: 'configuration',
    title: 'The Kubernetes version of nodes cannot be understood',
    fix: 'Write KUBERNETES_VERSION as 1.34.2, or leave it empty.',
    confirm: ['chandler controller --print-options'],
  },
  {
    name: 'custom-data',
    reasons: ['CustomDataTooLarge', 'CustomDataInvalid'],
    layer: 'vmCreation',
    title: 'What the machine is to be told does not fit into a request',
    fix: 'Shorten labels, taints and kubelet settings of pool and class; the message names the limit or the character.',
    confirm: ['chandler bootstrap render'],
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
    fix: 'Look at NODEBOOTSTRAPPING_SERVER_URL and at the way to it; launches go on when it answers.',
    confirm: ['chandler controller --print-options'],
  },
  {
    name: 'bootstrapping-server-refuses',
    reasons: ['BootstrappingServerRefused', 'BootstrappingServerRejected'],
    layer: 'vmCreation',
    title: 'The bootstrapping server refuses the machine',
    fix: 'Look at the identity of the controller there, and at the fields of the NodeClass that the message names.',
    confirm: ['kubectl describe aksnodeclass {nodeClass}'],
  },
  {
    name: 'class-readiness-unknown',
    reasons: ['NodeClassReadinessUnknown'],
    layer: 'configuration',
    title: 'It is not known whether the NodeClass is ready',
    fix: 'Look at its conditions: one is Unknown, and its message says what could not be found out.',
    confirm: ['kubectl describe aksnodeclass {nodeClass}'],
  },
  {
    name: 'machine-of-aks',
    reasons: ['ManagedByAKS', 'MachineElsewhere'],
    title: 'The machine of the claim is not ours to touch',
    symptom: 'A deletion is refused with the reason ManagedByAKS or MachineElsewhere.',
    fix: 'Machines of the AKS machine API, or of another resource group, are deleted where they were made.',
  },
];

export const ARM_ERRORS: readonly Cause[] = ROWS.map((row) => ({
  id: `azure.${row.name}`,
  layer: row.layer ?? 'cloudApi',
  specificity: 'exact',
  title: row.title,
  symptom: row.symptom ?? `A launch is refused with the reason ${row.reasons.join(' or ')}.`,
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
