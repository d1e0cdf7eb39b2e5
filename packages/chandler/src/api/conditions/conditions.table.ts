/**
 * Every condition of every kind: whether `Ready` depends on it, the reasons it may carry, and the moves
 * it may make from one write to the next. docs/conditions.md is made from this.
 */

export type ConditionedKind =
  | 'NodePool'
  | 'NodeClaim'
  | 'NodeOverlay'
  | 'CapacityBuffer'
  | 'AKSNodeClass'
  | 'EC2NodeClass';

export type ConditionState = 'True' | 'False' | 'Unknown' | 'absent';
export type ConditionMove = `${ConditionState}>${ConditionState}`;

export interface ConditionRow {
  readonly type: string;
  /** Whether the root depends on it. A dependent is never absent once a controller has seen the object. */
  readonly dependent: boolean;
  readonly meaning: string;
  /** The reasons a controller gives, by status. */
  readonly reasons: { readonly [status in Exclude<ConditionState, 'absent'>]?: readonly string[] };
  /** Where a reason may also come from someone else, and from whom. */
  readonly borrowed?: { readonly [status in Exclude<ConditionState, 'absent'>]?: string };
  readonly moves: readonly ConditionMove[];
}

export interface ConditionTable {
  readonly root: string | undefined;
  readonly rows: readonly ConditionRow[];
}

/** Starts Unknown and then follows what is found, for as long as the object lives. */
const FOLLOWS: readonly ConditionMove[] = ['Unknown>True', 'Unknown>False', 'True>False', 'False>True'];
/** May also fall back to Unknown, because the spec changed or an input is not known. */
const MAY_BE_ASKED_AGAIN: readonly ConditionMove[] = [...FOLLOWS, 'True>Unknown', 'False>Unknown'];
/** There or not there. */
const FLAG: readonly ConditionMove[] = ['absent>True', 'True>absent'];
/** Not there while there is nothing to look at; else what was seen last. */
const APPEARS_AND_FOLLOWS: readonly ConditionMove[] = [
  'absent>True',
  'absent>False',
  'absent>Unknown',
  ...MAY_BE_ASKED_AGAIN,
  'True>absent',
  'False>absent',
  'Unknown>absent',
];

const AWAITING = 'AwaitingReconciliation';
/** The controller failed because of a bug, so nothing is known. */
const PROGRAM_ERROR = 'ProgramError';

const ready: ConditionRow = {
  type: 'Ready',
  dependent: false,
  meaning:
    'Summarizes the conditions that it depends on: True if all of them are True for the current generation.',
  reasons: { True: ['Ready'], False: ['UnhealthyDependents'], Unknown: ['ReconcilingDependents', AWAITING] },
  moves: MAY_BE_ASKED_AGAIN,
};

const nodePool: ConditionTable = {
  root: 'Ready',
  rows: [
    ready,
    {
      type: 'ValidationSucceeded',
      dependent: true,
      meaning:
        'The template is valid beyond what the schema of the CRD validates, and the API server accepts its NodeClaims.',
      reasons: {
        True: ['ValidationSucceeded'],
        False: ['NodePoolValidationFailed', 'NodeClaimRefused'],
        Unknown: [AWAITING],
      },
      moves: FOLLOWS,
    },
    {
      type: 'NodeClassReady',
      dependent: true,
      meaning: 'The node class that the template references exists and is Ready.',
      reasons: {
        True: ['NodeClassReady'],
        False: ['NodeClassNotFound', 'NodeClassTerminating', 'NodeClassReadinessUnknown'],
        Unknown: [AWAITING],
      },
      borrowed: { False: 'the reason of the node class' },
      moves: FOLLOWS,
    },
    {
      type: 'NodeRegistrationHealthy',
      dependent: false,
      meaning:
        'Recent NodeClaims of the NodePool launched and registered. It becomes Unknown when the NodePool or the node class changes.',
      reasons: { True: ['NodeRegistrationHealthy'], False: ['RegistrationFailed'], Unknown: [AWAITING] },
      borrowed: { False: 'the reason of the failed launch' },
      moves: ['absent>Unknown', 'absent>True', 'absent>False', ...MAY_BE_ASKED_AGAIN],
    },
    {
      type: 'DisruptionSettingsInvalid',
      dependent: false,
      meaning:
        'Only set by Chandler: a budget or an annotation for disruption cannot be read. The message names field and value. No node of the NodePool is disrupted meanwhile.',
      reasons: { True: ['InvalidValue'] },
      moves: FLAG,
    },
    {
      type: 'DisruptionFrozen',
      dependent: false,
      meaning:
        'Only set by Chandler: an annotation, or the ConfigMap chandler-freeze, has stopped the disruption of the NodePool. The message says until when, by whom and why.',
      reasons: { True: ['Frozen'] },
      moves: FLAG,
    },
  ],
};

