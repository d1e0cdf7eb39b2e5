/** Workloads of the groups apps and batch: the fields that controllers read. */
import type { NamespacedObject } from '../object.ts';
import type { StatusCondition } from './condition.ts';
import type { PersistentVolumeClaimTemplate, PodTemplateSpec } from './pod.ts';
import type { LabelSelector } from './selector.ts';

export type IntOrPercent = number | string;

export interface WorkloadStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly conditions?: readonly StatusCondition[];
  readonly [field: string]: unknown;
}

export interface ReplicaSet extends NamespacedObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
  };
  readonly status?: WorkloadStatus;
}

export interface Deployment extends NamespacedObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly paused?: boolean;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly strategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxSurge?: IntOrPercent; readonly maxUnavailable?: IntOrPercent };
    };
  };
  readonly status?: WorkloadStatus;
}

export interface StatefulSet extends NamespacedObject {
  readonly spec: {
    readonly replicas?: number;
    readonly minReadySeconds?: number;
    readonly serviceName?: string;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly podManagementPolicy?: string;
    readonly ordinals?: { readonly start?: number };
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
    readonly persistentVolumeClaimRetentionPolicy?: {
      readonly whenDeleted?: string;
      readonly whenScaled?: string;
    };
  };
  readonly status?: WorkloadStatus & { readonly currentRevision?: string; readonly updateRevision?: string };
}

/** Of a StatefulSet: the name is that of the volume, and the first part of the claim's. */
export interface VolumeClaimTemplate extends PersistentVolumeClaimTemplate {
  readonly metadata: { readonly name: string } & PersistentVolumeClaimTemplate['metadata'];
}

export interface DaemonSet extends NamespacedObject {
  readonly spec: {
    readonly minReadySeconds?: number;
    readonly selector: LabelSelector;
    readonly template: PodTemplateSpec;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly maxUnavailable?: IntOrPercent; readonly maxSurge?: IntOrPercent };
    };
  };
  readonly status?: WorkloadStatus;
}

export interface Job extends NamespacedObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly backoffLimit?: number;
    readonly completionMode?: string;
    readonly activeDeadlineSeconds?: number;
    readonly ttlSecondsAfterFinished?: number;
    readonly suspend?: boolean;
    readonly selector?: LabelSelector;
    readonly template: PodTemplateSpec;
  };
  readonly status?: JobStatus;
}

export interface JobStatus {
  readonly active?: number;
  readonly ready?: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly terminating?: number;
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly completedIndexes?: string;
  readonly uncountedTerminatedPods?: object;
  readonly conditions?: readonly StatusCondition[];
  readonly [field: string]: unknown;
}
