/**
 * Which instance of a request in doubt belongs to a claim. The answer of CreateFleet deals instances by their ids; when it is
 * lost, EC2's lists are dealt alike. A list may lack instances for seconds: so the place in the list counts only when the
 * request has been known to be received for long enough. A name on an instance counts at once.
 */
import type { LaunchRecord } from '../launch/index.ts';
import { claimNameOf, type InstanceFacts } from './instance-facts.ts';

/** From then on EC2's lists are taken to be complete. */
export const LISTS_COMPLETE_MS = 60_000;

export interface OwnQuestion {
  readonly record: LaunchRecord;
  readonly claimName: string;
  /** All instances of the token, in whatever state, by id. */
  readonly found: readonly InstanceFacts[];
  /** Since when the request is known to have been received, if it is. */
  readonly knownMs: number;
}

export function ownInstance({ record, claimName, found, knownMs }: OwnQuestion): InstanceFacts | undefined {
  const named = found.find((facts) => claimNameOf(facts) === claimName);
  if (named !== undefined) return named;
  if (record.size === 1) return found[0];
  if (knownMs < LISTS_COMPLETE_MS) return undefined;
  const own = found[record.position];
  return own === undefined || claimNameOf(own) !== undefined ? undefined : own;
}
