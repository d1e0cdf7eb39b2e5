/** Kinds that organize a cluster: disruption budgets, priorities, configuration, leases and events. */
import type { KubeObject, NamespacedObject } from '../object.ts';
import type { StatusCondition } from './condition.ts';
import type { LabelSelector, Labels } from './selector.ts';
import type { IntOrPercent } from './workloads.ts';

export interface PodDisruptionBudget extends NamespacedObject {
  readonly spec?: {
    readonly selector?: LabelSelector;
    readonly minAvailable?: IntOrPercent;
    readonly maxUnavailable?: IntOrPercent;
    readonly unhealthyPodEvictionPolicy?: string;
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
    readonly disruptedPods?: Readonly<Record<string, string>>;
    readonly conditions?: readonly StatusCondition[];
    readonly [field: string]: unknown;
  };
}

export interface PriorityClass extends KubeObject {
  readonly value: number;
  readonly globalDefault?: boolean;
  readonly preemptionPolicy?: string;
}

export interface Service extends NamespacedObject {
  readonly spec?: {
    readonly selector?: Labels;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly [field: string]: unknown;
  };
}

export interface ConfigMap extends NamespacedObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Values are base64. */
export interface Secret extends NamespacedObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

export interface Lease extends NamespacedObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
}

/** An Event of the core group. */
export interface CoreEvent extends NamespacedObject {
  readonly involvedObject: ObjectReference;
  /** Normal or Warning. */
  readonly type?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string; readonly host?: string };
  readonly reportingComponent?: string;
  readonly reportingInstance?: string;
  readonly firstTimestamp?: string;
  readonly lastTimestamp?: string;
  readonly count?: number;
}

export interface ObjectReference {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly fieldPath?: string;
}
