/**
 * What can be known about a pod, a claim, a node or a NodePool, as a closed set of records. They are read from a live
 * cluster, from a cloud or from a dump; causes are recognised from them and from nothing else. A record holds facts as
 * they were read, and says where and when. What could not be read is a record of its own kind (`Unread`).
 */
import type { Condition, Taint } from '../api/index.ts';
import type { CloudErrorEvidence } from './cloud-error-evidence.ts';
import type { CloudResourceEvidence } from './cloud-resource.ts';
import type { ContainerEvidence, PreemptedPod, VolumeHolderEvidence } from './container-evidence.ts';
import type { DrainEvidence } from './drain-evidence.ts';
import type { MissingNodes, PoolNodes } from './pool-nodes.ts';
import type { Read } from './reading.ts';
import type { TokenEvidence } from './token-evidence.ts';
import type { WorkloadEvidence } from './workload-evidence.ts';

export type { CloudErrorEvidence } from './cloud-error-evidence.ts';
export type { CloudResourceEvidence } from './cloud-resource.ts';
export type { ContainerEnd, ContainerEvidence, PreemptedPod } from './container-evidence.ts';
export type { Reading } from './reading.ts';
export type { TokenEvidence } from './token-evidence.ts';
export type { CronJobRuns, WorkloadEvidence } from './workload-evidence.ts';

export type Evidence =
  | QuestionEvidence
  | ControllerEvidence
  | OptionsEvidence
  | ValueEvidence
  | ClusterEvidence
  | TokenEvidence
  | NodeClassEvidence
  | NodePoolEvidence
  | NodeClaimEvidence
  | JourneyEvidence
  | CloudErrorEvidence
  | VmEvidence
  | CloudResourceEvidence
  | ExtensionEvidence
  | SerialLogEvidence
  | NodeEvidence
  | PlanEvidence
  | PodEvidence
  | WorkloadEvidence
  | ContainerLogEvidence
  | ServiceEvidence
  | BudgetEvidence
  | DrainEvidence
  | VolumeHolderEvidence
  | EventsEvidence;

export type EvidenceKind = Evidence['kind'];

/** The record of a kind. */
export type EvidenceOf<K extends EvidenceKind> = Extract<Evidence, { readonly kind: K }>;

/** What could not be read. */
export interface Unread {
  readonly kind: EvidenceKind;
  readonly what: string;
  readonly why:
    | 'forbidden'
    | 'notFound'
    | 'unreachable'
    | 'notConfigured'
    | 'notAsked'
    /** Who was asked does not show it: it may be seen by others, or not exist. */
    | 'notShown'
    | 'notInDump'
    | 'tooLarge';
  /** `get nodeclaims.karpenter.sh`, `Microsoft.Compute/virtualMachines/extensions/read`: what would help. */
  readonly permission?: string;
  readonly message?: string;
}

/** What the question says beyond the name of an object. */
export interface QuestionEvidence extends Read {
  readonly kind: 'question';
  /** `pod/shop/web-1`. */
  readonly subject: string;
  /** Disks of nodes are meant to be encrypted with a customer-managed key. */
  readonly expectsCustomerKey: boolean;
}

/** The Lease of the controller cannot be read, is not used, or expired so lately that a wrong clock may be the reason. */
export const LEADER_NOT_KNOWN = 'not known';

/** The controller itself, as its Deployment and Lease show it. */
export interface ControllerEvidence extends Read {
  readonly kind: 'controller';
  /** `kube-system/karpenter`. Undefined: none is visible. */
  readonly deployment: string | undefined;
  readonly replicas: { readonly wanted: number; readonly ready: number };
  /** Undefined: there is no Lease, or no replica renews it. `LEADER_NOT_KNOWN` where that cannot be said. */
  readonly leader: string | undefined;
  /** Why a replica does not run: the waiting reason of its container, and its last message. */
  readonly stopped: { readonly reason: string; readonly message: string } | undefined;
  /** `managed`: the cloud runs it as an add-on, and its environment cannot be set. */
  readonly hosting: 'selfHosted' | 'managed';
  readonly version: string | undefined;
}

/** A value with its source: the name of `Sourced` in settings, as it is printed. */
export interface OptionValue {
  readonly value: string;
  /** hardcoded, flag, env, settings, NodePool, NodeClass, cluster, computed. */
  readonly source: string;
  readonly path: string;
}

export interface OptionsEvidence extends Read {
  readonly kind: 'options';
  /** By option name: `nodeOsdiskDiskencryptionsetId`. Secrets are not in here. */
  readonly values: Readonly<Record<string, OptionValue>>;
  /** Options that were refused at the start. */
  readonly problems: readonly { readonly option: string; readonly problem: string }[];
}

/** One look at a value at one station of its path. */
export interface Sighting {
  /** As the path of the value names it: `launchTemplate`. */
  readonly station: string;
  /** Empty: seen to be absent. A station that was not read has no sighting. */
  readonly value: string;
  readonly source?: string;
  /** `launch record of default-x7k2p`, `Azure`. */
  readonly seenIn: string;
  readonly atMs?: number;
}

