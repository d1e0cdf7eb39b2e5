/** Liveness: a claim that does not get its machine, or whose machine never joins, is given up after a while. */
import type { Result } from '../../kube/index.ts';
import type { ControllerContext } from '../context.ts';
import type { ClaimDraft } from './draft.ts';

export const LAUNCH_TIMEOUT_MS = 5 * 60_000;
export const REGISTRATION_TIMEOUT_MS = 15 * 60_000;

export interface Liveness {
  /** Set: the claim is to be deleted. */
  readonly timedOut?: 'launch_timeout' | 'registration_timeout';
  readonly result: Result;
}

export function liveness({ world }: ControllerContext, draft: ClaimDraft): Liveness {
  if (draft.conditions.isTrue('Registered')) return { result: {} };
  const launched = draft.conditions.isTrue('Launched');
  const [type, limitMs, timedOut] = launched
    ? (['Registered', REGISTRATION_TIMEOUT_MS, 'registration_timeout'] as const)
    : (['Launched', LAUNCH_TIMEOUT_MS, 'launch_timeout'] as const);
  const since = Date.parse(draft.conditions.get(type)?.lastTransitionTime ?? '');
  // Waits that began before our clock say so; a time in the future would wait for ever.
  const leftMs = Math.min(limitMs, since + limitMs - world.clock.now());
  if (Number.isNaN(leftMs) || leftMs > 0)
    return { result: { again: Number.isNaN(leftMs) ? limitMs : leftMs } };
  return { timedOut, result: {} };
}
