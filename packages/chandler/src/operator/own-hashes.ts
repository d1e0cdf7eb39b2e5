/**
 * A pool or class as it would look once we run the cluster: with our own hash in place of the one that another controller
 * wrote. The two should be the same; where they are not, all nodes would be replaced, and that is to be known before.
 */
import type { KubeObject } from '@chandler/kube';
import {
  AKS_NODE_CLASS_HASH_VERSION,
  type AKSNodeClass,
  AzureAnnotation,
  aksNodeClassHash,
  KarpenterAnnotation,
  NODE_POOL_HASH_VERSION,
  type NodePool,
  nodePoolHash,
} from '../api/index.ts';

/** What was hashed in another way is left: our controllers bring such hashes up to date without calling anything drifted. */
export function asWeHash<T extends KubeObject>(
  object: T,
  { group, kind }: { readonly group: string; readonly kind: string },
): T {
  const way = WAYS[`${group}/${kind}`];
  const { annotations } = object.metadata;
  if (way === undefined || annotations?.[way.versionKey] !== way.version) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [way.hashKey]: way.hash(object) } },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Way {
  readonly hashKey: string;
  readonly versionKey: string;
  readonly version: string;
  readonly hash: (object: KubeObject) => string;
}

const WAYS: Readonly<Record<string, Way>> = {
  'karpenter.sh/NodePool': {
    hashKey: KarpenterAnnotation.nodePoolHash,
    versionKey: KarpenterAnnotation.nodePoolHashVersion,
    version: NODE_POOL_HASH_VERSION,
    hash: (object) => nodePoolHash(object as NodePool & KubeObject),
  },
  'karpenter.azure.com/AKSNodeClass': {
    hashKey: AzureAnnotation.nodeClassHash,
    versionKey: AzureAnnotation.nodeClassHashVersion,
    version: AKS_NODE_CLASS_HASH_VERSION,
    hash: (object) => aksNodeClassHash(object as AKSNodeClass & KubeObject),
  },
};
