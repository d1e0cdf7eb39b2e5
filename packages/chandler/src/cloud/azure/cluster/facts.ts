/**
 * What a launch needs to know about the cluster, detected rather than configured: each value with its source. How the
 * values are found is in detector.ts; when a VM drifts because one changed, in cluster-drift.ts.
 */
import type { Sourced } from '../../../settings/index.ts';

export interface ClusterFacts {
  /** Without the leading v: `1.34.2`. */
  readonly kubernetesVersion: Sourced<string>;
  /** Base64 of PEM certificates, as KUBE_CA_CRT wants it. */
  readonly caBundle: Sourced<string>;
  /** The eight digits in the names of the node resource group. */
  readonly clusterId: Sourced<string>;
  /** Absent when the node resource group has none of that name. */
  readonly networkSecurityGroup?: Sourced<NamedResource>;
  /** Empty where the network has no overlay: only its labels ask for it. */
  readonly vnetGuid: Sourced<string>;
  readonly dnsServiceIP: Sourced<string>;
  readonly network: ClusterNetwork;
  readonly nodeResourceGroup: Sourced<string>;
  /** Of the managed cluster's own property; absent when it has none, or cannot be read. Options may say otherwise. */
  readonly diskEncryptionSetId?: Sourced<string>;
}

export interface NamedResource {
  readonly id: string;
  readonly name: string;
}

export interface ClusterNetwork {
  /** `azure` or `none`. */
  readonly plugin: Sourced<string>;
  /** `overlay` or empty. */
  readonly pluginMode: Sourced<string>;
  /** `azure`, `cilium` or empty. */
  readonly dataplane: Sourced<string>;
  readonly policy: Sourced<string>;
}

/** What the managed cluster says about itself, as far as we read it. */
export interface ManagedClusterView {
  readonly nodeResourceGroup?: string;
  readonly diskEncryptionSetID?: string;
  readonly networkProfile?: {
    readonly networkPlugin?: string;
    readonly networkPluginMode?: string;
    readonly networkDataplane?: string;
    readonly networkPolicy?: string;
    readonly dnsServiceIP?: string;
  };
}

/** The outside of the detector, one small question each. Nothing there is `undefined`; no answer is a rejection. */
export interface ClusterReaders {
  /** `gitVersion` of the API server's `/version`. */
  serverVersion(): Promise<string>;
  managedCluster(): Promise<ManagedClusterView | undefined>;
  /** Of the node resource group. */
  listNetworkSecurityGroups(): Promise<readonly NamedResource[]>;
  /** Route tables and virtual networks of the node resource group: their names hold the cluster id too. */
  listNodeResourceNames(): Promise<readonly string[]>;
  getVirtualNetwork(id: string): Promise<{ readonly resourceGuid?: string } | undefined>;
  /** `spec.clusterIP` of the Service kube-system/kube-dns. */
  kubeDnsServiceIP(): Promise<string | undefined>;
  /** Base64 of PEM: what the credentials of the process trust. */
  clientConfigCA(): Promise<string | undefined>;
  /** Base64 of PEM: the root that the API server itself presents; see tls-ca.ts. */
  tlsCA(): Promise<string | undefined>;
}

/** The options that say more than the cluster does. Any may change at runtime, so they are asked for, not kept. */
export interface ClusterOptions {
  readonly kubernetesVersion: Sourced<string>;
  readonly clusterCaBundle: Sourced<string>;
  readonly clusterId: Sourced<string>;
  readonly networkSecurityGroupId: Sourced<string>;
  readonly vnetGuid: Sourced<string>;
  readonly dnsServiceIp: Sourced<string>;
  readonly networkPlugin: Sourced<string>;
  readonly networkPluginMode: Sourced<string>;
  readonly networkDataplane: Sourced<string>;
  readonly networkPolicy: Sourced<string>;
  readonly nodeResourceGroup: Sourced<string>;
  readonly vnetSubnetId: Sourced<string>;
}

export const CLUSTER_FACTS = [
  'kubernetesVersion',
  'caBundle',
  'clusterId',
  'networkSecurityGroup',
  'vnetGuid',
  'dnsServiceIP',
  'network',
  'nodeResourceGroup',
  'diskEncryptionSetId',
] as const satisfies readonly (keyof ClusterFacts)[];

export type ClusterFactName = (typeof CLUSTER_FACTS)[number];

/** Why a value is not known, or not known any better than before. */
export type ClusterProblemCode =
  | 'Unreachable'
  | 'Denied'
  | 'NotFound'
  | 'Ambiguous'
  | 'Malformed'
  | 'Unsupported';

export interface ClusterProblem {
  readonly fact: ClusterFactName;
  readonly code: ClusterProblemCode;
  /** What was read, what the answer was, and which option settles it. */
  readonly message: string;
  /** No launch without this value. Not so when an earlier one is still used, or when there is a way without it. */
  readonly blocks: boolean;
}

/** The outcome of looking for one fact. */
export type Detection<V> =
  /** With a problem: part of it could not be read now and is what was read before. */
  | { readonly value: V; readonly problem?: DetectionProblem }
  /** Looked for, and there is none: no problem. */
  | { readonly none: true }
  | (DetectionProblem & { readonly blocks?: false });

export type DetectionProblem = Pick<ClusterProblem, 'code' | 'message'>;

/** A launch needs every fact; these are missing. */
export class ClusterFactsError extends Error {
  override readonly name = 'ClusterFactsError';
  readonly problems: readonly ClusterProblem[];

  constructor(problems: readonly ClusterProblem[]) {
    super(problems.map((problem) => `${problem.fact}: ${problem.message}`).join('; '));
    this.problems = problems;
  }
}