/** Where one value was seen. The cloud that owns the value says which stations its path has. */
export interface ValueEvidence extends Read {
  readonly kind: 'value';
  /** `diskEncryptionSet`. */
  readonly name: string;
  readonly claim: string;
  /** In the order of the path. */
  readonly sightings: readonly Sighting[];
}

/** The managed cluster as the cloud shows it. */
export interface ClusterEvidence extends Read {
  readonly kind: 'cluster';
  /** `properties.diskEncryptionSetID`; undefined: it has none. */
  readonly diskEncryptionSetId: string | undefined;
  readonly privateCluster: boolean | undefined;
  readonly authorizedIpRanges: readonly string[];
  readonly apiServerHost: string | undefined;
  readonly powerState: string | undefined;
}

export interface NodeClassEvidence extends Read {
  readonly kind: 'nodeClass';
  readonly objectKind: string;
  readonly name: string;
  /** It is referenced, and the object does not exist. */
  readonly found: boolean;
  readonly deleting: boolean;
  readonly generation: number | undefined;
  readonly conditions: readonly Condition[];
  /** `status.diskEncryptionSet`. */
  readonly diskEncryptionSet: { readonly id: string; readonly source: string } | undefined;
  /** What was found out about the set, in the order of the message; `witness` is the source. */
  readonly findings: readonly {
    readonly reason: string;
    readonly witness: 'set' | 'rotation' | 'launch' | 'vault' | 'unknown';
    readonly message: string;
  }[];
}

export interface NodePoolEvidence extends Read {
  readonly kind: 'nodePool';
  readonly name: string;
  readonly deleting: boolean;
  readonly nodeClass: { readonly kind: string; readonly name: string };
  readonly conditions: readonly Condition[];
  readonly limits: Readonly<Record<string, string>>;
  readonly used: Readonly<Record<string, string>>;
  /** Launches are held back after failures. */
  readonly heldBack: { readonly reason: string; readonly untilMs: number } | undefined;
  /** How many of its NodeClaims are not Initialized; missing where the NodePool is not the question. */
  readonly unfinishedClaims?: number;
  /** Missing where the NodePool is not the question. */
  readonly nodes?: PoolNodes;
  /** Why it is not known whether pods are pending for it: `pods could not be read`. Missing: it is known, or not asked. */
  readonly unknownPods?: readonly string[];
}

export interface NodeClaimEvidence extends Read {
  readonly kind: 'nodeClaim';
  readonly name: string;
  readonly nodePool: string;
  readonly nodeClass: string;
  readonly createdAtMs: number;
  readonly deletingSinceMs: number | undefined;
  readonly providerId: string | undefined;
  readonly nodeName: string | undefined;
  readonly imageId: string | undefined;
  readonly conditions: readonly Condition[];
  readonly taints: readonly Taint[];
  /** Those of `taints` that something on the node is to remove. */
  readonly startupTaints?: readonly Taint[];
  /** `spec.terminationGracePeriod`: after it, pods are deleted whatever protects them. */
  readonly terminationGracePeriod?: string | undefined;
  /** `chandler.sh/disk-encryption-set`; `none` for the platform's key. */
  readonly recordedDiskEncryptionSet: string | undefined;
}

/** The stages of a claim, read from its journey. */
export interface JourneyEvidence extends Read {
  readonly kind: 'journey';
  readonly claim: string;
  readonly stages: readonly JourneyStage[];
  /** What the bootstrap script printed last, if it failed and its instance is gone. */
  readonly bootstrapLog?: string | undefined;
}

export interface JourneyStage {
  readonly name: string;
  readonly atMs: number;
  readonly outcome: 'ok' | 'waiting' | 'failed';
  readonly facts?: Readonly<
    Record<string, string | number | boolean | { readonly value: string; readonly source: string }>
  >;
  readonly message?: string;
}

export interface VmEvidence extends Read {
  readonly kind: 'vm';
  readonly name: string;
  readonly claim: string;
  readonly found: boolean;
  /** Creating, Succeeded, Failed, Deleting. */
  readonly provisioningState: string | undefined;
  /** running, stopped, deallocated. */
  readonly powerState: string | undefined;
  /** Whether the agent in the VM has reported. */
  readonly agentReady: boolean | undefined;
  readonly diskEncryptionSetId: string | undefined;
  readonly imageId: string | undefined;
  readonly size: string | undefined;
  readonly bootDiagnostics: boolean | undefined;
  readonly createdAtMs: number | undefined;
  /** Why the cloud stopped or deleted it, in the cloud's own words. */
  readonly stateReason?: string;
  /** Checks of the cloud that fail: `instance`, `system`. */
  readonly failedChecks?: readonly string[];
}

/** The extension that provisions a node, as the instance view shows it. */
export interface ExtensionEvidence extends Read {
  readonly kind: 'extension';
  readonly claim: string;
  readonly name: string;
  readonly state: 'running' | 'succeeded' | 'failed';
  /** All messages of its statuses and of the operation, whole. */
  readonly message: string;
  readonly imageId: string | undefined;
}

