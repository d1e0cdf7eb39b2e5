/**
 * The built-in kinds as the stand-ins read and write them: the fields they look at, as they are on the wire. Fields that
 * are not named here are carried along untouched.
 */
import * as all from '@chandler/kube';
import {
  conditionOf,
  type KubeObject,
  type Labels,
  type Node,
  type ObjectMeta,
  type OwnerReference,
  type ResourceAmounts,
  type ResourceRef,
  type StatusCondition,
} from '@chandler/kube';

export {
  conditionOf,
  type Labels,
  type Node,
  type ResourceAmounts,
  type StatusCondition,
  type Taint,
} from '@chandler/kube';

export type IntOrPercent = number | string;

export interface LabelSelector {
  readonly matchLabels?: Labels;
  readonly matchExpressions?: readonly LabelRequirement[];
}

export interface LabelRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

export interface NodeSelectorTerm {
  readonly matchExpressions?: readonly LabelRequirement[];
  readonly matchFields?: readonly LabelRequirement[];
}

export interface NodeSelector {
  readonly nodeSelectorTerms?: readonly NodeSelectorTerm[];
}

export interface PodAffinityTerm {
  readonly labelSelector?: LabelSelector;
  readonly topologyKey: string;
  readonly namespaces?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
  readonly matchLabelKeys?: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

export interface WeightedPodAffinityTerm {
  readonly weight: number;
  readonly podAffinityTerm: PodAffinityTerm;
}

export interface PodAffinity {
  readonly requiredDuringSchedulingIgnoredDuringExecution?: readonly PodAffinityTerm[];
  readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly WeightedPodAffinityTerm[];
}

export interface Affinity {
  readonly nodeAffinity?: {
    readonly requiredDuringSchedulingIgnoredDuringExecution?: NodeSelector;
    readonly preferredDuringSchedulingIgnoredDuringExecution?: readonly {
      readonly weight: number;
      readonly preference: NodeSelectorTerm;
    }[];
  };
  readonly podAffinity?: PodAffinity;
  readonly podAntiAffinity?: PodAffinity;
}

export interface Toleration {
  readonly key?: string;
  readonly operator?: string;
  readonly value?: string;
  readonly effect?: string;
  readonly tolerationSeconds?: number;
}

export interface TopologySpreadConstraint {
  readonly maxSkew: number;
  readonly topologyKey: string;
  readonly whenUnsatisfiable: string;
  readonly labelSelector?: LabelSelector;
  readonly minDomains?: number;
  readonly nodeAffinityPolicy?: string;
  readonly nodeTaintsPolicy?: string;
  readonly matchLabelKeys?: readonly string[];
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly restartPolicy?: string;
  readonly resources?: { readonly requests?: ResourceAmounts; readonly limits?: ResourceAmounts };
  readonly ports?: readonly {
    readonly containerPort?: number;
    readonly hostPort?: number;
    readonly hostIP?: string;
    readonly protocol?: string;
  }[];
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  readonly ephemeral?: { readonly volumeClaimTemplate?: { metadata?: ObjectMeta; spec: ClaimSpec } };
  readonly [source: string]: unknown;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: ResourceAmounts;
  readonly resources?: { readonly requests?: ResourceAmounts };
  readonly nodeName?: string;
  readonly nodeSelector?: Labels;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly schedulerName?: string;
  readonly priority?: number;
  readonly preemptionPolicy?: string;
  readonly volumes?: readonly Volume[];
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly [field: string]: unknown;
}

export interface PodStatus {
  phase?: string;
  conditions?: StatusCondition[];
  startTime?: string;
  podIP?: string;
  containerStatuses?: ContainerStatus[];
  initContainerStatuses?: ContainerStatus[];
  [field: string]: unknown;
}

export interface ContainerStatus {
  name: string;
  ready: boolean;
  restartCount: number;
  image: string;
  imageID: string;
  started?: boolean;
  state?: Record<string, unknown>;
  lastState?: Record<string, unknown>;
  [field: string]: unknown;
}

export interface Pod extends KubeObject {
  spec: PodSpec;
  status?: PodStatus;
}

export interface ClaimSpec {
  readonly storageClassName?: string;
  readonly volumeName?: string;
  readonly accessModes?: readonly string[];
  readonly volumeMode?: string;
  readonly selector?: LabelSelector;
  readonly resources?: { readonly requests?: ResourceAmounts };
  readonly [field: string]: unknown;
}

export interface Claim extends KubeObject {
  spec: ClaimSpec;
  status?: { phase?: string; [field: string]: unknown };
}

export interface PersistentVolume extends KubeObject {
  spec: {
    readonly capacity?: ResourceAmounts;
    readonly accessModes?: readonly string[];
    readonly storageClassName?: string;
    readonly claimRef?: { namespace?: string; name?: string; uid?: string; [field: string]: unknown };
    readonly nodeAffinity?: { readonly required?: NodeSelector };
    readonly csi?: { readonly driver: string; readonly volumeHandle: string };
    readonly persistentVolumeReclaimPolicy?: string;
    readonly [field: string]: unknown;
  };
  status?: { phase?: string };
}

export interface StorageClass extends KubeObject {
  provisioner: string;
  volumeBindingMode?: string;
  reclaimPolicy?: string;
  allowedTopologies?: readonly {
    readonly matchLabelExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
  }[];
}

export interface CsiNode extends KubeObject {
  spec: { drivers?: readonly { name: string; nodeID: string; allocatable?: { count?: number } }[] };
}

export interface VolumeAttachment extends KubeObject {
  spec: { attacher: string; nodeName: string; source: { persistentVolumeName?: string } };
  status?: { attached: boolean };
}

export interface PodTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

export interface WorkloadStatus {
  observedGeneration?: number;
  replicas?: number;
  conditions?: StatusCondition[];
  [field: string]: unknown;
}

export interface ReplicaSet extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector: LabelSelector;
    template: PodTemplate;
  };
  status?: WorkloadStatus & { readyReplicas?: number; availableReplicas?: number };
}

