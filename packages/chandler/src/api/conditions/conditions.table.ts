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

const ready: ConditionRow = {
  type: 'Ready',
  dependent: false,
  meaning:
    'Follows from the conditions that are part of it: True when all of them are, at the current generation.',
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
      meaning: 'The template passes the checks that the schema cannot make.',
      reasons: { True: ['ValidationSucceeded'], False: ['NodePoolValidationFailed'], Unknown: [AWAITING] },
      moves: FOLLOWS,
    },
    {
      type: 'NodeClassReady',
      dependent: true,
      meaning: 'The node class named by the template exists and is Ready.',
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
        'Recent claims of the pool launched and registered. Unknown again when pool or node class change.',
      reasons: { True: ['NodeRegistrationHealthy'], False: ['RegistrationFailed'], Unknown: [AWAITING] },
      borrowed: { False: 'the reason of the failed launch' },
      moves: ['absent>Unknown', 'absent>True', 'absent>False', ...MAY_BE_ASKED_AGAIN],
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
        'The machine was created. A failure keeps it Unknown, with the reason; the time limit counts on.',
      reasons: { True: ['Launched'], Unknown: [AWAITING, 'LaunchFailed'] },
      borrowed: { Unknown: 'the reason of the cloud' },
      moves: ['Unknown>True'],
    },
    {
      type: 'Registered',
      dependent: true,
      meaning: 'The machine joined the cluster as exactly one node.',
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
      meaning: 'The node is Ready, its startup taints are gone and its resources are there.',
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
        ],
      },
      moves: ['Unknown>True'],
    },
    {
      type: 'CSEProvisioned',
      dependent: false,
      meaning:
        'Chandler only, on AKS: how the bootstrap of the node went, as the custom script extension or the console says. True when it succeeded, at the latest when the node registers; claims that had registered before get none.',
      reasons: { True: ['CSEProvisioned'], False: ['CSEFailed'], Unknown: ['CSEPending'] },
      moves: ['absent>Unknown', 'absent>True', 'absent>False', 'Unknown>True', 'Unknown>False'],
    },
    {
      type: 'Consolidatable',
      dependent: false,
      meaning: 'Nothing happened on the node for `consolidateAfter`.',
      reasons: { True: ['Consolidatable'] },
      moves: FLAG,
    },
    {
      type: 'Drifted',
      dependent: false,
      meaning: 'The node is no longer what its pool or node class ask for.',
      reasons: { True: ['NodePoolDrifted', 'RequirementsDrifted', 'InstanceTypeNotFound'] },
      borrowed: { True: 'the reason of the cloud' },
      moves: FLAG,
    },
    {
      type: 'DisruptionReason',
      dependent: false,
      meaning: 'A disruption command that includes this node is running.',
      reasons: { True: ['Drifted', 'Empty', 'Underutilized'] },
      moves: FLAG,
    },
    {
      type: 'Drained',
      dependent: false,
      meaning: 'The pods that had to leave the node have left.',
      reasons: { True: ['Drained'], Unknown: ['Draining'] },
      moves: ['absent>Unknown', 'Unknown>True'],
    },
    {
      type: 'VolumesDetached',
      dependent: false,
      meaning: 'No volume is attached any more; False when the grace period ended before.',
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
      meaning: 'The cloud accepted the deletion of the machine.',
      reasons: { True: ['InstanceTerminating'] },
      moves: ['absent>True'],
    },
    {
      type: 'ConsistentStateFound',
      dependent: false,
      meaning: 'Node and claim say the same about the machine.',
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
      meaning: 'The overlay is sound and no other of the same weight changes the same thing.',
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
      meaning: 'The buffer fits on nodes that are there.',
      reasons: {
        True: ['FitsExistingCapacity'],
        False: ['RequiresNewCapacity', 'NotReadyForProvisioning', 'BufferEmpty'],
      },
      moves: ['absent>True', 'absent>False', 'True>False', 'False>True'],
    },
    {
      type: 'LimitedByQuotas',
      dependent: false,
      meaning: 'Declared by the API, set by nobody.',
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
    reasons: { True: [type], ...(failures.length > 0 ? { False: failures } : {}), Unknown: [AWAITING] },
    moves: failures.length > 0 ? FOLLOWS : ['Unknown>True'],
  };
}

/** What is proven to make every launch with a disk encryption set fail; docs/disk-encryption.md has the cures. */
const DISK_ENCRYPTION_PROOFS = [
  'DiskEncryptionSetMalformed',
  'DiskEncryptionSetSubscriptionUnreachable',
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
    ready,
    aspect(
      'ImagesReady',
      'Node images for the image family and Kubernetes version were found.',
      'SIGRequiredForFIPS',
      'ImagesNotFound',
      'KubernetesUpgrade',
    ),
    aspect('KubernetesVersionReady', 'The Kubernetes version for new nodes is known.'),
    aspect(
      'SubnetsReady',
      'The subnet exists and can be used.',
      'SubnetNotFound',
      'SubnetIDInvalid',
      'SubnetUnknownError',
    ),
    aspect(
      'ValidationSucceeded',
      'Nothing is known that would make every launch fail: the disk encryption set and its key can be used, and no field asks for what cannot be done.',
      ...DISK_ENCRYPTION_PROOFS,
      'UnsupportedFields',
    ),
    aspect(
      'LocalDNSReady',
      'It is decided whether nodes run a local DNS.',
      'CheckingClusterRequirementsFailed',
    ),
    {
      type: 'DiskEncryptionVerified',
      dependent: false,
      meaning:
        'Chandler only: what can be seen of the disk encryption set, its key and its vault. Unknown names the permission that is missing; it never stops a launch. Absent when no set is used, as far as one can tell.',
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
        ],
      },
      moves: APPEARS_AND_FOLLOWS,
    },
  ],
};

const ec2NodeClass: ConditionTable = {
  root: 'Ready',
  rows: [
    ready,
    aspect('AMIsReady', 'The selector found machine images.', 'AMINotFound', 'UnsupportedAlias'),
    aspect('SubnetsReady', 'The selector found subnets.', 'SubnetsNotFound'),
    aspect('SecurityGroupsReady', 'The selector found security groups.', 'SecurityGroupsNotFound'),
    aspect('InstanceProfileReady', 'The instance profile is there, or was made from the role.'),
    {
      type: 'ValidationSucceeded',
      dependent: true,
      meaning: 'The class was tried against EC2 without starting anything.',
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
          'CreateLaunchTemplateAuthCheckFailed',
          'CreateFleetAuthCheckFailed',
          'RunInstancesAuthCheckFailed',
          'UserDataSizeLimitExceeded',
          'InstanceProfileNotFound',
        ],
        Unknown: [AWAITING, 'DependenciesNotReady'],
      },
      moves: MAY_BE_ASKED_AGAIN,
    },
    aspect(
      'PlacementGroupReady',
      'The placement group was found, or none is asked for.',
      'PlacementGroupResolutionFailed',
      'PlacementGroupNotFound',
    ),
    aspect(
      'CapacityReservationsReady',
      'Capacity reservations were looked up. Part of Ready while the gate is on.',
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