export interface SerialLogEvidence extends Read {
  readonly kind: 'serialLog';
  readonly claim: string;
  /** Its end; the gatherer keeps at most a few megabytes. */
  readonly text: string;
  readonly imageId: string | undefined;
}

export interface NodeEvidence extends Read {
  readonly kind: 'node';
  readonly name: string;
  /** The claim it belongs to by provider id. */
  readonly claim: string | undefined;
  readonly providerId: string | undefined;
  readonly createdAtMs: number;
  readonly deletingSinceMs: number | undefined;
  readonly unschedulable: boolean;
  readonly conditions: readonly Condition[];
  readonly taints: readonly Taint[];
  readonly labels: Readonly<Record<string, string>>;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly kubeletVersion: string | undefined;
  /** Its kubelet has not renewed its Lease for longer than it should, up to the newest Lease of any node: kubelets write their own clocks. */
  readonly silence?: { readonly renewedAtMs: number; readonly forMs: number };
  /** Pods of DaemonSets that fail on it, with why, before it is initialized: `kube-system/cni-x (CrashLoopBackOff)`. */
  readonly failingDaemons?: readonly string[];
}

/** One obstacle of the scheduling engine. */
export interface RefusalFact {
  /** TaintNotTolerated, ResourceInsufficient, LimitExceeded, NoPools, … */
  readonly code: string;
  /** What decided it, as text: `{ taint, resource, requested, available, key, wanted, … }`. */
  readonly facts: Readonly<Record<string, string>>;
  /** The same for people. */
  readonly text: string;
  /** The pool that refused; undefined for an obstacle in the pod or on nodes. */
  readonly nodePool?: string;
  /** Nodes that refused for this. */
  readonly nodes?: number;
}

/** What the engine says about the pod now. */
export interface PlanEvidence extends Read {
  readonly kind: 'plan';
  readonly pod: string;
  /** `placed`: on a node that is there or on a claim that is in flight. */
  readonly outcome: 'placed' | 'newClaim' | 'refused';
  /** The node or claim it goes to. */
  readonly target: string | undefined;
  /** Of the NodePools that come closest, or of the pod itself. */
  readonly refusals: readonly RefusalFact[];
  /** Why the other NodePools are not for this pod, in a few words each. */
  readonly others?: readonly { readonly nodePool: string; readonly reason: string }[];
  /** It waits for nodes that this static NodePool should have. */
  readonly missing?: MissingNodes;
}

export interface PodEvidence extends Read {
  readonly kind: 'pod';
  /** `shop/web-1`. */
  readonly name: string;
  readonly createdAtMs: number;
  readonly deletingSinceMs: number | undefined;
  readonly phase: string;
  /** Of a pod that failed as a whole: Evicted, NodeLost, … */
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly nodeName: string | undefined;
  /** Of a node that exists. */
  readonly nominatedNodeName: string | undefined;
  /** Missing: no node was chosen, or its pods could not be read. */
  readonly preempted?: readonly PreemptedPod[];
  readonly schedulerName: string;
  readonly schedulingGates: readonly string[];
  readonly readinessGates: readonly string[];
  readonly conditions: readonly Condition[];
  readonly containers: readonly ContainerEvidence[];
  readonly hasMemoryLimit: boolean;
  readonly isOfDaemonSet?: boolean;
  /** It uses the network of its node, and needs none of its own. */
  readonly hostNetwork?: boolean;
  /** Claims of volumes that are not bound. */
  readonly unboundVolumes: readonly { readonly claim: string; readonly problem: string }[];
}

/** The last lines a container wrote. */
export interface ContainerLogEvidence extends Read {
  readonly kind: 'containerLog';
  readonly pod: string;
  readonly container: string;
  readonly previous: boolean;
  readonly text: string;
}

export interface ServiceEvidence extends Read {
  readonly kind: 'service';
  /** `shop/db`. */
  readonly name: string;
  readonly clusterIPs: readonly string[];
  readonly ports: readonly number[];
  readonly hasSelector: boolean;
  /** Undefined: its EndpointSlices could not be read, or not all of them. */
  /** Of a Service that stands for a name outside of the cluster, and has no endpoints. */
  readonly externalName?: string | undefined;
  readonly readyEndpoints: number | undefined;
}

export interface BudgetEvidence extends Read {
  readonly kind: 'budget';
  readonly name: string;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  /** Pods of the subject's node that it protects. */
  readonly pods: readonly string[];
}

export interface EventsEvidence extends Read {
  readonly kind: 'events';
  readonly events: readonly EventFact[];
}

export interface EventFact {
  /** `Pod/shop/web-1`, `NodeClaim/default-x7k2p`. */
  readonly object: string;
  /** Of the pod, if the event is about one of its containers and names it. */
  readonly container?: string;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  /** It stands for events of its reason with other words as well: it has the words of the last one, and counts all. */
  readonly isCombined?: boolean;
  readonly count: number;
  readonly lastMs: number;
}
