/**
 * The settings of a new node, whatever its image family, each value with its source. The formats decide how they are
 * written, and which of them a family supports.
 */
import { isIP } from 'node:net';
import { KarpenterLabel, labelDomain, type Taint } from '../../api/index.ts';
import type { Sourced } from '../../settings/index.ts';
import { registrationTaints } from '../taints.ts';
import { BOOTSTRAP_FAMILIES } from './families.table.ts';
import type { AmiFamily, EksBootstrapInput } from './input.ts';
import { type KubeletSettings, resolveKubelet } from './kubelet-settings.ts';
import { UserDataError } from './user-data.ts';

export interface NodeSettings {
  readonly clusterName: Sourced<string>;
  readonly endpoint: Sourced<string>;
  /** Empty when unknown; else base64. */
  readonly caBundle: Sourced<string>;
  readonly serviceCidr: Sourced<string>;
  /** Sorted by key. */
  readonly labels: Sourced<Readonly<Record<string, string>>>;
  readonly taints: Sourced<readonly Taint[]>;
  readonly kubelet: KubeletSettings;
  /** `RAID0`, or empty. */
  readonly instanceStorePolicy: Sourced<string>;
  readonly imageVersion: Sourced<string>;
  /** Empty when the class has none. */
  readonly userData: Sourced<string>;
}

/** @throws {UserDataError} for a value that cannot be passed on. */
export function resolveSettings(input: EksBootstrapInput): NodeSettings {
  const { cluster, nodeClass } = input;
  const { instanceStorePolicy, userData } = nodeClass.spec;
  if (cluster.caBundle.value !== '' && !BASE64.test(cluster.caBundle.value)) {
    throw new UserDataError(
      'invalidValue',
      cluster.caBundle.path || 'cluster CA bundle',
      'the CA bundle of the cluster is not base64',
    );
  }
  return {
    clusterName: cluster.name,
    endpoint: cluster.endpoint,
    caBundle: cluster.caBundle,
    serviceCidr: cluster.serviceCidr,
    labels: registrationLabels(input),
    taints: allTaints(input),
    kubelet: resolveKubelet(input),
    instanceStorePolicy: fromClass(instanceStorePolicy, 'spec.instanceStorePolicy'),
    imageVersion: nodeClass.imageVersion,
    userData: fromClass(userData, 'spec.userData'),
  };
}

/** The labels that a kubelet may set on its own node; the controller copies the others when the node registers. */
export function eksKubeletLabels(labels: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => !isReserved(labelDomain(key)))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The label that tells the controller that the node has its taints already; a custom image may not set them. */
export function bootstrapLabels(family: AmiFamily): Readonly<Record<string, string>> {
  return BOOTSTRAP_FAMILIES[family].format === 'verbatim' ? {} : { [KarpenterLabel.doNotSyncTaints]: 'true' };
}

/** Whether the pods of the cluster have IPv6 addresses, by the address of its DNS server. */
export function isIpv6({ kubelet }: NodeSettings): boolean {
  const [first] = (kubelet.get('clusterDNS')?.value ?? []) as readonly string[];
  return first !== undefined && isIP(first) === 6;
}

// ---------------------------------------------------------------------------------------------------

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const RESERVED_DOMAINS = ['kubernetes.io', 'k8s.io'];

function isReserved(domain: string): boolean {
  return RESERVED_DOMAINS.some((reserved) => domain === reserved || domain.endsWith(`.${reserved}`));
}

function registrationLabels({ node, nodeClass }: EksBootstrapInput): NodeSettings['labels'] {
  const value = eksKubeletLabels({
    ...node.labels.value,
    [KarpenterLabel.capacityType]: node.capacityType.value,
    ...bootstrapLabels(nodeClass.family),
  });
  return { value, source: 'computed', path: `${node.labels.path || 'NodeClaim'}, capacity type` };
}

function allTaints({ node }: EksBootstrapInput): NodeSettings['taints'] {
  const named = [node.taints, node.startupTaints].filter(({ value }) => value.length > 0);
  const value = registrationTaints(node.taints.value, node.startupTaints.value);
  if (named.length === 0) return { value, source: 'hardcoded', path: '' };
  return { value, source: named[0]!.source, path: named.map(({ path }) => path).join(', ') };
}

function fromClass(value: string | undefined, path: string): Sourced<string> {
  return value === undefined || value === ''
    ? { value: '', source: 'hardcoded', path }
    : { value, source: 'NodeClass', path };
}
