/**
 * One step towards terminating an instance. When the cloud rejects it, an event says so on the Node and the claim:
 * otherwise a drained Node that stays looks as if its pods blocked it. The caller's rate limiter decides when to
 * retry.
 */
import { NODES, type Node, rethrowProgramError, type Stored } from '@chandler/kube';
import { NODE_CLAIMS } from '../../api/index.ts';
import { type CloudError, type DeleteStep, isCloudError } from '../../cloud/index.ts';
import { conditionOf } from '../../state/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import type { Claim } from '../lifecycle/claim-patch.ts';

/** @throws {CloudError} the error of the cloud, after it is reported. */
export async function terminateInstance(
  context: ReconcileScope,
  claim: Claim,
  node?: Stored<Node>,
): Promise<DeleteStep> {
  try {
    return await context.cloud.delete(claim, context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    if (!isCloudError(error)) throw error;
    if (error.kind === 'ManagedElsewhere' && (await isGone(context, claim))) return { state: 'gone' };
    if (!passes(error) || waitedMs(context, claim) >= REPORT_AFTER_MS) report(context, error, claim, node);
    throw error;
  }
}

// ---------------------------------------------------------------------------------------------------

/** Transient errors are reported only when they last. */
const REPORT_AFTER_MS = 2 * 60_000;

/** Termination sets these in order; the last transition is the time since when the instance blocks it. */
const STEPS = ['Drained', 'VolumesDetached', 'InstanceTerminating'];

const UNKNOWN = 'CreateInstanceFailed';
const OFTEN_PASSES = new Set([UNKNOWN, 'OperationInterrupted']);
const DEFAULT_ADVICE = 'the controller retries until the instance is terminated';

/** Another operation on the instance, a transient failure of the cloud, and unknown errors. */
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

/** Only its service may terminate it, but everyone may read whether it exists. */
async function isGone({ cloud, signal }: ReconcileScope, claim: Claim): Promise<boolean> {
  const { providerID } = claim.status ?? {};
  // An unknown instance is not a terminated one.
  if (!providerID) return false;
  try {
    await cloud.get(providerID, signal);
    return false;
  } catch (error) {
    signal.throwIfAborted();
    rethrowProgramError(error);
    return isCloudError(error, 'NotFound');
  }
}

function report(
  { events, cloud }: ControllerContext,
  error: CloudError,
  claim: Claim,
  node: Stored<Node> | undefined,
): void {
  const { reason } = error;
  const event = {
    type: 'Warning' as const,
    reason: 'FailedTermination',
    message: `Failed to terminate node, ${reason === UNKNOWN ? '' : `${reason}: `}${error.message}; ${cloud.terminationAdvice[reason] ?? DEFAULT_ADVICE}`,
  };
  // Clouds put request ids into their messages, so only the reason identifies the problem.
  const same = (uid = '') => ({ dedupeValues: [uid, reason], dedupeMs: EVENT_REPEAT_MS });
  events.publish({ ...event, ...same(claim.metadata.uid), resource: NODE_CLAIMS, object: claim });
  if (node !== undefined)
    events.publish({ ...event, ...same(node.metadata.uid), resource: NODES, object: node });
}

/** Someone must act first, which takes longer than the default of two minutes. */
const EVENT_REPEAT_MS = 15 * 60_000;
