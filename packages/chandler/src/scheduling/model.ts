/**
 * The input of the engine: one immutable snapshot, as plain JSON in the shapes of Kubernetes. A plan depends
 * on nothing else: the engine uses no clock, no randomness and no network. The caller (the controller, a
 * file, a test) collects the snapshot.
 */
import type {
  CSINode,
  LabelSelector,
  Labels,
  ObjectMeta,
  PersistentVolume,
  PersistentVolumeClaimSpec,
  PodSpec,
  PodStatus,
  PodTemplateSpec,
  ResourceAmounts,
  StorageClass,
  Taint,
  TopologySpreadConstraint,
} from '@chandler/kube';
import type { NodeOverlaySpec, NodePoolSpec } from '../api/index.ts';

// Names that callers still use.
export type {
  Affinity,
  Container,
  ContainerPort,
  CSINode as CsiNode,
  LabelSelector,
  NodeSelectorTerm,
  PersistentVolume,
  PersistentVolumeClaimSpec as VolumeClaimSpec,
  PodAffinity,
  PodAffinityTerm,
  PodSpec,
  ResourceRequirements,
  StorageClass,
  Toleration,
  TopologySpreadConstraint,
  Volume,
} from '@chandler/kube';

export interface SchedulingInput {
  readonly pools: readonly PoolInput[];
  /** Lists of instance types that several pools share, by a name of the caller's choice. */
  readonly catalogues?: Readonly<Record<string, readonly InstanceType[]>>;
  /** Existing and in-flight nodes, without those that are marked for deletion. */
  readonly nodes?: readonly ExistingNode[];
  /** The pods to place. */
  readonly pods: readonly Pod[];
  /** Pods that are bound to nodes (`spec.nodeName`): they use resources, ports and volumes and count for topology. */
  readonly boundPods?: readonly Pod[];
  /** Nodes that are being removed: no pod is placed on them. */
  readonly leavingNodes?: readonly ExistingNode[];
  /**
   * Pods that still exist on them, also those that are placed again by this plan. As for kube-scheduler, a group with affinity
   * to itself does not start in another domain than theirs.
   */
  readonly leavingPods?: readonly Pod[];
  readonly daemonSets?: readonly DaemonSet[];
  /** Labels of namespaces, for namespace selectors of affinity terms. */
  readonly namespaces?: readonly Namespace[];
  readonly volumes?: VolumeFacts;
  readonly overlays?: readonly Overlay[];
  /** Spread constraints of the cluster for pods that have none. */
  readonly defaultSpread?: DefaultSpread;
  /** Labels that may be undefined on a claim and still match, besides those of Karpenter's core. */
  readonly wellKnownLabels?: readonly string[];
  /** The label that carries the id of a reservation, for claims that hold one. */
  readonly reservationLabel?: string;
  /** Pods to place, as `namespace/name`, whose preferences are ignored. */
  readonly withoutPreferences?: readonly string[];
  readonly options?: Partial<SchedulingOptions>;
}

export interface SchedulingOptions {
  /** Whether preferred terms and soft spreads are considered. Default Respect. */
  readonly preferencePolicy: 'Respect' | 'Ignore';
  /**
   * How much preferences may add to the price, in percent of the price without them; beyond it they are ignored for some
   * pods, which takes up to six more plans. A negative value means no limit. It applies to `solve` and `plan`, not to
   * `solveWithout`. Default -1.
   */
  readonly maxPreferenceCost: number;
  /** Whether the plan states what preferences cost, which takes one more plan; with a limit it always does. Default false. */
  readonly statePreferenceCost: boolean;
  /** What happens when a pool's minValues cannot be met. Default Strict. */
  readonly minValuesPolicy: 'Strict' | 'BestEffort';
  /** strict: wait for reserved capacity; fallback: launch other capacity. Default fallback. */
  readonly reservedMode: 'strict' | 'fallback';
  /** Whether pods of higher priority are placed first. Default false, as upstream. */
  readonly priorityOrder: boolean;
  /** How many instance types a claim may list. Default 600. */
  readonly maxInstanceTypes: number;
  /**
   * Effort spent on a lower price after the first plan; 0 disables it. The work is limited in proportion to what it could
   * save, a fraction of a second at 1, and plans with very many kinds of pods are skipped; higher values try more variants
   * and larger plans. Default 1.
   * Use 0 for many requests on one snapshot.
   */
  readonly improveEffort: number;
  /** Whether refusals are explained in detail. Default true. */
  readonly explain: boolean;
}

export const DEFAULT_OPTIONS: SchedulingOptions = {
  preferencePolicy: 'Respect',
  maxPreferenceCost: -1,
  statePreferenceCost: false,
  minValuesPolicy: 'Strict',
  reservedMode: 'fallback',
  priorityOrder: false,
  maxInstanceTypes: 600,
  improveEffort: 1,
  explain: true,
};

