/**
 * What a cloud is to the rest of the product while it runs; what it brings beside (options, controllers, stages) is in
 * provider.ts. A cloud is stepped: no call waits for an instance. `create` and `delete` take one step each, from whatever
 * they find in the cloud, and say when to call again; so a process that dies between two steps loses nothing. What
 * failed is a `CloudError` (errors.ts), never a text to be parsed.
 */
import type { KubeObject, ResourceRef, Stored } from '@chandler/kube';
import type { NodeClaim, NodePool, ResourceList } from '../api/index.ts';
import type { Stage } from '../journey/index.ts';
import type { InstanceType, Overlay } from '../scheduling/index.ts';

import type { BootstrapReader } from './bootstrap-outcome.ts';

/** What is true of a cloud before anything of it runs: its provider row and the running `Cloud` both say it. */
export interface CloudTraits {
  /** The label `provider` of metrics: `azure`, `aws`. */
  readonly name: string;
  /** The node classes it serves, the default one first. */
  readonly nodeClasses: readonly NodeClassKind[];
  /** Labels beside those of Karpenter's core that may be undefined on a claim and still match. */
  readonly wellKnownLabels: readonly string[];
  /** The label with the id of the reservation that an instance runs in; absent where a cloud has none. */
  readonly reservationLabel?: string;
  /** Exactly one is the fallback, or there are none; checked at the start (repair-policy.ts). */
  readonly repairPolicies: readonly RepairPolicy[];
  readonly ownership: OwnershipRules;
  /** What people can do about an instance that cannot be terminated, by the reason of the `CloudError`. */
  readonly terminationAdvice: Readonly<Record<string, string>>;
}

/** Every call that may wait takes a signal: a stop or a lost lease ends the calls in flight. */
export interface Cloud extends CloudTraits {
  /** What must be done before a node counts as registered. */
  readonly registrationHooks?: readonly RegistrationHook[];
  /** What new machines say about becoming a node; absent where the cloud cannot be asked. */
  readonly bootstrap?: BootstrapReader;

  /** All types of the node class, also those that cannot be launched just now; those offerings say so. */
  instanceTypes(request: InstanceTypesRequest, signal: AbortSignal): Promise<readonly InstanceType[]>;

  /** One step towards the instance of this claim. Safe to repeat: the claim's UID decides which instance is its own. */
  create(request: LaunchRequest, signal: AbortSignal): Promise<LaunchStep>;

  /** One step towards no instance. Gone is an answer, not an error. */
  delete(claim: Stored<NodeClaim>, signal: AbortSignal): Promise<DeleteStep>;

  /**
   * Resolves when the cloud has accepted the reboot. The same operation id reboots once; a cloud that cannot name operations
   * may repeat it after a restart of the process, before the instance has booted.
   * @throws {CloudError} `RebootNotImplemented`, `RebootFailed` and `NotFound` are final, the rest is tried again.
   */
  reboot(claim: Stored<NodeClaim>, operationId: string, signal: AbortSignal): Promise<void>;

  /** The node name under which the claim's instance registers. */
  nodeName(claim: Stored<NodeClaim>): string;

  /** Throws `NotFound` when there is none. */
  get(providerID: string, signal: AbortSignal): Promise<Instance>;

  /** Every instance that is ours, also those without a claim. A list may lag behind what was created just now. */
  list(signal: AbortSignal): Promise<readonly Instance[]>;

  /** Why the instance is no longer what would be launched today; undefined when it is. */
  drift(request: DriftRequest, signal: AbortSignal): Promise<Drift | undefined>;
}

export interface NodeClassKind extends ResourceRef {
  /** How its objects are hashed for drift; absent where the cloud does not hash them. */
  readonly hash?: ObjectHash;
}

/** Karpenter as a service of a cloud. */
export interface ManagedKarpenter {
  /** Its name. */
  readonly service: string;
  /** Whether a NodePool is run by it. */
  owns(pool: NodePool): boolean;
}

