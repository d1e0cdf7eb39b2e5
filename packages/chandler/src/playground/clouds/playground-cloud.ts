/**
 * What the playground needs of a simulated cloud: one file per cloud implements it over `@chandler/cloudsim`, and nothing
 * else in this module knows a cloud.
 */
import type { NodeHost } from '@chandler/cloudsim';
import type { Fetch, KubeObject, Labels, ResourceRef, Transport, World } from '@chandler/kube';
import type { CloudProvider } from '../../cloud/index.ts';
import type { CloudAction, CloudCheck, NodesOf } from './cloud-actions.ts';
import type { PlaygroundCloudName } from './cloud-names.table.ts';
import type { PoolChoice } from './default-pool.ts';

/** A cloud before it runs: what its clusters have from the start. */
export interface CloudSimulation {
  readonly storageClasses: readonly KubeObject[];
  /** How many volumes of each CSI driver a node can attach; undefined: any number. */
  readonly csiDrivers: Readonly<Record<string, number | undefined>>;
  /** Drivers whose volumes belong to no zone. */
  readonly sharedDrivers: readonly string[];
  /** Keys of startup taints that agents on the nodes remove. */
  readonly agentTaints: readonly string[];
  start(environment: CloudEnvironment): Promise<PlaygroundCloud>;
}

/** The cluster that the cloud's instances join. */
export interface CloudEnvironment {
  readonly world: World;
  readonly nodeHost: NodeHost;
  /** `1.36.3`. */
  readonly kubernetesVersion: string;
  /** To the API server with administrator rights. */
  readonly transport: Transport;
  /** Undefined: it does not listen, and neither does the cloud. */
  readonly apiServer: { readonly url: string; readonly caPem: string } | undefined;
  readonly host?: string;
}

export interface PlaygroundCloud {
  readonly name: PlaygroundCloudName;
  /** In messages: `Azure`. */
  readonly title: string;
  /** What the cloud calls its machines. */
  readonly instanceNoun: 'VM' | 'instance';
  readonly region: string;
  /** Values of the zone label. Scenarios name zones by their place in this list: `1`, `2`, `3`. */
  readonly zones: readonly string[];
  /** Of the cluster: `1.36.3`. */
  readonly kubernetesVersion: string;
  readonly endpoint: string;
  /** Endpoint and account, for people. */
  readonly address: string;
  readonly fetch: Fetch;
  readonly nodeClasses: ResourceRef;
  readonly defaultNodeClass: KubeObject;
  defaultPool(choice?: PoolChoice): KubeObject;
  /** Loads the SDKs. */
  provider(): Promise<CloudProvider>;
  /** Service account and permissions of the controller. */
  controllerRoles(): Promise<readonly KubeObject[]>;
  /** Writes what a controller needs, with access for its owner only. */
  writeFiles(folder: string, controller: ControllerPlace): Promise<CloudFiles>;
  /** The variables of `envFile`. */
  controllerEnvironment(files: CloudFiles, controller: ControllerPlace): Readonly<Record<string, string>>;
  /** Addresses and names, for scripts; secrets are only in the files. */
  facts(files: CloudFiles): Readonly<Record<string, string>>;
  /** The nodes that a cluster has before a controller adds any; numbered from 1. */
  systemNode(number: number): SystemNode;
  /** Those that cost money, also while they start or stop. */
  instances(): readonly CloudInstance[];
  /** The name of the claim's instance in `instances()`; undefined: not known yet, or of another cloud. */
  instanceOf(claim: ClaimIdentity): string | undefined;
  /** How much of each kind of resource exists that controllers create. */
  leftovers(): Readonly<Record<string, number>>;
  /** Those that need no value, and whether they are active. */
  faults(): readonly FaultState[];
  /** Written as for `--fault`. */
  addFault(fault: string): void;
  /** All of this name. */
  removeFaults(name: string): void;
  /** Every instance of the zone loses power and stays in the cloud. */
  stopZone(zone: string): void;
  setCapacity(zone: string, available: boolean): void;
  perform(action: CloudAction): void;
  /** Undefined when the check passes; else what was observed. */
  failureOf(check: CloudCheck, nodesOf: NodesOf): Promise<string | undefined>;
  stop(): Promise<void>;
}

export interface FaultState {
  readonly name: string;
  /** What it does. */
  readonly help: string;
  readonly on: boolean;
}

/** What a controller outside of the cloud needs to know. */
export interface ControllerPlace {
  /** Of the API server. */
  readonly serverUrl: string;
  readonly kubeconfig: string;
  /** Its own. Default kube-system. */
  readonly namespace?: string;
}

export interface CloudFiles {
  readonly folder: string;
  /** All variables, for `set -a; . FILE`. */
  readonly envFile: string;
  /** Only the files that were written. */
  remove(): Promise<void>;
}

export interface SystemNode {
  readonly zone: string;
  readonly instanceType: string;
  readonly labels: Labels;
  readonly providerID: string;
}

export interface CloudInstance {
  readonly name: string;
  readonly nodeName: string;
  /** By the price list of the cloud, in USD. */
  readonly pricePerHour: number;
}

export interface ClaimIdentity {
  readonly name: string;
  readonly providerID: string | undefined;
}

/** @param known the faults of a cloud. @param active those that are injected now. */
export function faultStates(
  known: readonly {
    readonly name: string;
    readonly help: string;
    readonly value?: string;
    readonly defaultValue?: string;
  }[],
  active: readonly { readonly name: string }[],
): readonly FaultState[] {
  return known
    .filter(({ value, defaultValue }) => value === undefined || defaultValue !== undefined)
    .map(({ name, help }) => ({ name, help, on: active.some((fault) => fault.name === name) }));
}

/** The zone that a scenario names by its number. */
export function zoneOf({ zones }: Pick<PlaygroundCloud, 'zones'>, number: string): string {
  const zone = zones[Number(number) - 1];
  if (zone === undefined) throw new Error(`there is no zone ${number}; zones: ${zones.join(', ')}`);
  return zone;
}
