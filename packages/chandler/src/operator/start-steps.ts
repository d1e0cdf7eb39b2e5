/** Steps of the start that wait for others, each with a time limit and an error that names what is missing. */
import {
  type Clock,
  type Controller,
  isApiError,
  rethrowProgramError,
  turnsOf,
  type World,
} from '@chandler/kube';
import {
  type CloudParts,
  type CloudProvider,
  isCloudError,
  repairPolicyProblems,
  StartError,
} from '../cloud/index.ts';
import type { Stores } from '../state/index.ts';

import { atMost } from './at-most.ts';

export const SYNC_LIMIT_MS = 120_000;
export const PREPARE_LIMIT_MS = 120_000;
const PREPARE_RETRY_MS = 10_000;

/** @throws {StartError} when the provider's policies contradict each other. */
export function checkRepairPolicies({ name, repairPolicies }: CloudProvider): void {
  const problems = repairPolicyProblems(repairPolicies);
  if (problems.length > 0) throw new StartError('BadCloud', `the cloud ${name}: ${problems.join('; ')}`);
}

/**
 * Fills all stores, without a limit as long as objects arrive: a large cluster is read in many pages.
 * @throws {StartError} that names the stores that could not be filled, and why.
 */
export async function synced(world: World, stores: Stores, signal: AbortSignal): Promise<void> {
  const filled = Promise.race([stores.start(), stopped(signal)]);
  for (let before = -1, now = 0; now > before; ) {
    before = now;
    const inTime = await atMost(world.clock, SYNC_LIMIT_MS, filled);
    signal.throwIfAborted();
    if (inTime) return;
    now = stores.reflectors.reduce((sum, { listed }) => sum + listed, 0);
  }
  const empty = stores.reflectors.filter(({ store }) => !store.synced);
  const forbidden = empty.some(({ lastError }) => isApiError(lastError, 'forbidden'));
  const list = empty.map(({ resource, lastError }) => {
    const why = lastError === undefined ? 'no answer' : messageOf(lastError);
    return `${resource} (${why})`;
  });
  throw new StartError(
    forbidden ? 'Forbidden' : 'NotSynced',
    `after ${SYNC_LIMIT_MS / 1000} s these could not be read: ${list.join('; ')}` +
      (forbidden ? `. Grant what ${rolesFor(empty)} lists` : ''),
  );
}

/** Deployments are read with an option alone, which has roles of its own. */
function rolesFor(empty: readonly { readonly resource: string }[]): string {
  const own = empty.every(({ resource }) => resource === 'deployments.apps');
  return own ? 'deploy/rbac-disruption-surge.yaml' : 'deploy/rbac.yaml';
}

/** Each controller reads its stores at the start, which takes long in a large cluster: not all of them in one turn. */
export async function startInTurns(
  controllers: readonly Controller[],
  clock: Clock,
  signal: AbortSignal,
): Promise<void> {
  const started: Promise<void>[] = [];
  for (const controller of controllers) {
    await turnsOf(clock).pass();
    if (signal.aborted) return;
    started.push(controller.start());
  }
  await Promise.all(started);
}

/** Prepares the cloud and retries, since roles take minutes to become effective. @throws {StartError} with the last error. */
export async function prepared(world: World, parts: CloudParts, signal: AbortSignal): Promise<void> {
  const startMs = world.clock.monotonic();
  for (;;) {
    try {
      // A stop does not wait for the timeouts of a cloud that does not answer.
      await Promise.race([parts.prepare?.(signal), stopped(signal)]);
      signal.throwIfAborted();
      return;
    } catch (error) {
      if (error instanceof StartError || signal.aborted) throw error;
      rethrowProgramError(error);
      const waitedMs = world.clock.monotonic() - startMs;
      if (waitedMs >= PREPARE_LIMIT_MS) {
        const text = `the cloud ${parts.cloud.name} is not ready after ${PREPARE_LIMIT_MS / 1000} s: ${messageOf(error)}`;
        throw new StartError('CloudNotReady', text, { cause: error });
      }
      world.log.warn('the cloud is not ready yet', {
        cloud: parts.cloud.name,
        error: messageOf(error),
        ...(isCloudError(error) ? { reason: error.reason } : {}),
      });
      await world.clock.sleep(PREPARE_RETRY_MS, signal);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function stopped(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