/** A drift hash and the annotations that carry it. */
export interface ObjectHash {
  readonly hashKey: string;
  readonly versionKey: string;
  readonly version: string;
  hash(object: KubeObject): string;
}

/** Which claims and nodes are this cloud's. Another provider may share the cluster. */
export interface OwnershipRules {
  /** `azure://`: of the provider id of its nodes. */
  readonly providerIdPrefix: string;
  /** The claim's instance belongs to a service of the cloud, not to us: it is neither judged nor terminated. */
  isManagedElsewhere(claim: Pick<NodeClaim, 'metadata'>): boolean;
}

/** A node that shows this condition for `tolerationMs` is repaired. */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  /** RE2, over the whole reason of the condition. Absent: any reason. */
  readonly reasonRegex?: string;
  readonly tolerationMs: number;
  /** Bounds the drain of the repair: 0 skips it. Absent: as the claim says. */
  readonly terminationGracePeriodMs?: number;
  /** 0 to 100; of several that match the highest wins. Default 0. */
  readonly priority?: number;
  readonly action: RepairAction;
  /** Used where no other matches. Exactly one policy is, with no regex and the action `ReplaceNode`. */
  readonly fallback?: boolean;
}

export type RepairAction = 'ReplaceNode' | 'RebootNode';

export interface RegistrationHook {
  readonly name: string;
  done(claim: Stored<NodeClaim>, signal: AbortSignal): Promise<boolean>;
}

export interface InstanceTypesRequest {
  readonly nodePool?: Stored<NodePool>;
  readonly nodeClass: Stored;
}

export interface LaunchRequest {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: Stored;
  /** Absent for claims that people made by hand. */
  readonly nodePool?: Stored<NodePool>;
  /** Applied to the instance types of the pool, as the plan was (`overlaidTypes`). Absent where their gate is off. */
  readonly overlays?: readonly Overlay[];
}

/**
 * `waiting`: nothing is accepted yet, call again. `launched`: the cloud has accepted the instance and it has a name;
 * while `settled` is false parts of it are still in progress (the instance itself may yet fail), call again.
 */
export type LaunchStep =
  | {
      readonly state: 'waiting';
      readonly retryAfterMs: number;
      /** Our own rate limit delays it: the cloud has not been asked yet, and nothing is in flight. */
      readonly rateLimited?: boolean;
      readonly stages: readonly Stage[];
    }
  | {
      readonly state: 'launched';
      readonly instance: Instance;
      readonly settled: boolean;
      /** When to call again; only while not settled. */
      readonly retryAfterMs?: number;
      /** Of this step only, logged already; the caller appends them to the claim's journey. */
      readonly stages: readonly Stage[];
    };

export type DeleteStep =
  | { readonly state: 'deleting'; readonly retryAfterMs: number }
  | { readonly state: 'gone' };

/** An instance as the cloud shows it. */
export interface Instance {
  readonly providerID: string;
  readonly name: string;
  /** UID of the claim it was launched for, where it carries one. */
  readonly claimUid?: string | undefined;
  /** Of the claim it was launched for; without a record of it, the name that its own name was made from. */
  readonly claimName?: string | undefined;
  readonly nodePool?: string | undefined;
  readonly nodeClass?: string | undefined;
  readonly instanceType: string;
  readonly zone: string;
  readonly capacityType: 'on-demand' | 'spot' | 'reserved';
  readonly imageID?: string | undefined;
  readonly createdAtMs?: number | undefined;
  readonly deleting: boolean;
  /** What belongs on the claim: metadata and status fields. */
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly capacity: ResourceList;
  readonly allocatable: ResourceList;
}

export interface DriftRequest {
  readonly claim: Stored<NodeClaim>;
  readonly nodeClass: Stored;
  readonly nodePool?: Stored<NodePool>;
  readonly node?: KubeObject;
}

export interface Drift {
  /** `ImageDrift`, `NodeClassDrift`, `DiskEncryptionSetDrift` … */
  readonly reason: string;
  /** Both values: what is and what would be. */
  readonly message: string;
}
