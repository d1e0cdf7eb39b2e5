/** The fields of objects that evidence is made from. Only fields that are read are listed; all are optional. */
import type { Pod, ResourceRef, Stored } from '@chandler/kube';
import type { Condition, NodeClaim, NodePool, Taint } from '../../api/index.ts';
import type { ReadObject } from '../../causes/index.ts';
import type { EnvVar } from '../../cloud/index.ts';

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
  };
}

export interface ContainerStatus {
  readonly name: string;
  readonly image?: string;
  readonly ready?: boolean;
  readonly started?: boolean;
  readonly restartCount?: number;
  readonly state?: ContainerState;
  readonly lastState?: ContainerState;
}

export interface ProbeSpec {
  readonly initialDelaySeconds?: number;
  readonly periodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly failureThreshold?: number;
  readonly terminationGracePeriodSeconds?: number;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image?: string;
  readonly startupProbe?: ProbeSpec;
  readonly readinessProbe?: ProbeSpec;
  readonly livenessProbe?: ProbeSpec;
  readonly restartPolicy?: string;
  readonly resources?: { readonly limits?: Readonly<Record<string, unknown>> };
}

export interface PodShape extends ReadObject {
  readonly spec: Stored<Pod>['spec'] & {
    readonly containers: readonly ContainerSpec[];
    readonly initContainers?: readonly ContainerSpec[];
    readonly readinessGates?: readonly { readonly conditionType: string }[];
    readonly terminationGracePeriodSeconds?: number;
    readonly hostNetwork?: boolean;
  };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly message?: string;
    readonly nominatedNodeName?: string;
    readonly conditions?: readonly Condition[];
    readonly containerStatuses?: readonly ContainerStatus[];
    readonly initContainerStatuses?: readonly ContainerStatus[];
    readonly startTime?: string;
  };
}

type PodVolume = NonNullable<PodShape['spec']['volumes']>[number];

export interface NodeShape extends ReadObject {
  readonly spec?: {
    readonly providerID?: string;
    readonly taints?: readonly Taint[];
    readonly unschedulable?: boolean;
  };
  readonly status?: {
    readonly allocatable?: Readonly<Record<string, string>>;
    readonly conditions?: readonly Condition[];
    readonly nodeInfo?: { readonly kubeletVersion?: string };
  };
}

export type ClaimShape = NodeClaim & ReadObject;
export type PoolShape = NodePool & ReadObject;

export interface DeploymentShape extends ReadObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly name: string;
          readonly image?: string;
          readonly args?: readonly string[];
          readonly env?: readonly EnvVar[];
          readonly envFrom?: readonly object[];
        }[];
      };
    };
  };
  readonly status?: { readonly readyReplicas?: number };
}

export interface LeaseShape extends ReadObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

export interface BudgetShape extends ReadObject {
  readonly spec?: {
    readonly selector?: {
      readonly matchLabels?: Readonly<Record<string, string>>;
      readonly matchExpressions?: readonly {
        readonly key: string;
        readonly operator: string;
        readonly values?: readonly string[];
      }[];
    };
  };
  readonly status?: {
    readonly disruptionsAllowed?: number;
    readonly currentHealthy?: number;
    readonly desiredHealthy?: number;
  };
}

/** Undefined for what is no time. */
export function timeMs(text: string | undefined): number | undefined {
  const ms = Date.parse(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** `shop/web-1`, or the name alone. */
export function fullName({ metadata: { namespace, name } }: ReadObject): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

/** Items of a list do not say what they are: the resource that was read does. */
export function withKind<T extends ReadObject>(
  object: T,
  { kind }: Pick<ResourceRef, 'kind'>,
): T & { readonly kind: string } {
  return { ...object, kind };
}

/** Names of the claims of its volumes. */
export function volumeClaimNames(pod: PodShape): readonly string[] {
  return (pod.spec.volumes ?? []).flatMap((volume) => claimNameOf(pod, volume) ?? []);
}

/** That of an ephemeral volume is made from both names. Undefined: it has none. */
export function claimNameOf(
  { metadata }: PodShape,
  { name, persistentVolumeClaim, ephemeral }: PodVolume,
): string | undefined {
  if (persistentVolumeClaim !== undefined) return persistentVolumeClaim.claimName;
  return ephemeral === undefined ? undefined : `${metadata.name}-${name}`;
}

/** Conditions as they are, in the shape that causes read. */
export function isInitialized(claim: ClaimShape): boolean {
  return conditionsOf(claim).some(({ type, status }) => type === 'Initialized' && status === 'True');
}

export function conditionsOf(object: ReadObject): readonly Condition[] {
  const status = object['status'] as { conditions?: unknown } | undefined;
  if (!Array.isArray(status?.conditions)) return [];
  return (status.conditions as readonly Partial<Condition>[]).flatMap((each) =>
    typeof each?.type === 'string' && typeof each.status === 'string'
      ? [{ ...each, lastTransitionTime: each.lastTransitionTime ?? '' } as Condition]
      : [],
  );
}