export interface Deployment extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector: LabelSelector;
    template: PodTemplate;
    paused?: boolean;
    revisionHistoryLimit?: number;
    progressDeadlineSeconds?: number;
    strategy?: {
      type?: string;
      rollingUpdate?: { maxSurge?: IntOrPercent; maxUnavailable?: IntOrPercent };
    };
  };
  status?: WorkloadStatus;
}

export interface StatefulSet extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    serviceName?: string;
    selector: LabelSelector;
    template: PodTemplate;
    podManagementPolicy?: string;
    ordinals?: { start?: number };
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
    volumeClaimTemplates?: readonly { metadata: ObjectMeta; spec: ClaimSpec }[];
    persistentVolumeClaimRetentionPolicy?: { whenDeleted?: string; whenScaled?: string };
  };
  status?: WorkloadStatus & { currentRevision?: string; updateRevision?: string };
}

export interface DaemonSet extends KubeObject {
  spec: {
    minReadySeconds?: number;
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: IntOrPercent; maxSurge?: IntOrPercent };
    };
  };
  status?: WorkloadStatus;
}

export interface Job extends KubeObject {
  spec: {
    parallelism?: number;
    completions?: number;
    backoffLimit?: number;
    completionMode?: string;
    activeDeadlineSeconds?: number;
    ttlSecondsAfterFinished?: number;
    suspend?: boolean;
    selector?: LabelSelector;
    template: PodTemplate;
  };
  status?: JobStatus;
}

export interface JobStatus {
  active?: number;
  ready?: number;
  succeeded?: number;
  failed?: number;
  terminating?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  uncountedTerminatedPods?: object;
  conditions?: StatusCondition[];
  [field: string]: unknown;
}

export interface DisruptionBudget extends KubeObject {
  spec: { selector?: LabelSelector; minAvailable?: IntOrPercent; maxUnavailable?: IntOrPercent };
  status?: {
    disruptedPods?: Record<string, string>;
    conditions?: StatusCondition[];
    [field: string]: unknown;
  };
}

export interface Lease extends KubeObject {
  spec: { holderIdentity?: string; leaseDurationSeconds?: number; renewTime?: string };
}

export const PODS = all.PODS as ResourceRef<Pod>;
export const NODES = all.NODES as ResourceRef<Node>;
export const NAMESPACES = all.NAMESPACES;
export const CLAIMS = all.PERSISTENT_VOLUME_CLAIMS as ResourceRef<Claim>;
export const VOLUMES = all.PERSISTENT_VOLUMES as ResourceRef<PersistentVolume>;
export const STORAGE_CLASSES = all.STORAGE_CLASSES as ResourceRef<StorageClass>;
export const CSI_NODES = all.CSI_NODES as ResourceRef<CsiNode>;
export const ATTACHMENTS = all.VOLUME_ATTACHMENTS as ResourceRef<VolumeAttachment>;
export const REPLICA_SETS = all.REPLICA_SETS as ResourceRef<ReplicaSet>;
export const DEPLOYMENTS = all.DEPLOYMENTS as ResourceRef<Deployment>;
export const STATEFUL_SETS = all.STATEFUL_SETS as ResourceRef<StatefulSet>;
export const DAEMON_SETS = all.DAEMON_SETS as ResourceRef<DaemonSet>;
export const JOBS = all.JOBS as ResourceRef<Job>;
export const BUDGETS = all.POD_DISRUPTION_BUDGETS as ResourceRef<DisruptionBudget>;
export const LEASES = all.LEASES as ResourceRef<Lease>;

export function nameOf(object: KubeObject): string {
  return object.metadata.name ?? '';
}

export function namespaceOf(object: KubeObject): string {
  return object.metadata.namespace ?? '';
}

export function labelsOf(object: KubeObject): Labels {
  return object.metadata.labels ?? NO_LABELS;
}

/** The owner that manages the object, if any. */
export function controllerOf(object: KubeObject): OwnerReference | undefined {
  return object.metadata.ownerReferences?.find((owner) => owner.controller === true);
}

export function isTerminating(object: KubeObject): boolean {
  return object.metadata.deletionTimestamp !== undefined;
}

/** Has run to its end: it takes no room any more. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

export function isReady(object: { status?: { conditions?: StatusCondition[] } }): boolean {
  return conditionOf(object, 'Ready')?.status === 'True';
}

// ---------------------------------------------------------------------------------------------------

const NO_LABELS: Labels = {};