const nodeClaim: ConditionTable = {
  root: 'Ready',
  rows: [
    ready,
    {
      type: 'Launched',
      dependent: true,
      meaning:
        'The instance was created. After a failure it stays Unknown, with the reason of the failure; the launch timeout continues.',
      reasons: { True: ['Launched'], Unknown: [AWAITING, 'LaunchFailed'] },
      borrowed: { Unknown: 'the reason of the cloud provider' },
      moves: ['Unknown>True'],
    },
    {
      type: 'Registered',
      dependent: true,
      meaning: 'The instance registered as exactly one Node.',
      reasons: {
        True: ['Registered'],
        False: ['MultipleNodesFound'],
        Unknown: [AWAITING, 'NodeNotFound', 'RegistrationHookPending'],
      },
      moves: ['Unknown>True', 'Unknown>False'],
    },
    {
      type: 'Initialized',
      dependent: true,
      meaning: 'The Node is Ready, its startup taints are removed and its resources are registered.',
      reasons: {
        True: ['Initialized'],
        Unknown: [
          AWAITING,
          'NodeNotFound',
          'NodeNotReady',
          'StartupTaintsExist',
          'KnownEphemeralTaintsExist',
          'ResourceNotRegistered',
          'DRADriverPoolsNotPublished',
          'Rebooting',
        ],
      },
      moves: ['Unknown>True', 'True>Unknown'],
    },
    {
      type: 'CSEProvisioned',
      dependent: false,
      meaning:
        'Only set by Chandler on AKS: the result of the bootstrap of the node, from the custom script extension or the serial log. True when it succeeded, at the latest when the node registers. NodeClaims that registered before do not have it.',
      reasons: { True: ['CSEProvisioned'], False: ['CSEFailed'], Unknown: ['CSEPending'] },
      moves: ['absent>Unknown', 'absent>True', 'absent>False', 'Unknown>True', 'Unknown>False'],
    },
    {
      type: 'Consolidatable',
      dependent: false,
      meaning: 'No pod was added to or removed from the node for `consolidateAfter`.',
      reasons: { True: ['Consolidatable'] },
      moves: FLAG,
    },
    {
      type: 'Drifted',
      dependent: false,
      meaning: 'The node no longer matches its NodePool or node class.',
      reasons: { True: ['NodePoolDrifted', 'RequirementsDrifted', 'InstanceTypeNotFound'] },
      borrowed: { True: 'the reason of the cloud provider' },
      moves: FLAG,
    },
    {
      type: 'DisruptionReason',
      dependent: false,
      meaning: 'A disruption command that includes this node is running.',
      reasons: { True: ['Drifted', 'Empty', 'Underutilized', 'Unhealthy'] },
      moves: FLAG,
    },
    {
      type: 'Rebooting',
      dependent: false,
      meaning:
        'The instance is rebooted in place: the reboot is requested and the node drained, then the cloud provider has accepted it. False when the node is back, or when the request was invalid.',
      reasons: { True: ['RebootRequested', 'RebootIssued'], False: ['RebootSucceeded', 'RebootFailed'] },
      moves: ['absent>True', 'True>False', 'False>True'],
    },
    {
      type: 'Drained',
      dependent: false,
      meaning: 'The node is drained.',
      reasons: { True: ['Drained'], Unknown: ['Draining'] },
      moves: ['absent>Unknown', 'Unknown>True'],
    },
    {
      type: 'VolumesDetached',
      dependent: false,
      meaning: 'All volumes are detached. False if the grace period ended before.',
      reasons: {
        True: ['VolumesDetached'],
        False: ['TerminationGracePeriodElapsed'],
        Unknown: ['AwaitingVolumeDetachment'],
      },
      moves: [
        'absent>Unknown',
        'absent>True',
        'absent>False',
        'Unknown>True',
        'Unknown>False',
        'False>True',
        'True>Unknown',
        'True>False',
      ],
    },
    {
      type: 'InstanceTerminating',
      dependent: false,
      meaning: 'The cloud provider accepted the deletion of the instance.',
      reasons: { True: ['InstanceTerminating'] },
      moves: ['absent>True'],
    },
    {
      type: 'ConsistentStateFound',
      dependent: false,
      meaning: 'The Node and the NodeClaim agree about the instance.',
      reasons: { True: ['ConsistentStateFound'], False: ['ConsistencyCheckFailed'] },
      moves: ['absent>True', 'absent>False', 'True>False', 'False>True'],
    },
  ],
};

