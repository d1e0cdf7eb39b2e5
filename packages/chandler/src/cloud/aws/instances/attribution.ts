/**
 * For which claims listed instances were launched. The token of a launch for one claim names it; of a launch for several, the
 * claims that keep its token and have no instance yet take what is left, in order. So an instance whose claim could not be
 * written before a crash is not taken for an orphan.
 */
import type { Stored } from '@chandler/kube';
import type { NodeClaim } from '../../../api/index.ts';

import { type LaunchRecord, parseLaunchRecord, tokenClaimUid } from '../launch/index.ts';
import type { LaunchRecordStore } from './aws-cloud-deps.ts';
import { claimNameOf, type InstanceFacts, launchTokenOf } from './instance-facts.ts';

export interface ClaimOfInstance {
  readonly uid: string;
  readonly name: string;
}

/** By id of the instance. @param known those that this process launched, or found. */
export function attribute(
  instances: readonly InstanceFacts[],
  records: Pick<LaunchRecordStore, 'pending' | 'textOf'>,
  known: ReadonlyMap<string, ClaimOfInstance>,
): ReadonlyMap<string, ClaimOfInstance> {
  const waiting = Map.groupBy(pendingClaims(records), ({ record }) => record.token);
  const owners = new Map<string, ClaimOfInstance>();
  const open: InstanceFacts[] = [];
  for (const facts of instances) {
    const owner = known.get(facts.id);
    if (owner !== undefined) owners.set(facts.id, owner);
    else open.push(facts);
  }
  const taken = new Set([...owners.values()].map(({ uid }) => uid));
  for (const facts of open) {
    const token = launchTokenOf(facts);
    if (token === undefined || tokenClaimUid(token) !== undefined) continue;
    const name = claimNameOf(facts);
    const free = (waiting.get(token) ?? []).filter(({ claim }) => !taken.has(claim.metadata.uid));
    const own = name === undefined ? free[0] : free.find(({ claim }) => claim.metadata.name === name);
    if (own === undefined) continue;
    const { uid, name: claimName } = own.claim.metadata;
    taken.add(uid);
    owners.set(facts.id, { uid, name: claimName });
  }
  return owners;
}

// ---------------------------------------------------------------------------------------------------------------

interface Pending {
  readonly claim: Stored<NodeClaim>;
  readonly record: LaunchRecord;
}

function pendingClaims(records: Pick<LaunchRecordStore, 'pending' | 'textOf'>): readonly Pending[] {
  return [...records.pending()]
    .flatMap((claim) => {
      const record = parseLaunchRecord(records.textOf(claim) ?? '');
      return record === undefined ? [] : [{ claim, record }];
    })
    .sort((a, b) => a.record.position - b.record.position);
}
