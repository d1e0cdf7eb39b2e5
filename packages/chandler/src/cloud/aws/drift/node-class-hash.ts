/**
 * The hash of an EC2NodeClass, as Karpenter writes it, so that a cluster changes hands without a drifted node. Karpenter
 * 1.14.1 writes version v5 and its successors v6; both can be computed, so a claim is compared in its own version.
 */
import {
  AwsAnnotation,
  EC2_NODE_CLASS_HASH_VERSION,
  type EC2NodeClass,
  type Ec2HashVersion,
  ec2NodeClassHash,
} from '../../../api/index.ts';
import type { ObjectHash } from '../../index.ts';

/** @param caBundle of the cluster, in base64: it is part of the hash. */
export function nodeClassHashing(caBundle: string | undefined): ObjectHash {
  return {
    hashKey: AwsAnnotation.nodeClassHash,
    versionKey: AwsAnnotation.nodeClassHashVersion,
    version: EC2_NODE_CLASS_HASH_VERSION,
    hash: (object) => ec2NodeClassHash(object as EC2NodeClass, { caBundle }),
  };
}

/** The hash of the class in a version; undefined in one that cannot be computed. */
export function hashInVersion(
  nodeClass: Pick<EC2NodeClass, 'spec'>,
  version: string,
  caBundle: string | undefined,
): string | undefined {
  return isKnownVersion(version) ? ec2NodeClassHash(nodeClass, { caBundle, version }) : undefined;
}

/**
 * What to write on a claim whose hash is of another version. A node that had drifted keeps its hash, which no class has;
 * so it stays drifted. Nothing where the claim is up to date.
 */
export function restampedAnnotations(
  annotations: Readonly<Record<string, string>> | undefined,
  nodeClass: Pick<EC2NodeClass, 'spec'>,
  { caBundle, isDrifted }: { readonly caBundle: string | undefined; readonly isDrifted: boolean },
): Readonly<Record<string, string>> | undefined {
  const { nodeClassHash: hashKey, nodeClassHashVersion: versionKey } = AwsAnnotation;
  const version = EC2_NODE_CLASS_HASH_VERSION;
  const wasVersion = annotations?.[versionKey];
  if (wasVersion === version) return undefined;
  const was = annotations?.[hashKey];
  const then = wasVersion === undefined ? undefined : hashInVersion(nodeClass, wasVersion, caBundle);
  const hasChanged = was !== undefined && then !== undefined && was !== then;
  return {
    [versionKey]: version,
    ...(isDrifted || hasChanged ? {} : { [hashKey]: ec2NodeClassHash(nodeClass, { caBundle }) }),
  };
}

// ---------------------------------------------------------------------------------------------------------------

const KNOWN_VERSIONS: readonly Ec2HashVersion[] = ['v5', 'v6'];

function isKnownVersion(version: string): version is Ec2HashVersion {
  return (KNOWN_VERSIONS as readonly string[]).includes(version);
}
