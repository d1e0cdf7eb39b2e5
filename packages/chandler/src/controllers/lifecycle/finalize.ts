/**
 * Finalizes a deleted claim: deletes its Nodes first (they are drained), then terminates the instance, and removes
 * the finalizer last. The cloud is asked even when no launch was recorded: it finds instances by the claim's UID.
 */
import {
  isApiError,
  keyOfObject,
  NODES,
  type Node,
  type Result,
  readDurationMs,
  type Stored,
} from '@chandler/kube';
import { Finalizer, KarpenterAnnotation, KarpenterLabel } from '../../api/index.ts';
import { BY_PROVIDER_ID } from '../../state/index.ts';

import type { ReconcileScope } from '../context.ts';
import { drainBoundOf } from '../disruption/command-record.ts';
import { deleteNode } from '../nodes/delete-node.ts';
import { terminateInstance } from '../termination/terminate-instance.ts';
import { CLAIMS, ClaimPatch } from './claim-patch.ts';
import type { LifecycleReporter } from './lifecycle-reporter.ts';

/** The Node's deletion triggers a reconcile; this interval covers a Node that no watch delivers. */
const NODE_CHECK_MS = 5_000;

export async function finalize(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
): Promise<Result> {
  const { claim } = claimPatch;
  if (!claim.metadata.finalizers?.includes(Finalizer.termination)) return {};
  stampDeadline(claimPatch);
  const waits = await waitsForNodes(context, claimPatch);
  // Before the call to the cloud, which may fail: what is known so far is written in any case.
  await claimPatch.write(context.client);
  if (waits) return {};
  if (await hasUnseenNode(context, claimPatch)) return { requeueAfterMs: NODE_CHECK_MS };
  const step = await terminateInstance(context, claimPatch.claim);
  if (step.state === 'deleting') {
    const going = new ClaimPatch(claimPatch.claim, context.world.clock.now());
    going.conditions.setTrue('InstanceTerminating');
    await going.write(context.client);
    return { requeueAfterMs: step.retryAfterMs };
  }
  if (await deleteUnseenNode(context, claimPatch)) return { requeueAfterMs: NODE_CHECK_MS };
  await dropFinalizer(context, claimPatch);
  reporter.terminated(context, claimPatch);
  return {};
}

// ---------------------------------------------------------------------------------------------------

/** Sets the deadline by which the pods on its node must be gone: of the claim, and of the repair that removes it. */
function stampDeadline(claimPatch: ClaimPatch): void {
  const { metadata, spec } = claimPatch.claim;
  if (metadata.deletionTimestamp === undefined) return;
  if (metadata.annotations?.[KarpenterAnnotation.terminationTimestamp] !== undefined) return;
  // One that is too long to be read never ends.
  const own =
    spec.terminationGracePeriod === undefined ? undefined : readDurationMs(spec.terminationGracePeriod);
  const bounds = [own, drainBoundOf(claimPatch.claim)].filter((bound) => bound !== undefined);
  if (bounds.length === 0) return;
  const endMs = Date.parse(metadata.deletionTimestamp) + Math.min(...bounds);
  const text = new Date(endMs).toISOString().replace(/\.\d+Z$/, 'Z');
  claimPatch.setAnnotations({ [KarpenterAnnotation.terminationTimestamp]: text });
}

/** Deletes the Nodes of the instance; true while any exists. `termination/` drains them. */
async function waitsForNodes(context: ReconcileScope, claimPatch: ClaimPatch): Promise<boolean> {
  if (claimPatch.providerID === '') return false;
  const nodes = context.stores.nodes.store.by(BY_PROVIDER_ID, claimPatch.providerID);
  for (const node of nodes) await deleteNode(context.client, node);
  return nodes.length > 0;
}

/** A Node that only the server has: it is drained like the others, once the store shows it. */
async function hasUnseenNode(context: ReconcileScope, claimPatch: ClaimPatch): Promise<boolean> {
  const { stores, client, cloud } = context;
  if (stores.nodes.failingMs === 0 || claimPatch.conditions.isTrue('InstanceTerminating')) return false;
  const node = await client.find(NODES, { name: cloud.nodeName(claimPatch.claim) });
  return node !== undefined && isNodeOf(claimPatch, node);
}

/**
 * A Node that registered just before the instance was terminated may not be in the stores yet. Once the instance is
 * gone no new Node can register, so the server has the final answer. True while there is one.
 */
async function deleteUnseenNode({ client, cloud }: ReconcileScope, claimPatch: ClaimPatch): Promise<boolean> {
  const name = cloud.nodeName(claimPatch.claim);
  const node = await client.find(NODES, { name });
  if (node === undefined || !isNodeOf(claimPatch, node)) return false;
  await deleteNode(client, node);
  return true;
}

/** A Node may register before its providerID is set, and a claim may be deleted before its own is set. */
function isNodeOf({ claim, providerID }: ClaimPatch, { metadata, spec }: Stored<Node>): boolean {
  const machine = spec?.providerID ?? '';
  if (machine !== '' && providerID !== '') return machine === providerID;
  const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
  return pool !== undefined && metadata.labels?.[KarpenterLabel.nodePool] === pool;
}

async function dropFinalizer({ client }: ReconcileScope, claimPatch: ClaimPatch): Promise<void> {
  const { metadata } = claimPatch.claim;
  const finalizers = (metadata.finalizers ?? []).filter((name) => name !== Finalizer.termination);
  const patch = { metadata: { resourceVersion: metadata.resourceVersion, finalizers } };
  try {
    await client.patch(CLAIMS, keyOfObject(claimPatch.claim), { type: 'merge', patch });
  } catch (error) {
    if (!isApiError(error, 'notFound')) throw error;
  }
}
