/**
 * Launch: asks the cloud for the claim's instance, one step at a time, until the cloud has accepted it and all its
 * parts exist. A permanent failure deletes the claim, so that its pods are scheduled again.
 */
import type { Result, Stored } from '@chandler/kube';
import { ChandlerAnnotation, type NodePool } from '../../api/index.ts';
import { type BootstrapFailure, CloudError, type Instance, isCloudError } from '../../cloud/index.ts';
import { appendStages, type Stage } from '../../journey/index.ts';
import { classKey, conditionOf, isTerminating, type ObjectCondition } from '../../state/index.ts';

import type { ControllerContext, ReconcileScope } from '../context.ts';
import { overlaysInForce } from '../overlays/overlays-in-force.ts';
import { backoffKey } from '../provisioning/planning.ts';
import type { Claim, ClaimPatch } from './claim-patch.ts';
import type { LifecycleReporter } from './lifecycle-reporter.ts';

/** On a claim whose instance is accepted but not complete: its launch continues after a restart. */
export const SETTLING_ANNOTATION = 'chandler.sh/launch-settling';
/** Of the message of a condition, as in Karpenter v1.15. */
const MAX_MESSAGE = 1024;

export type LaunchOutcome =
  | { readonly next: 'continue'; readonly result: Result; readonly rateLimited?: boolean }
  /** The claim must be deleted. */
  | { readonly next: 'delete'; readonly reason: string }
  /** The instance was launched and failed to bootstrap. */
  | { readonly next: 'bootstrapFailed'; readonly failure: BootstrapFailure };

export async function launch(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
): Promise<LaunchOutcome> {
  const launched = claimPatch.conditions.get('Launched');
  const settling = claimPatch.annotations[SETTLING_ANNOTATION] !== undefined;
  // A claim that lost its providerID is launched again: the cloud finds the instance by the claim's UID.
  if (launched?.status === 'True' && !settling && claimPatch.providerID !== '')
    return { next: 'continue', result: {} };
  const { stores, cloud, signal } = context;
  const { claim } = claimPatch;
  const nodeClass = stores.nodeClass(claim.spec.nodeClassRef);
  if (nodeClass === undefined || (isTerminating(nodeClass) && launched?.status !== 'True'))
    return unresolvedClass(context, claimPatch, reporter, nodeClass);
  const nodePool = poolOf(context, claimPatch);
  try {
    const overlays = overlaysInForce(context);
    const request = { claim, nodeClass, overlays, ...(nodePool === undefined ? {} : { nodePool }) };
    const step = await cloud.create(request, signal);
    keepStages(claimPatch, step.stages);
    if (step.state === 'waiting')
      return {
        next: 'continue',
        result: { requeueAfterMs: step.retryAfterMs },
        rateLimited: step.rateLimited === true,
      };
    const { instance, settled } = step;
    claimPatch.setLabels({ ...instance.labels, ...claim.metadata.labels });
    // Annotations recorded at the launch are kept: the class or the cluster may have changed since.
    const recorded = launched?.status === 'True' ? claimPatch.annotations : {};
    const fresh = Object.entries(instance.annotations).filter(([key]) => recorded[key] === undefined);
    claimPatch.setAnnotations({
      ...Object.fromEntries(fresh),
      [SETTLING_ANNOTATION]: settled ? null : 'true',
    });
    claimPatch.setStatus({
      providerID: instance.providerID,
      ...(instance.imageID === undefined ? {} : { imageID: instance.imageID }),
      ...resourcesOf(claim, instance, launched?.status === 'True'),
    });
    if (claimPatch.conditions.setTrue('Launched'))
      claimPatch.onceWritten(() => reporter.launched(context, claimPatch, instance));
    if (settled && nodePool !== undefined) context.backoff.succeeded(backoffKey(context, nodePool));
    return { next: 'continue', result: settled ? {} : { requeueAfterMs: step.retryAfterMs ?? 1_000 } };
  } catch (error) {
    signal.throwIfAborted();
    if (!isCloudError(error)) throw error;
    keepStages(claimPatch, error.stages);
    const failure = error.instanceFailed
      ? await cloud.bootstrap?.afterFailure(claim, error, signal)
      : undefined;
    if (failure !== undefined) return { next: 'bootstrapFailed', failure };
    return failed(context, claimPatch, reporter, error, nodePool);
  }
}

// ---------------------------------------------------------------------------------------------------

/** Those of the launch: the class may have changed since, and the size may no longer be offered. */
function resourcesOf({ status }: Claim, instance: Instance, wasLaunched: boolean) {
  const isRecorded = wasLaunched && Object.keys(status?.capacity ?? {}).length > 0;
  return isRecorded ? {} : { capacity: { ...instance.capacity }, allocatable: { ...instance.allocatable } };
}

interface Conditioned {
  readonly status?: { readonly conditions?: ObjectCondition[] };
}

