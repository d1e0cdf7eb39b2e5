/** Pods: the fields that controllers read. Fields that are not named here are carried along untouched. */
import type { NamespacedObject, ObjectMeta } from '../object.ts';
import type { StatusCondition } from './condition.ts';
import type { Affinity, Toleration, TopologySpreadConstraint } from './pod-placement.ts';
import type { ResourceAmounts, ResourceRequirements } from './resource-amounts.ts';
import type { Labels } from './selector.ts';
import type { PersistentVolumeClaimSpec } from './storage.ts';

export interface Pod extends NamespacedObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

/** What a workload makes its pods from. */
export interface PodTemplateSpec {
  readonly metadata?: ObjectMeta;
  readonly spec: PodSpec;
}

export interface PodSpec {
  readonly containers: readonly Container[];
  readonly initContainers?: readonly Container[];
  readonly overhead?: ResourceAmounts;
  /** Pod-level resources; where set they replace the sum over containers. */
  readonly resources?: ResourceRequirements;
  readonly nodeName?: string;
  readonly nodeSelector?: Labels;
  readonly affinity?: Affinity;
  readonly tolerations?: readonly Toleration[];
  readonly topologySpreadConstraints?: readonly TopologySpreadConstraint[];
  readonly schedulingGates?: readonly { readonly name: string }[];
  readonly readinessGates?: readonly { readonly conditionType: string }[];
  readonly schedulerName?: string;
  readonly priority?: number;
  readonly priorityClassName?: string;
  readonly preemptionPolicy?: string;
  readonly volumes?: readonly Volume[];
  readonly resourceClaims?: readonly {
    readonly name: string;
    readonly resourceClaimName?: string;
    readonly resourceClaimTemplateName?: string;
  }[];
  readonly hostNetwork?: boolean;
  readonly restartPolicy?: string;
  readonly runtimeClassName?: string;
  readonly serviceAccountName?: string;
  readonly terminationGracePeriodSeconds?: number;
  readonly [field: string]: unknown;
}

export interface Container {
  readonly name: string;
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly EnvVar[];
  readonly envFrom?: readonly object[];
  readonly resources?: ResourceRequirements;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string;
  readonly ports?: readonly ContainerPort[];
  readonly startupProbe?: object;
  readonly readinessProbe?: object;
  readonly livenessProbe?: object;
}

export interface EnvVar {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: {
    readonly secretKeyRef?: { readonly name?: string; readonly key?: string };
    readonly configMapKeyRef?: { readonly name?: string; readonly key?: string };
  };
}

export interface ContainerPort {
  readonly containerPort?: number;
  readonly hostPort?: number;
  readonly hostIP?: string;
  readonly protocol?: string;
}

export interface Volume {
  readonly name: string;
  readonly persistentVolumeClaim?: { readonly claimName: string };
  /** The claim is called `<pod>-<volume>`. */
  readonly ephemeral?: { readonly volumeClaimTemplate?: PersistentVolumeClaimTemplate };
  readonly [source: string]: unknown;
}

export interface PersistentVolumeClaimTemplate {
  readonly metadata?: ObjectMeta;
  readonly spec: PersistentVolumeClaimSpec;
}

export interface PodStatus {
  readonly phase?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly nominatedNodeName?: string;
  readonly conditions?: readonly StatusCondition[];
  readonly startTime?: string;
  readonly podIP?: string;
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly imageID?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
  readonly allocatedResources?: ResourceAmounts;
  readonly resources?: ResourceRequirements;
  readonly [field: string]: unknown;
}

/** One of the three. */
export interface ContainerState {
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly running?: { readonly startedAt?: string };
  readonly terminated?: {
    readonly reason?: string;
    readonly exitCode?: number;
    readonly signal?: number;
    readonly message?: string;
    readonly startedAt?: string;
    readonly finishedAt?: string;
    readonly containerID?: string;
  };
}
