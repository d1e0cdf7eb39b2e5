/** Whether a Ready node takes new pods, in words. What keeps them away is on the node; why it is disrupted, on its NodeClaim. */
import { DISRUPTED_TAINT } from '../api/index.ts';
import { conditionOf, type EvidenceSet, type NodeClaimEvidence, type NodeEvidence } from '../causes/index.ts';

export interface ClosedNode {
  /** `Ready, and cordoned`. */
  readonly text: string;
  /** It is being replaced, since then; undefined: somebody wants it to take no pods. */
  readonly disruptedAtMs?: number;
}

/** Undefined: new pods are scheduled to it. */
export function closedNode(
  node: NodeEvidence,
  claim: NodeClaimEvidence | undefined,
  evidence: EvidenceSet,
): ClosedNode | undefined {
  const { key, effect } = DISRUPTED_TAINT;
  if (node.taints.some((taint) => taint.key === key && taint.effect === effect)) {
    const reason = claim === undefined ? undefined : conditionOf(claim, 'DisruptionReason');
    // Left behind by a controller that has stopped, or set by hand: since when is not known.
    if (claim !== undefined && reason?.status !== 'True')
      return {
        text: `Ready, and takes no new pods: it has the taint ${key}, and its NodeClaim has no DisruptionReason`,
      };
    const why = reason?.reason ? ` (${reason.reason})` : '';
    const sinceMs = Date.parse(reason?.lastTransitionTime ?? '');
    return { text: `Ready, and is being disrupted${why}`, disruptedAtMs: sinceMs || evidence.atMs };
  }
  return node.unschedulable ? { text: 'Ready, and cordoned' } : undefined;
}
