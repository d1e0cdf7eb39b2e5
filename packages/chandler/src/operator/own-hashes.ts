/**
 * A pool or class as it would look once we run the cluster: with our own hash in place of the one that another controller
 * wrote. The two should be the same; where they are not, all nodes would be replaced, and that is to be known before.
 */
import type { KubeObject } from '@chandler/kube';
import { KarpenterAnnotation, NODE_POOL_HASH_VERSION, type NodePool, nodePoolHash } from '../api/index.ts';
import type { ObjectHash } from '../cloud/index.ts';

export const NODE_POOL_HASH: ObjectHash = {
  hashKey: KarpenterAnnotation.nodePoolHash,
  versionKey: KarpenterAnnotation.nodePoolHashVersion,
  version: NODE_POOL_HASH_VERSION,
  hash: (object) => nodePoolHash(object as NodePool & KubeObject),
};

/** What was hashed in another way is left: our controllers bring such hashes up to date without calling anything drifted. */
export function withOwnHash<T extends KubeObject>(object: T, way: ObjectHash | undefined): T {
  const { annotations } = object.metadata;
  if (way === undefined || annotations?.[way.versionKey] !== way.version) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [way.hashKey]: way.hash(object) } },
  };
}
