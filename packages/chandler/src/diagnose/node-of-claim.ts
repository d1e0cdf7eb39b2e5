/** The node of a NodeClaim that has become one, where it is not among the evidence. Whether that is a failure, others decide. */
import { conditionOf, type EvidenceSet, isTrue, type NodeClaimEvidence } from '../causes/index.ts';

export interface AbsentNode {
  readonly name: string;
  /** It is known not to exist. Otherwise it was not read. */
  readonly isMissing: boolean;
  /** Since the NodeClaim was Initialized. */
  readonly ageMs: number;
}

/** A node that registers again, or a NodeClaim that is about to be deleted with its node, needs a moment. */
export const MISSING_NODE_MS = 60_000;

/** Undefined: the node was read, or the NodeClaim is not Initialized. */
export function absentNode(claim: NodeClaimEvidence, evidence: EvidenceSet): AbsentNode | undefined {
  const { nodeName: name = '' } = claim;
  if (!isTrue(claim, 'Initialized') || evidence.all('node').some((node) => node.name === name))
    return undefined;
  const unread = evidence.unread.find(({ kind, what }) => kind === 'node' && what === `Node ${name}`);
  const sinceMs = Date.parse(conditionOf(claim, 'Initialized')?.lastTransitionTime ?? '');
  return { name, isMissing: unread?.why === 'notFound', ageMs: evidence.ageMs(sinceMs || claim.createdAtMs) };
}
