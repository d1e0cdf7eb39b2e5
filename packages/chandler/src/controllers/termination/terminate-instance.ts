/**
 * One step towards giving a machine back. When the cloud will not take it this is said on the Node and the claim: a
 * drained Node that stays looks as if its pods held it. When to try again is for the caller's limiter to say.
 */
import { NODES } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { type CloudError, type DeleteStep, isCloudError } from '../../cloud/index.ts';
import { conditionOf, type NodeObject } from '../../state/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

/** @throws {CloudError} what the cloud said, after it was told. */
export async function terminateInstance(
  context: ReconcileScope,
  claim: Claim,
  node?: NodeObject,
): Promise<DeleteStep> {
  try {
    return await context.cloud.delete(claim, context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isCloudError(error)) throw error;
    if (error.kind === 'ManagedElsewhere' && (await isGone(context, claim))) return { state: 'gone' };
    if (!passes(error) || waitedMs(context, claim) >= PATIENCE_MS) report(context, error, claim, node);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** What mends itself is only told when it lasts. */
const PATIENCE_MS = 2 * 60_000;

/** The end goes through these; the last that moved says since when the machine is in the way. */
const STEPS = ['Drained', 'VolumesDetached', 'InstanceTerminating'];

const UNKNOWN = 'CreateInstanceFailed';
const OFTEN_PASSES = new Set([UNKNOWN, 'OperationInterrupted']);
const OTHERWISE = 'it is tried again until the machine is gone';

/** Another operation on the machine, a passing failure of the cloud, and errors that nobody knows. */
function passes({ kind, reason }: CloudError): boolean {
  return kind === 'Throttled' || kind === 'Unreachable' || OFTEN_PASSES.has(reason);
}

function waitedMs({ world }: ControllerContext, claim: Claim): number {
  const times = [
    claim.metadata.deletionTimestamp,
    ...STEPS.map((type) => conditionOf(claim, type)?.lastTransitionTime),
  ].map((text) => Date.parse(text ?? ''));
  return world.clock.now() - Math.max(...times.filter((time) => !Number.isNaN(time)));
}

/** Only its service may delete it; that it did, everybody can see. */
async function isGone({ cloud, signal }: ReconcileScope, claim: Claim): Promise<boolean> {
  const { providerID } = claim.status ?? {};
  // Not known yet is not gone.
  if (!providerID) return false;
  try {
    await cloud.get(providerID, signal);
    return false;
  } catch (error) {
    signal.throwIfAborted();
    return isCloudError(error, 'NotFound');
  }
}

function report(
  { events, cloud }: ControllerContext,
  error: CloudError,
  claim: Claim,
  node: NodeObject | undefined,
): void {
  const { reason } = error;
  const event = {
    type: 'Warning' as const,
    reason: 'FailedTermination',
    message: `Failed to terminate node, ${reason === UNKNOWN ? '' : `${reason}: `}${error.message}; ${cloud.terminationAdvice[reason] ?? OTHERWISE}`,
  };
  // Clouds put ids of the request into their texts: the same trouble in other words is no reporter.
  const same = (uid = '') => ({ dedupeValues: [uid, reason], dedupeMs: TOLD_AGAIN_MS });
  events.publish({ ...event, ...same(claim.metadata.uid), resource: NODE_CLAIMS, object: claim });
  if (node !== undefined)
    events.publish({ ...event, ...same(node.metadata.uid), resource: NODES, object: node });
}

/** People have to do something first: that takes longer than two minutes. */
const TOLD_AGAIN_MS = 15 * 60_000;
