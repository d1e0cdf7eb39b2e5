/**
 * The end of a claim: its Nodes first (they drain), then the machine, the finalizer last. A claim whose launch was
 * begun and never recorded is asked about too: the cloud knows machines by the claim's UID.
 */
import {
  isApiError,
  type KubeClient,
  keyOfObject,
  NODES,
  parseDurationMs,
  type ResourceRef,
  type Result,
} from '@chandler/kube';
import { Finalizer, KarpenterAnnotation, KarpenterLabel } from '../../api/index.ts';
import { BY_PROVIDER_ID, type NodeObject } from '../../state/index.ts';

import type { ReconcileScope } from '../context.ts';
import { terminateInstance } from '../termination/terminate-instance.ts';
import { CLAIMS, ClaimPatch } from './claim-patch.ts';
import type { LifecycleReporter } from './lifecycle-reporter.ts';

/** It wakes us itself when it is seen; this is for when it never is. */
const NODE_GOES_MS = 5_000;

export async function finalize(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
): Promise<Result> {
  const { claim } = claimPatch;
  if (!claim.metadata.finalizers?.includes(Finalizer.termination)) return {};
  stampDeadline(claimPatch);
  const waits = await waitsForNodes(context, claimPatch);
  // Before the cloud is asked: it may refuse, and what is known by now is so all the same.
  await claimPatch.write(context.client);
  if (waits) return {};
  const step = await terminateInstance(context, claimPatch.claim);
  if (step.state === 'deleting') {
    const going = new ClaimPatch(claimPatch.claim, context.world.clock.now());
    going.conditions.setTrue('InstanceTerminating');
    await going.write(context.client);
    return { requeueAfterMs: step.retryAfterMs };
  }
  if (await deleteUnseenNode(context, claimPatch)) return { requeueAfterMs: NODE_GOES_MS };
  await dropFinalizer(context, claimPatch);
  reporter.terminated(context, claimPatch);
  return {};
}

// ---------------------------------------------------------------------------------------------------

/** From here on the pods on its node know until when they may stay. */
function stampDeadline(claimPatch: ClaimPatch): void {
  const { metadata, spec } = claimPatch.claim;
  if (spec.terminationGracePeriod === undefined || metadata.deletionTimestamp === undefined) return;
  if (metadata.annotations?.[KarpenterAnnotation.terminationTimestamp] !== undefined) return;
  const endMs = Date.parse(metadata.deletionTimestamp) + parseDurationMs(spec.terminationGracePeriod);
  const text = new Date(endMs).toISOString().replace(/\.\d+Z$/, 'Z');
  claimPatch.setAnnotations({ [KarpenterAnnotation.terminationTimestamp]: text });
}

/** Deletes the Nodes of the machine; true while there are any. Their own controller drains them. */
async function waitsForNodes(context: ReconcileScope, claimPatch: ClaimPatch): Promise<boolean> {
  if (claimPatch.providerID === '') return false;
  const nodes = context.stores.nodes.store.by(BY_PROVIDER_ID, claimPatch.providerID);
  for (const node of nodes) await deleteNode(context.client, node);
  return nodes.length > 0;
}

/**
 * The Node of a machine that joined just before it was deleted may not have come to us yet. Once the machine is gone none
 * can come any more, so that the server knows for certain. True while there is one.
 */
async function deleteUnseenNode({ client, cloud }: ReconcileScope, claimPatch: ClaimPatch): Promise<boolean> {
  const name = cloud.nodeName(claimPatch.claim);
  const node = await client.find(NODES as ResourceRef<NodeObject>, { name });
  if (node === undefined || !isNodeOf(claimPatch, node)) return false;
  await deleteNode(client, node);
  return true;
}

/** A kubelet may join before anybody has said which machine it runs on; and a claim may end before it says which it got. */
function isNodeOf({ claim, providerID }: ClaimPatch, { metadata, spec }: NodeObject): boolean {
  const machine = spec?.providerID ?? '';
  if (machine !== '' && providerID !== '') return machine === providerID;
  const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
  return pool !== undefined && metadata.labels?.[KarpenterLabel.nodePool] === pool;
}

async function deleteNode(client: KubeClient, node: NodeObject): Promise<void> {
  if (node.metadata.deletionTimestamp !== undefined) return;
  const preconditions = { uid: node.metadata.uid ?? '' };
  try {
    await client.delete(NODES as ResourceRef<NodeObject>, keyOfObject(node), { preconditions });
  } catch (error) {
    if (!isApiError(error, 'notFound', 'conflict')) throw error;
  }
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
