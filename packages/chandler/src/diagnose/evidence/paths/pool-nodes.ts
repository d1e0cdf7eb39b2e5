/** The nodes of a NodePool in question: how many there should be, and which are not Ready or do not terminate. */
import { NODES } from '@chandler/kube';
import { KarpenterLabel } from '../../../api/index.ts';
import { isFound, listFailure, type PoolNodes } from '../../../causes/index.ts';

import type { GatherContext } from '../gather-context.ts';
import {
  type ClaimShape,
  conditionsOf,
  isInitialized,
  type NodeShape,
  type PoolShape,
  timeMs,
} from '../shapes.ts';

/** Nodes are large; of more, reading all would take longer than an answer may. */
const MAX_NODES = 500;
const UNREADY_LONG_MS = 2 * 60_000;
/** A node is drained, and its VM deleted, in this time. */
const TERMINATION_LONG_MS = 15 * 60_000;

export async function nodesOfPool(
  { reader, recorder }: GatherContext,
  pool: PoolShape,
  claims: readonly ClaimShape[],
  isWhole: boolean,
): Promise<PoolNodes> {
  const { name } = pool.metadata;
  const ageMs = (time: string | undefined) => recorder.atMs - (timeMs(time) ?? recorder.atMs);
  const isLeaving = ({ metadata }: ClaimShape | NodeShape) => metadata.deletionTimestamp !== undefined;
  const looked = await reader.list(NODES, {
    labels: { [KarpenterLabel.nodePool]: name },
    atMost: MAX_NODES,
  });
  const failure = listFailure(looked);
  if (failure !== undefined) recorder.addUnread('node', `Nodes of NodePool ${name}`, failure);
  const nodes = isFound(looked) ? (looked.found as readonly NodeShape[]) : [];
  const starting = new Set(
    claims.filter((claim) => !isInitialized(claim)).map(({ status }) => status?.nodeName),
  );
  const unready = nodes
    .filter((node) => !isLeaving(node) && !starting.has(node.metadata.name))
    .flatMap((node) => {
      const ready = conditionsOf(node).find(({ type }) => type === 'Ready');
      if (ready?.status === 'True') return [];
      const sinceMs = ageMs(ready?.lastTransitionTime || node.metadata.creationTimestamp);
      return [{ name: node.metadata.name, isLong: sinceMs > UNREADY_LONG_MS }];
    })
    // The longest first: it is named.
    .sort((one, other) => Number(other.isLong) - Number(one.isLong));
  return {
    wanted: pool.spec.replicas,
    claims: isWhole ? claims.filter((claim) => !isLeaving(claim)).length : undefined,
    terminatingForLong: claims
      .filter(({ metadata }) => ageMs(metadata.deletionTimestamp) > TERMINATION_LONG_MS)
      .map(({ metadata }) => metadata.name),
    unready: failure === undefined ? unready.map((each) => each.name) : undefined,
    isUnreadyForLong: unready.some(({ isLong }) => isLong),
    cutAt: nodes.length >= MAX_NODES ? MAX_NODES : undefined,
  };
}