/** A NodePool and what its node class offers. */
export interface PoolInput {
  readonly nodePool: PoolObject;
  /** The types themselves, or the name of a list in `catalogues`. */
  readonly instanceTypes: readonly InstanceType[] | string;
  /** The total capacity of the pool's nodes; when absent it is summed over `nodes` of this pool. */
  readonly used?: ResourceAmounts;
}

/** The parts of a NodePool that scheduling reads; a NodePool from the API fits. */
export interface PoolObject {
  readonly metadata: ObjectMeta;
  readonly spec: NodePoolSpec;
}

export interface InstanceType {
  readonly name: string;
  /** Labels of a node of this type. A single value is a label, several values are alternatives. */
  readonly requirements: readonly LabelRequirement[];
  readonly offerings: readonly Offering[];
  readonly capacity: ResourceAmounts;
  readonly overhead?: Overhead;
  /** How many volumes a node of this type can attach, by CSI driver. A driver without an entry has no known limit. */
  readonly volumeAttachmentLimits?: Readonly<Record<string, number>>;
}

export interface Overhead {
  readonly kubeReserved?: ResourceAmounts;
  readonly systemReserved?: ResourceAmounts;
  readonly evictionThreshold?: ResourceAmounts;
}

/** One offering of a type, usually a zone and a capacity type. */
export interface Offering {
  readonly requirements: readonly LabelRequirement[];
  /** Per hour, in the currency of the catalogue. */
  readonly price: number;
  /** Whether the cloud offers it, so that pods may be planned for it. Default true. */
  readonly available?: boolean;
  /**
   * Whether a launch would succeed now. An offering may be available and not launchable: a reservation that is full stays
   * available. Default: as `available`.
   */
  readonly launchable?: boolean;
  /** The cloud places it in no zone, and its zone label names none. Default false. */
  readonly regional?: boolean;
  /** For capacity type `reserved`: which reservation, and how many instances are left in it. */
  readonly reservation?: { readonly id: string; readonly capacity: number };
  /** Replaces entries of the type's capacity for this offering. */
  readonly capacityOverride?: ResourceAmounts;
  /** Replaces the type's overhead for this offering. */
  readonly overheadOverride?: Overhead;
}

export interface LabelRequirement {
  readonly key: string;
  /** In, NotIn, Exists, DoesNotExist, Gt, Lt, Gte, Lte; anything else is an input error. */
  readonly operator: string;
  readonly values?: readonly string[];
  readonly minValues?: number;
}

/** An existing or in-flight node. */
export interface ExistingNode {
  readonly name: string;
  readonly labels: Labels;
  readonly taints?: readonly Taint[];
  readonly allocatable: ResourceAmounts;
  /** Counts against the limits of its pool; default allocatable. */
  readonly capacity?: ResourceAmounts;
  /** Launched by Chandler; when absent, the node pool label decides. */
  readonly managed?: boolean;
  /** While a managed node is not initialized its startup taints and ephemeral taints are ignored. Default true. */
  readonly initialized?: boolean;
  readonly startupTaints?: readonly Taint[];
  /** Per hour; only for reports. */
  readonly price?: number;
}

/** A pod of a store, or of a file: the planner asks for no name, namespace or UID. */
export interface Pod {
  readonly metadata: ObjectMeta;
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export interface DaemonSet {
  readonly metadata: ObjectMeta;
  readonly spec: { readonly template: PodTemplateSpec };
  /** The newest pod of the DaemonSet, if any: its requests count, because admission may have changed them. */
  readonly pod?: Pod;
}

export interface Namespace {
  readonly name: string;
  readonly labels?: Labels;
}

export interface VolumeFacts {
  readonly claims?: readonly VolumeClaim[];
  readonly volumes?: readonly PersistentVolume[];
  readonly classes?: readonly StorageClass[];
  readonly csiNodes?: readonly CSINode[];
  /** Refuse pods whose claims are not ready for a new node, as the controller does before it plans. Default false. */
  readonly checkClaims?: boolean;
  /** How many volumes a new node of an instance type can attach, by driver and type name; '*' for every type. */
  readonly newNodeLimits?: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** As kept by a store, or as a file has it: without a namespace it is the default one. */
export interface VolumeClaim {
  readonly metadata: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
  readonly status?: { readonly phase?: string };
}

export interface Overlay {
  readonly metadata: ObjectMeta;
  readonly spec: NodeOverlaySpec;
}

/** Applies to pods without constraints of their own, when a selector can be deduced. */
export interface DefaultSpread {
  readonly constraints: readonly TopologySpreadConstraint[];
  /** Services, and controllers that own pods, with their selectors: the selector of a constraint combines them. */
  readonly services?: readonly {
    readonly metadata: ObjectMeta;
    readonly selector: Labels;
  }[];
  readonly controllers?: readonly {
    readonly metadata: ObjectMeta;
    readonly kind: string;
    readonly selector: LabelSelector;
  }[];
}
