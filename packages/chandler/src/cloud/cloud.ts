/**
 * What a cloud is to the rest of the product. A cloud is stepped: no call waits for a machine. `create` and `delete`
 * take one step each, from whatever they find in the cloud, and say when to call again; so a process that dies
 * between two steps loses nothing. What went wrong is a `CloudError` (errors.ts), never a text to be parsed.
 */
import type { KubeObject } from '@chandler/kube';
import type { NodeClaim, NodePool, ResourceList } from '../api/index.ts';
import type { Stage } from '../journey/index.ts';
import type { InstanceType } from '../scheduling/index.ts';

import type { BootstrapReader } from './bootstrap-outcome.ts';

export interface Cloud {
  /** The label `provider` of metrics: `azure`, `aws`. */
  readonly name: string;
  /** The node classes it serves, the default one first. */
  readonly nodeClassKinds: readonly NodeClassKind[];
  /** Labels beside those of Karpenter's core that may be undefined on a claim and still match. */
  readonly wellKnownLabels: readonly string[];
  readonly repairPolicies: readonly RepairPolicy[];
  /** What must be done before a node counts as registered. */
  readonly registrationHooks?: readonly RegistrationHook[];
  /** What new machines say about becoming a node; absent where the cloud cannot be asked. */
  readonly bootstrap?: BootstrapReader;

  /** All types of the node class, also those that cannot be bought just now; those offerings say so. */
  instanceTypes(request: InstanceTypesRequest): Promise<readonly InstanceType[]>;

  /** One step towards the machine of this claim. Safe to repeat for ever: the claim's UID decides whose a machine is. */
  create(request: LaunchRequest): Promise<LaunchStep>;

  /** One step towards no machine. Gone is an answer, not an error. */
  delete(claim: NodeClaim): Promise<DeleteStep>;

  /** Under which name the claim's machine joins. */
  nodeName(claim: NodeClaim): string;

  /** Throws `NotFound` when there is none. */
  get(providerID: string): Promise<Instance>;

  /** Every machine that is ours, also those without a claim. A list may lag behind what was created just now. */
  list(): Promise<readonly Instance[]>;

  /** Why the machine is no longer what would be launched today; undefined when it is. */
  drift(request: DriftRequest): Promise<Drift | undefined>;
}

export interface NodeClassKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
}

/** A node that shows this condition for so long is replaced. */
export interface RepairPolicy {
  readonly conditionType: string;
  readonly conditionStatus: 'True' | 'False' | 'Unknown';
  readonly tolerationMs: number;
}

export interface RegistrationHook {
  readonly name: string;
  done(claim: NodeClaim): Promise<boolean>;
}

export interface InstanceTypesRequest {
  readonly nodePool?: NodePool;
  readonly nodeClass: KubeObject;
}

export interface LaunchRequest {
  readonly claim: NodeClaim;
  readonly nodeClass: KubeObject;
  /** Absent for claims that people made by hand. */
  readonly nodePool?: NodePool;
}

/**
 * `waiting`: nothing is promised yet, call again. `launched`: the cloud has accepted the machine and it has a name;
 * while `settled` is false parts are still to come (the machine itself may yet fail), call again.
 */
export type LaunchStep =
  | {
      readonly state: 'waiting';
      readonly retryAfterMs: number;
      /** Not the cloud is slow: our own limits keep it waiting, and nothing that was asked for is under way. */
      readonly inLine?: boolean;
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

/** A machine as the cloud shows it. */
export interface Instance {
  readonly providerID: string;
  readonly name: string;
  /** UID of the claim it was launched for, where it carries one. */
  readonly claimUid?: string | undefined;
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
  readonly claim: NodeClaim;
  readonly nodeClass: KubeObject;
  readonly nodePool?: NodePool;
  readonly node?: KubeObject;
}

export interface Drift {
  /** `ImageDrift`, `NodeClassDrift`, `DiskEncryptionSetDrift` … */
  readonly reason: string;
  /** Both values: what is and what would be. */
  readonly message: string;
}