const nodeOverlay: ConditionTable = {
  root: 'Ready',
  rows: [
    ready,
    {
      type: 'ValidationSucceeded',
      dependent: true,
      meaning: 'The overlay is valid and does not conflict with another overlay of the same weight.',
      reasons: {
        True: ['ValidationSucceeded'],
        False: ['RuntimeValidation', 'Conflict'],
        Unknown: [AWAITING],
      },
      moves: FOLLOWS,
    },
  ],
};

const capacityBuffer: ConditionTable = {
  root: undefined,
  rows: [
    {
      type: 'ReadyForProvisioning',
      dependent: false,
      meaning: 'The pod template and the number of replicas are known.',
      reasons: {
        True: ['Resolved'],
        False: ['ScalableRefNotFound', 'PodTemplateNotFound', 'ResolutionFailed'],
      },
      moves: ['absent>True', 'absent>False', 'True>False', 'False>True'],
    },
    {
      type: 'Provisioning',
      dependent: false,
      meaning: 'The capacity of the buffer is available on existing nodes.',
      reasons: {
        True: ['FitsExistingCapacity'],
        False: ['RequiresNewCapacity', 'NotReadyForProvisioning', 'BufferEmpty'],
      },
      moves: ['absent>True', 'absent>False', 'True>False', 'False>True'],
    },
    {
      type: 'LimitedByQuotas',
      dependent: false,
      meaning: 'Declared by the API and not set by the controller.',
      reasons: {},
      moves: [],
    },
  ],
};

/** A dependent of a node class: True under its own name, False for the reasons listed. */
function aspect(type: string, meaning: string, ...failures: string[]): ConditionRow {
  return {
    type,
    dependent: true,
    meaning,
    reasons: {
      True: [type],
      ...(failures.length > 0 ? { False: failures } : {}),
      Unknown: [AWAITING, PROGRAM_ERROR],
    },
    moves: failures.length > 0 ? MAY_BE_ASKED_AGAIN : ['Unknown>True', 'True>Unknown'],
  };
}

/** What is proven to make every launch with a disk encryption set fail; docs/disk-encryption.md has the cures. */
const DISK_ENCRYPTION_PROOFS = [
  'DiskEncryptionSetMalformed',
  'DiskEncryptionSetSubscriptionUnreachable',
  'DiskEncryptionSetWrongSubscription',
  'DiskEncryptionSetRBACMissing',
  'DiskEncryptionSetNotFound',
  'DiskEncryptionSetWrongRegion',
  'DiskEncryptionSetFailed',
  'DiskEncryptionSetTypeUnsupported',
  'KeyVaultUnreachable',
  'KeyVaultAccessMissing',
  'KeyDeleted',
  'KeyDisabled',
  'KeyExpired',
  'KeyNotYetValid',
];

const aksNodeClass: ConditionTable = {
  root: 'Ready',
  rows: [
    { ...ready, reasons: { ...ready.reasons, False: ['UnhealthyDependents', 'NodeClassTerminating'] } },
    aspect(
      'ImagesReady',
      'Node images for the image family and Kubernetes version were found.',
      'SIGRequiredForFIPS',
      'ImagesNotFound',
      'KubernetesUpgrade',
    ),
    {
      ...aspect(
        'KubernetesVersionReady',
        'The Kubernetes version for new nodes is known; the reason `KubernetesVersionOption` says that the option decides it.',
      ),
      reasons: {
        True: ['KubernetesVersionReady', 'KubernetesVersionOption'],
        Unknown: [AWAITING, PROGRAM_ERROR],
      },
    },
    aspect(
      'SubnetsReady',
      'The subnet exists and can be used.',
      'SubnetNotFound',
      'SubnetIDInvalid',
      'SubnetUnknownError',
    ),
    aspect(
      'ValidationSucceeded',
      'No known problem makes every launch fail: the disk encryption set and its key are usable, and all fields of the spec are supported.',
      ...DISK_ENCRYPTION_PROOFS,
      'UnsupportedFields',
    ),
    aspect(
      'LocalDNSReady',
      'The controller has determined whether nodes run LocalDNS.',
      'CheckingClusterRequirementsFailed',
    ),
    {
      type: 'DiskEncryptionVerified',
      dependent: false,
      meaning:
        'Only set by Chandler: whether the disk encryption set, its key and its vault are verified. If Unknown, the message names the missing permission, and launches continue. Absent if no disk encryption set is used.',
      reasons: {
        True: ['DiskEncryptionVerified'],
        False: DISK_ENCRYPTION_PROOFS,
        Unknown: [
          'ManagedClusterUnreadable',
          'DiskEncryptionSetUnreadable',
          'DiskEncryptionSetNotReady',
          'KeyRotationFailing',
          'KeyNotReadable',
          'KeyVaultNotReadable',
          'KeyVaultAccessNotReadable',
          PROGRAM_ERROR,
        ],
      },
      moves: APPEARS_AND_FOLLOWS,
    },
  ],
};

