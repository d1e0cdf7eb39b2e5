/**
 * What a cloud brings to the product: one `CloudProvider` in `cloud/<name>/`, named by one row of `cloud/registry.ts`.
 * Everything above asks for these parts and knows no cloud by name. A test brings a provider of its own, and everything
 * else stays as in production.
 */
import type {
  Controller,
  EventRecorder,
  Fence,
  Fetch,
  KubeClient,
  Reflector,
  Stored,
  World,
} from '@chandler/kube';
import type { LabelRules, NodeClaim, NodePool } from '../api/index.ts';
import type { OptionRule, OptionTable, Sourced } from '../settings/index.ts';

import type { Cloud, CloudTraits } from './cloud.ts';

export interface CloudProvider extends CloudTraits {
  readonly options: CloudOptions;
  /** Its stages of a claim's journey, in order; they come between `planned` and `registered`. */
  readonly stages: readonly string[];
  readonly labelRules: LabelRules;
  /** Asks nobody yet. @throws {StartError} when the options do not lead to a cloud. */
  createParts(request: PartsRequest): CloudParts | Promise<CloudParts>;
}

export interface CloudOptions {
  /** `Azure`: in headings. */
  readonly title: string;
  /** Flags, variables and settings keys, beside those that every cloud has. */
  readonly table: OptionTable;
  /** What must hold between options. */
  readonly rules: readonly OptionRule[];
  /** Groups of the table that Karpenter's own provider does not have; the documentation marks them. */
  readonly ownGroups: readonly string[];
  /** File with certificates that calls to the cloud trust beside the usual ones, and the flag that names it. */
  caFile?(values: CloudValues): { readonly path: string; readonly flag: string };
}

/** Values of the provider's own table and of those that every cloud has. */
export type CloudValues = Readonly<Record<string, Sourced<unknown>>>;

export interface PartsRequest {
  readonly world: World;
  /** Read at every use: some values change at runtime. */
  readonly values: () => CloudValues;
  readonly wires: CloudWires;
  /** For reads of what no store holds. */
  readonly client: KubeClient;
  /** Of the controller. */
  readonly namespace: string;
  /** Nothing may be written, in the cloud neither. */
  readonly observe: boolean;
  /** Open while this replica may write. Absent when there is no election. */
  readonly fence?: Pick<Fence, 'isOpen'> | undefined;
}

/** What the process gives a cloud to reach the outside. */
export interface CloudWires {
  readonly fetch: Fetch;
  /** To a server that wants a body with GET, which `fetch` cannot send. Default: `fetch`. */
  readonly fetchWithBody?: Fetch;
  readonly readFile: (path: string) => string;
  /** Of this program, for the user agent. */
  readonly version: string;
  /** PEM of what the credentials of the process trust as the API server: asked again where it may change. */
  readonly clusterCaPem?: Pem | (() => Promise<Pem | undefined>) | undefined;
}

export type Pem = string | Uint8Array;

export interface CloudParts {
  readonly cloud: Cloud;
  /** Called before any controller starts, again after a failure, until it succeeds or the time is up. */
  prepare?(signal: AbortSignal): Promise<void>;
  /** Loops of every replica, leading or not. They only read. */
  readonly background?: readonly BackgroundTask[];
  /** Controllers beside those that every cloud has. */
  controllers?(context: CloudControllerContext): readonly Controller[];
  /** Throws when this process should be restarted; asked by the liveness probe. */
  live?(): Promise<void> | void;
}

export interface BackgroundTask {
  readonly name: string;
  /** Ends when the signal is aborted, and not before. */
  run(signal: AbortSignal): Promise<void>;
}

/** What the controllers of a cloud are given. */
export interface CloudControllerContext {
  readonly world: World;
  /** Writes only what does no harm when it arrives late. */
  readonly client: KubeClient;
  readonly events: EventRecorder;
  readonly stores: CloudStores;
  /** Counts a claim that a controller of the cloud ended, in the metrics of disruption; before it is deleted from the stores. */
  disrupted(claim: StoredClaim, reason: string): void;
  /** Calls with the names of options that have another value from now on. @returns what ends it. */
  onOptionsChange(listener: (names: readonly string[]) => void): () => void;
}

/** The watched objects that a cloud's controllers read. */
export interface CloudStores {
  readonly claims: Reflector<NodeClaim>;
  readonly pools: Reflector<NodePool>;
  /** By `group/kind`. */
  readonly nodeClasses: ReadonlyMap<string, Reflector>;
  /** Undefined when its kind is not ours or it does not exist. */
  nodeClass(reference: NodeClassReference): Stored | undefined;
  claimsOfClass(reference: NodeClassReference): readonly StoredClaim[];
  nodeOf(providerID: string): Stored | undefined;
}

export type StoredClaim = Stored<NodeClaim>;

export interface NodeClassReference {
  readonly group: string;
  readonly kind: string;
  readonly name: string;
}
