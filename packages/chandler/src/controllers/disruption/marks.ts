/**
 * The marks of a command on its nodes: the annotation with the command and the condition on the NodeClaim, and the taint on
 * the Node. Each is written only if it is missing, on the version that was read, so that every step can be repeated.
 */
import { isApiError, keyOfObject, NODES, type Node, type Stored } from '@chandler/kube';
import { ChandlerAnnotation, DISRUPTED_TAINT, sameTaint } from '../../api/index.ts';
import { conditionOf } from '../../state/index.ts';
import type { ReconcileScope } from '../context.ts';
import { CLAIMS, type Claim, ClaimPatch } from '../lifecycle/claim-patch.ts';

/** Annotation first: a taint without it would be removed as one of nobody's. */
export async function markClaim(
  { client, world }: ReconcileScope,
  claim: Claim,
  reason: string,
  text: string,
): Promise<void> {
  const patch = new ClaimPatch(claim, world.clock.now());
  patch.setAnnotations({ [ChandlerAnnotation.disruptionCommand]: text });
  patch.conditions.setTrue('DisruptionReason', reason, reason);
  await unlessGone(patch.write(client));
}

export async function taintNode({ client }: ReconcileScope, node: Stored<Node>): Promise<void> {
  const taints = node.spec?.taints ?? [];
  if (isDisrupted(node)) return;
  await unlessGone(client.patch(NODES, keyOfObject(node), taintPatch(node, [...taints, DISRUPTED_TAINT])));
}

/** Annotation last: while it is there, the command is known to be unfinished. */
export async function clearMarks(
  scope: ReconcileScope,
  claim: Claim,
  node: Stored<Node> | undefined,
): Promise<void> {
  const { client, world } = scope;
  if (node !== undefined) await untaintNode(scope, node);
  const patch = new ClaimPatch(claim, world.clock.now());
  patch.conditions.clear('DisruptionReason');
  if (conditionOf(claim, 'DisruptionReason') !== undefined) await unlessGone(patch.write(client));
  const last = new ClaimPatch(patch.claim, world.clock.now());
  last.setAnnotations({ [ChandlerAnnotation.disruptionCommand]: null });
  if (claim.metadata.annotations?.[ChandlerAnnotation.disruptionCommand] !== undefined)
    await unlessGone(last.write(client));
}

/** A node that is being deleted keeps its taint: it is drained. */
export async function untaintNode({ client }: ReconcileScope, node: Stored<Node>): Promise<void> {
  if (!isDisrupted(node) || node.metadata.deletionTimestamp !== undefined) return;
  const kept = (node.spec?.taints ?? []).filter((taint) => !sameTaint(taint, DISRUPTED_TAINT));
  await unlessGone(client.patch(NODES, keyOfObject(node), taintPatch(node, kept)));
}

/** The last step: its node is drained as usual. */
export async function removeClaim({ client }: ReconcileScope, claim: Claim): Promise<void> {
  try {
    await client.delete(CLAIMS, keyOfObject(claim), { preconditions: { uid: claim.metadata.uid } });
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
}

export function isDisrupted({ spec }: Stored<Node>): boolean {
  return (spec?.taints ?? []).some((taint) => sameTaint(taint, DISRUPTED_TAINT));
}

// ---------------------------------------------------------------------------------------------------

function taintPatch({ metadata }: Stored<Node>, taints: readonly object[]) {
  const patch = { metadata: { resourceVersion: metadata.resourceVersion }, spec: { taints } };
  return { type: 'merge', patch } as const;
}

async function unlessGone(write: Promise<unknown>): Promise<void> {
  try {
    await write;
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
