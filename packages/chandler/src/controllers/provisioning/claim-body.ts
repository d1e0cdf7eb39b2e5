/** Builds the NodeClaim for a planned claim: its fields and its name. */
import { createHash } from 'node:crypto';
import type { NamedObject, Stored } from '@chandler/kube';
import {
  KarpenterAnnotation,
  NODE_POOL_HASH_VERSION,
  type NodeClaim,
  type NodePool,
  nodeClassLabel,
  nodePoolHash,
} from '../../api/index.ts';
import type { PlannedClaim } from '../../scheduling/index.ts';

/** The parts of a plan that go into the claim. */
export type ClaimShape = Pick<
  PlannedClaim,
  'id' | 'labels' | 'annotations' | 'taints' | 'startupTaints' | 'requirements' | 'requests'
>;

/** The body of a NodeClaim that is to be created. */
export type ClaimBody = NodeClaim & NamedObject;

export interface ClaimRequest {
  readonly planned: ClaimShape;
  readonly nodePool: Stored<NodePool>;
  /** UIDs of the pods it is launched for. */
  readonly podUids: readonly string[];
  /** Number of earlier claims for the same pods. */
  readonly attempt: number;
}

export function claimBody(request: ClaimRequest): ClaimBody {
  const { planned, nodePool } = request;
  const { spec, metadata } = nodePool.spec.template;
  const { nodeClassRef, terminationGracePeriod, expireAfter } = spec;
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodeClaim',
    metadata: {
      name: claimName(request),
      labels: {
        ...(metadata?.labels ?? {}),
        ...planned.labels,
        [nodeClassLabel(nodeClassRef.group, nodeClassRef.kind)]: nodeClassRef.name,
      },
      annotations: {
        ...planned.annotations,
        [KarpenterAnnotation.nodePoolHash]: nodePoolHash(nodePool),
        [KarpenterAnnotation.nodePoolHashVersion]: NODE_POOL_HASH_VERSION,
      },
      ownerReferences: [
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          name: nodePool.metadata.name,
          uid: nodePool.metadata.uid,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      nodeClassRef,
      requirements: planned.requirements as NodeClaim['spec']['requirements'],
      resources: { requests: { ...planned.requests } },
      ...(planned.taints.length === 0 ? {} : { taints: [...planned.taints] }),
      ...(planned.startupTaints.length === 0 ? {} : { startupTaints: [...planned.startupTaints] }),
      ...(terminationGracePeriod === undefined ? {} : { terminationGracePeriod }),
      ...(expireAfter === undefined ? {} : { expireAfter }),
    },
  } as ClaimBody;
}

// ---------------------------------------------------------------------------------------------------

/** The letters of generated names in Kubernetes: no vowels, no characters that look alike. */
const LETTERS = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_NAME = 63;

/**
 * The same pods get the same name, so that two replicas that schedule them at the same time, or a late request, create
 * one claim only.
 */
function claimName({ nodePool, podUids, planned, attempt }: ClaimRequest): string {
  const identity = [nodePool.metadata.uid, `${attempt}`, ...[...podUids].sort()];
  if (podUids.length === 0) identity.push(planned.id);
  const digest = createHash('sha256').update(identity.join('\n')).digest();
  const suffix = Array.from(digest.subarray(0, SUFFIX_LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
  // A part of a name must end with a letter or a digit.
  const pool = nodePool.metadata.name.slice(0, MAX_NAME - SUFFIX_LENGTH - 1).replace(/[.-]+$/, '');
  return `${pool}-${suffix.join('')}`;
}
