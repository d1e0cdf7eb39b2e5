/** Evidence about a pool: itself, its class, and those of its claims that are not nodes yet. */
import { KarpenterLabel, NODE_CLAIMS } from '../../../api/index.ts';
import { isTrue, listOr, type ReadObject, wholeFailure } from '../../../causes/index.ts';

import { urgentFirst } from '../claim-order.ts';
import { readPoolErrors } from '../cloud-errors.ts';
import { readController } from '../controller.ts';
import { readCseEvents } from '../cse-events.ts';
import type { GatherContext } from '../gather-context.ts';
import { readPool } from '../pools.ts';
import { type ClaimShape, isInitialized, type PoolShape, timeMs } from '../shapes.ts';
import { readUnregistered } from './claim.ts';
import { followClaims } from './follow-claims.ts';
import { nodesOfPool } from './pool-nodes.ts';
import { WaitingPods } from './waiting-pods.ts';

const LATELY_MS = 3600_000;
/** A launch that failed less than this time ago counts, also if no pod is pending any more. */
const RECENT_MS = 10 * 60_000;
const MAX_CLAIMS = 10;

export async function gatherPool(context: GatherContext, object: ReadObject): Promise<void> {
  const pool = object as PoolShape;
  const controller = await readController(context);
  const claims = await claimsOfPool(context, pool.metadata.name);
  const unfinished = unfinishedClaims(context, claims);
  const isWhole = !context.recorder.evidence().couldNotRead('nodeClaim');
  const nodes = await nodesOfPool(context, pool, claims, isWhole);
  const isKnown = unfinished.length > 0 || isWhole;
  const events = await readPool(context, pool, {
    nodes,
    ...(isKnown ? { unfinishedClaims: unfinished.length } : {}),
  });
  await followClaims(context, controller, unfinished.slice(0, MAX_CLAIMS));
  await readUnregistered(context, unfinished);
  const waiting = new WaitingPods(context, pool.metadata.name);
  const overBeforeMs = context.recorder.atMs - RECENT_MS;
  // What the cloud refused is not requested again for up to a day: no NodeClaim shows that pods are still pending for it.
  const isOver =
    unfinished.length === 0 &&
    launchesFreely(context, pool.metadata.name) &&
    events.some(({ type, lastMs }) => type === 'Warning' && lastMs < overBeforeMs) &&
    (await waiting.areNone());
  const window = { sinceMs: sinceOf(context, claims), ...(isOver ? { overBeforeMs } : {}) };
  readPoolErrors(context, pool.metadata.name, events, window);
  await readCseEvents(context, events, window);
  // A NodeClaim that could not be read may be what a pod waits for.
  const unknownPods = await waiting.read(unfinished.length > 0 || !isWhole);
  const evidence = context.recorder.evidence().all('nodePool');
  const own = evidence.find(({ name }) => name === pool.metadata.name);
  if (own !== undefined && unknownPods.length > 0) context.recorder.add({ ...own, unknownPods });
}

export async function claimsOfPool(
  { reader, recorder }: GatherContext,
  pool: string,
): Promise<readonly ClaimShape[]> {
  const looked = await reader.list(NODE_CLAIMS, { labels: { [KarpenterLabel.nodePool]: pool } });
  const failure = wholeFailure(looked);
  if (failure !== undefined) recorder.addUnread('nodeClaim', `NodeClaims of NodePool ${pool}`, failure);
  return listOr(looked) as readonly ClaimShape[];
}

/** Not nodes yet, and not meant to go; those that fail, or are late, first. */
export function unfinishedClaims(
  { recorder }: Pick<GatherContext, 'recorder'>,
  claims: readonly ClaimShape[],
): readonly ClaimShape[] {
  const unfinished = claims.filter(
    (claim) => timeMs(claim.metadata.deletionTimestamp) === undefined && !isInitialized(claim),
  );
  return urgentFirst(unfinished, recorder.atMs);
}

/** What failed before the last VM joined is over. */
export function sinceOf({ recorder }: GatherContext, claims: readonly ClaimShape[]): number {
  const joined = claims.flatMap(({ status }) => {
    const registered = status?.conditions?.find(({ type }) => type === 'Registered');
    return registered?.status === 'True' ? [timeMs(registered.lastTransitionTime) ?? 0] : [];
  });
  return Math.max(recorder.atMs - LATELY_MS, ...joined);
}

// ---------------------------------------------------------------------------------------------------

/** Nothing keeps the pool from trying again, and its claims are known. */
function launchesFreely({ recorder }: GatherContext, name: string): boolean {
  const evidence = recorder.evidence();
  const pool = evidence.all('nodePool').find((each) => each.name === name);
  return (
    pool !== undefined &&
    isTrue(pool, 'Ready') &&
    pool.heldBack === undefined &&
    !evidence.couldNotRead('nodeClaim')
  );
}