/** Of a condition about what AWS says: while it does not answer, what is not known to be True is Unknown. */
function resolved(type: string, meaning: string, ...failures: readonly string[]): ConditionRow {
  const row = aspect(type, meaning, ...failures);
  return { ...row, reasons: { ...row.reasons, Unknown: [AWAITING, PROGRAM_ERROR, 'ResolutionFailed'] } };
}

const ec2NodeClass: ConditionTable = {
  root: 'Ready',
  rows: [
    { ...ready, reasons: { ...ready.reasons, False: ['UnhealthyDependents', 'NodeClassTerminating'] } },
    resolved(
      'AMIsReady',
      'The selector matches images.',
      'AMINotFound',
      'UnsupportedAlias',
      'InvalidAlias',
      'UnsupportedArchitecture',
    ),
    resolved('SubnetsReady', 'The selector matches subnets.', 'SubnetsNotFound'),
    resolved(
      'SecurityGroupsReady',
      'The selector matches security groups, and not more than an interface can have.',
      'SecurityGroupsNotFound',
      'TooManySecurityGroups',
    ),
    {
      ...aspect(
        'InstanceProfileReady',
        'The instance profile has a valid name, or exists for the role.',
        'RoleInvalid',
        'RoleNotFound',
        'InstanceProfileInvalid',
        'InstanceProfileNameTaken',
        'InstanceProfileQuotaExceeded',
      ),
      reasons: {
        True: ['InstanceProfileReady'],
        False: [
          'RoleInvalid',
          'RoleNotFound',
          'InstanceProfileInvalid',
          'InstanceProfileNameTaken',
          'InstanceProfileQuotaExceeded',
        ],
        Unknown: [AWAITING, PROGRAM_ERROR, 'ResolutionFailed', 'InstanceProfilePropagating'],
      },
    },
    {
      type: 'ValidationSucceeded',
      dependent: true,
      meaning:
        'The node class is valid and passed a dry run against EC2. A message beside True is a warning.',
      reasons: {
        True: ['ValidationSucceeded'],
        False: [
          'ClusterCIDRResolutionFailed',
          'InvalidKubeletConfiguration',
          'KubeletExpressionsDisabled',
          'KubeletExpressionInvalid',
          'KubeletExpressionEvaluationFailed',
          'UnsupportedKubeletConfiguration',
          'DependenciesNotReady',
          'TagValidationFailed',
          'SecurityGroupSubnetVPCMismatch',
          'InvalidUserData',
          'CreateLaunchTemplateAuthCheckFailed',
          'CreateFleetAuthCheckFailed',
          'RunInstancesAuthCheckFailed',
          'UserDataSizeLimitExceeded',
          'InstanceProfileNotFound',
        ],
        Unknown: [AWAITING, PROGRAM_ERROR, 'DependenciesNotReady', 'ResolutionFailed', 'DryRunFailed'],
      },
      moves: MAY_BE_ASKED_AGAIN,
    },
    aspect(
      'PlacementGroupReady',
      'The placement group exists, or none is configured.',
      'PlacementGroupResolutionFailed',
      'PlacementGroupNotFound',
    ),
    resolved(
      'CapacityReservationsReady',
      'Capacity reservations were resolved. Ready depends on it while the feature gate is enabled.',
    ),
  ],
};

export const CONDITIONS: { readonly [kind in ConditionedKind]: ConditionTable } = {
  NodePool: nodePool,
  NodeClaim: nodeClaim,
  NodeOverlay: nodeOverlay,
  CapacityBuffer: capacityBuffer,
  AKSNodeClass: aksNodeClass,
  EC2NodeClass: ec2NodeClass,
};
