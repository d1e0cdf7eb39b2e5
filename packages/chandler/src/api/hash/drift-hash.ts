/**
 * The static drift hashes of NodePool, AKSNodeClass and EC2NodeClass, equal to upstream's bit for bit,
 * so that a cluster can move from one controller to the other without replacing a node. They cover upstream's fields only:
 * a field of our own never enters them. When a difference means drift, `disruption/` decides.
 *
 * Hash the object as read from an API server: defaults are filled in there, and upstream hashes them.
 */
import { ALIAS_AMI_FAMILIES } from '../kinds/ec2-node-class/selectors.ts';
import { aksNodeClassSpec } from './aks-node-class.table.ts';
import { ec2NodeClassSpecV5, ec2NodeClassSpecV6 } from './ec2-node-class.table.ts';
import { hashString, toDecimal, xor } from './fnv.ts';
import { goJson } from './go-json.ts';
import { nodeClaimTemplate } from './node-pool.table.ts';

/** Hashes are compared only when both sides carry the same version. */
export const NODE_POOL_HASH_VERSION = 'v3';
export const AKS_NODE_CLASS_HASH_VERSION = 'v3';
export const EC2_NODE_CLASS_HASH_VERSION: Ec2HashVersion = 'v6';

/** `v5` is what the release 1.14.1 writes, `v6` (kubelet settings as an open map) what follows it. */
export type Ec2HashVersion = 'v5' | 'v6';

export interface Hashable {
  readonly spec?: unknown;
}

export interface Ec2HashOptions {
  /** The cluster's CA bundle as the controller was given it (base64). Default: none. */
  readonly caBundle?: string | undefined;
  /** Default: `EC2_NODE_CLASS_HASH_VERSION`. */
  readonly version?: Ec2HashVersion | undefined;
}

export function nodePoolHash(nodePool: Hashable): string {
  return toDecimal(nodeClaimTemplate.hash(record(nodePool.spec)['template']));
}

export function aksNodeClassHash(nodeClass: Hashable): string {
  return toDecimal(aksNodeClassSpec.hash(nodeClass.spec));
}

export function ec2NodeClassHash(nodeClass: Hashable, options: Ec2HashOptions = {}): string {
  const spec = record(nodeClass.spec);
  const beside = xor(hashString(amiFamilyOf(spec)), hashString(options.caBundle ?? ''));
  if ((options.version ?? EC2_NODE_CLASS_HASH_VERSION) === 'v5') {
    return toDecimal(xor(beside, ec2NodeClassSpecV5.hash(spec)));
  }
  const kubelet = hashString(kubeletText(spec['kubelet']));
  return toDecimal(xor(beside, xor(kubelet, ec2NodeClassSpecV6.hash(spec))));
}

/** Of one text, as a decimal number: part of names that upstream gives to resources in the cloud. */
export function textHash(text: string): string {
  return toDecimal(hashString(text));
}

// ---------------------------------------------------------------------------------------------

const CUSTOM_FAMILY = 'Custom';
const ALIAS_FAMILIES: ReadonlyMap<string, string> = new Map(
  ALIAS_AMI_FAMILIES.map(({ alias, family }) => [alias, family]),
);

/**
 * The family named, else the one of the first alias, else Custom. An alias that names no family ends
 * upstream's process; the schema refuses it, and here it counts as none.
 */
function amiFamilyOf(spec: Record<string, unknown>): string {
  if (typeof spec['amiFamily'] === 'string') return spec['amiFamily'];
  const terms = Array.isArray(spec['amiSelectorTerms']) ? spec['amiSelectorTerms'] : [];
  for (const term of terms) {
    const alias = record(term)['alias'];
    if (typeof alias !== 'string' || alias === '') continue;
    return ALIAS_FAMILIES.get(alias.split('@')[0]!) ?? CUSTOM_FAMILY;
  }
  return CUSTOM_FAMILY;
}

function kubeletText(kubelet: unknown): string {
  return Object.keys(record(kubelet)).length === 0 ? 'null' : goJson(kubelet);
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
