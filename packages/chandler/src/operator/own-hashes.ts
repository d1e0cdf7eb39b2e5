/**
 * A pool or class with our own drift hash in place of the one that another controller wrote. Both should be equal; if
 * they are not, a migration would replace all nodes, which must be known beforehand.
 */
import type { KubeObject } from '@chandler/kube';
import { KarpenterAnnotation, NODE_POOL_HASH_VERSION, type NodePool, nodePoolHash } from '../api/index.ts';
import type { ObjectHash } from '../cloud/index.ts';

export const NODE_POOL_HASH: ObjectHash = {
  hashKey: KarpenterAnnotation.nodePoolHash,
  versionKey: KarpenterAnnotation.nodePoolHashVersion,
  version: NODE_POOL_HASH_VERSION,
  hash: (object) => nodePoolHash(object as NodePool),
};

/** Hashes of another version are kept: our controllers migrate them without drift. */
export function withOwnHash<T extends KubeObject>(object: T, way: ObjectHash | undefined): T {
  const { annotations } = object.metadata;
  if (way === undefined || annotations?.[way.versionKey] !== way.version) return object;
  return {
    ...object,
    metadata: { ...object.metadata, annotations: { ...annotations, [way.hashKey]: way.hash(object) } },
  };
}
