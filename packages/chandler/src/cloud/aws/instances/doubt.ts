/**
 * Which instance of a request in doubt belongs to a claim. The claims that keep its token and have no instance share what was
 * launched with it, both in order. A list of EC2 may lack instances for seconds: so it is dealt from only when the request has
 * been known to be received for long enough. A name on an instance counts at once.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';

import { type LaunchRecord, parseLaunchRecord } from '../launch/index.ts';
import type { LaunchRecordStore } from './aws-cloud-deps.ts';
import { claimNameOf, type InstanceFacts, isEnding } from './instance-facts.ts';
import type { Launches } from './launches.ts';
import { providerIdOf } from './provider-id.ts';

/** From then on EC2's lists are taken to be complete. */
export const LISTS_COMPLETE_MS = 60_000;

export interface OwnQuestion {
  readonly claim: Stored<NodeClaim>;
  readonly record: LaunchRecord;
  /** All instances of the token, in whatever state, by id. */
  readonly found: readonly InstanceFacts[];
  /** For how long the request is known to have been received. */
  readonly knownMs: number;
}

/** Who else may have the instance. */
export interface OwnParts {
  readonly deps: { readonly records: Pick<LaunchRecordStore, 'ownerOf' | 'pending' | 'textOf'> };
  readonly launches: Pick<Launches, 'owners' | 'peek'>;
}

export interface Sharer {
  readonly uid: string;
  readonly name: string;
}

export function ownInstance(parts: OwnParts, question: OwnQuestion): InstanceFacts | undefined {
  const { claim, record, found, knownMs } = question;
  const named = found.find((facts) => claimNameOf(facts) === claim.metadata.name);
  if (named !== undefined) return named;
  // Also when it has ended: the claim has had its instance.
  if (record.size === 1) return found[0];
  if (knownMs < LISTS_COMPLETE_MS) return undefined;
  const { records } = parts.deps;
  const owners = parts.launches.owners();
  const names = new Set(found.map(claimNameOf));
  const unnamed = sharersOf(claim, record, records).filter(
    ({ uid, name }) => !names.has(name) && (uid === claim.metadata.uid || !hasInstance(parts, uid)),
  );
  const isTaken = (facts: InstanceFacts) =>
    owners.has(facts.id) || records.ownerOf(providerIdOf(facts)) !== undefined;
  const free = found.filter((facts) => claimNameOf(facts) === undefined && !isTaken(facts));
  return withoutSurplus(free, unnamed.length)[unnamed.findIndex(({ uid }) => uid === claim.metadata.uid)];
}

/** A claim of this process that has its instance already. */
function hasInstance({ launches }: OwnParts, uid: string): boolean {
  return launches.peek(uid)?.phase.kind === 'accepted';
}

/** Of more instances than claims, those that have ended were of claims that are gone. */
function withoutSurplus(free: readonly InstanceFacts[], claims: number): readonly InstanceFacts[] {
  let surplus = free.length - claims;
  return free.filter((facts) => {
    if (surplus <= 0 || !isEnding(facts)) return true;
    surplus -= 1;
    return false;
  });
}

/** The claims that keep the token and name no instance, in the order of their records; the claim among them. */
export function sharersOf(
  claim: Stored<NodeClaim>,
  record: LaunchRecord,
  records: Pick<LaunchRecordStore, 'pending' | 'textOf'>,
): readonly Sharer[] {
  const sharers = new Map([[record.position, claim]]);
  for (const other of records.pending()) {
    const kept = parseLaunchRecord(records.textOf(other) ?? '');
    if (kept?.token === record.token) sharers.set(kept.position, other);
  }
  return [...sharers]
    .sort(([a], [b]) => a - b)
    .map(([, { metadata }]) => ({ uid: metadata.uid, name: metadata.name }));
}