function poolOf(context: ControllerContext, claimPatch: ClaimPatch): Stored<NodePool> | undefined {
  const name = claimPatch.claim.metadata.labels?.['karpenter.sh/nodepool'];
  return name === undefined ? undefined : context.stores.pools.store.get({ name });
}

/** As upstream: without its class no instance is possible for the claim, so it counts as missing capacity. */
function unresolvedClass(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
  nodeClass: Stored | undefined,
): LaunchOutcome {
  const { group, kind, name } = claimPatch.claim.spec.nodeClassRef;
  const problem = nodeClass === undefined ? 'does not exist' : 'is being deleted';
  const message = `${kind} ${name} (${group}) ${problem}`;
  if (claimPatch.conditions.isTrue('Launched')) {
    const error = new CloudError('NodeClassNotReady', message);
    return failed(context, claimPatch, reporter, error, poolOf(context, claimPatch));
  }
  reporter.classUnresolved(claimPatch, message);
  const error = new CloudError('InsufficientCapacity', `resolving node class, ${message}`);
  return failed(context, claimPatch, reporter, error, poolOf(context, claimPatch));
}

function failed(
  context: ReconcileScope,
  claimPatch: ClaimPatch,
  reporter: LifecycleReporter,
  error: CloudError,
  nodePool: Stored<NodePool> | undefined,
): LaunchOutcome {
  const wasLaunched = claimPatch.conditions.isTrue('Launched');
  reporter.launchFailed(context, claimPatch, error, nodePool);
  if (error.kind === 'InsufficientCapacity') {
    pause(context, claimPatch.claim, error, nodePool);
    return { next: 'delete', reason: 'insufficient_capacity' };
  }
  if (error.kind === 'NodeClassNotReady' && !wasLaunched) {
    pause(context, claimPatch.claim, error, nodePool);
    return { next: 'delete', reason: 'nodeclass_not_ready' };
  }
  const final = error.advice.retry === 'never';
  // An instance that disappeared is no reason to back off its pool.
  if (final && error.kind !== 'NotFound' && nodePool !== undefined)
    backOff(context, claimPatch.claim, error, nodePool);
  if (final || error.instanceFailed)
    return {
      next: 'delete',
      reason: wasLaunched || error.instanceFailed ? 'async_provisioning' : 'launch_failed',
    };
  if (!wasLaunched) claimPatch.conditions.setUnknown('Launched', error.reason, cut(error.message));
  if (error.advice.retry === 'after')
    return { next: 'continue', result: { requeueAfterMs: error.advice.ms } };
  throw error;
}

/** Claims that were created before the last counted failure belong to the same incident and do not count again. */
function backOff(context: ReconcileScope, claim: Claim, error: CloudError, nodePool: Stored<NodePool>): void {
  const { backoff, world } = context;
  const key = backoffKey(context, nodePool);
  if (backoff.failedSince(key, claim)) return;
  const { failures } = backoff.failed(key, error.reason);
  world.log.warn('launch failed permanently, backing off the nodepool', {
    nodepool: nodePool.metadata.name,
    reason: error.reason,
    failures,
  });
}

/**
 * Backs off a pool whose next launch would fail at once. Static pools are not scheduled, so no plan avoids capacity that
 * is not available; and no plan knows a class that is Ready and still cannot be launched. Claims that fail during the
 * backoff were launched together with the first one and do not count again.
 */
function pause(
  context: ControllerContext,
  claim: Claim,
  error: CloudError,
  nodePool: Stored<NodePool> | undefined,
): void {
  // A pool that references another class now creates other claims.
  if (nodePool === undefined || !sameClass(claim.spec, nodePool.spec.template.spec)) return;
  if (error.kind === 'InsufficientCapacity' && nodePool.spec.replicas === undefined) return;
  // A class that is not Ready makes its pool not Ready; both continue without a backoff.
  if (error.kind === 'NodeClassNotReady' && !saysReady(context, nodePool)) return;
  const key = backoffKey(context, nodePool);
  if (context.backoff.holding(key) === undefined) context.backoff.failed(key, error.reason, 0);
}

function sameClass(
  one: Pick<Claim['spec'], 'nodeClassRef'>,
  other: Pick<Claim['spec'], 'nodeClassRef'>,
): boolean {
  return classKey(one.nodeClassRef) === classKey(other.nodeClassRef);
}

function saysReady({ stores }: ControllerContext, { spec }: NodePool): boolean {
  const nodeClass = stores.nodeClass(spec.template.spec.nodeClassRef) as Conditioned | undefined;
  return nodeClass !== undefined && conditionOf(nodeClass, 'Ready')?.status === 'True';
}

function cut(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 3)}...`;
}

/** Written together with other changes: a launch that only waits writes nothing. The cloud has logged them. */
function keepStages(claimPatch: ClaimPatch, stages: readonly Stage[]): void {
  if (!stages.some(({ outcome }) => outcome !== 'waiting')) return;
  const known = claimPatch.annotations[ChandlerAnnotation.journey];
  claimPatch.setAnnotations({ [ChandlerAnnotation.journey]: appendStages(known, stages) });
}
