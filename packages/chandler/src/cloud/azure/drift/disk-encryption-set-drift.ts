/**
 * Drift of the disk encryption set: a node's OS disk keeps the set it was made with, so a change of the set can only
 * be had by replacing nodes. The rule is that of recorded values; IDs are compared without regard to case.
 */
import type { Stored } from '@chandler/kube';
import { ChandlerAnnotation, KarpenterLabel, type NodeClaim } from '../../../api/index.ts';
import type { Drift } from '../../index.ts';

import { sameResourceId } from '../disk-encryption/disk-encryption-set-id.ts';
import {
  type AdoptedDriftMode,
  isExemptByAdoption,
  type RecordedValueRule,
  recordAtAdoption,
  recordAtLaunch,
  recordedDrift,
  recordedValue,
} from './recorded-value.ts';

export const DISK_ENCRYPTION_SET_DRIFT = 'DiskEncryptionSetDrift';

export const DISK_ENCRYPTION_SET_RULE: RecordedValueRule = {
  annotation: ChandlerAnnotation.diskEncryptionSet,
  adoptedAnnotation: 'chandler.sh/disk-encryption-set-at-adoption',
  same: sameResourceId,
};

/** For `Instance.annotations` at launch; undefined is a disk with the platform's key. */
export function diskEncryptionSetRecord(id: string | undefined): Readonly<Record<string, string>> {
  return recordAtLaunch(DISK_ENCRYPTION_SET_RULE, id);
}

/** For a claim without a record: `actual` is what Azure reports for the VM's OS disk. */
export function diskEncryptionSetAdoption(
  claim: Stored<NodeClaim>,
  actual: string | undefined,
  now: string | undefined,
): Readonly<Record<string, string>> {
  return recordAtAdoption(DISK_ENCRYPTION_SET_RULE, claim.metadata.annotations, actual, now);
}

export function diskEncryptionSetDrift(
  claim: Stored<NodeClaim>,
  now: string | undefined,
  mode: AdoptedDriftMode,
): Drift | undefined {
  const drift = recordedDrift(DISK_ENCRYPTION_SET_RULE, claim.metadata.annotations, now, mode);
  if (drift === undefined) return undefined;
  return {
    reason: DISK_ENCRYPTION_SET_DRIFT,
    message: `the OS disk has ${shown(drift.was)}, and new OS disks get ${shown(drift.now)}`,
  };
}

/** Whether the claim says which set its disk has. */
export function isAdopted(claim: Pick<NodeClaim, 'metadata'>): boolean {
  return claim.metadata.annotations?.[DISK_ENCRYPTION_SET_RULE.annotation] !== undefined;
}

/** What a launch would use; absent when that cannot be said. */
export type SetNow = { readonly id: string | undefined } | undefined;

export interface DriftExemptPool {
  readonly nodePool: string;
  /** Names, sorted. */
  readonly claims: readonly string[];
  /** For an event on the pool. */
  readonly message: string;
}

/** Adopted claims that differ and are left alone, by pool, for one event each. */
export function exemptByAdoption(
  claims: readonly Stored<NodeClaim>[],
  now: (claim: Stored<NodeClaim>) => SetNow,
): readonly DriftExemptPool[] {
  const byPool = new Map<string, Kept[]>();
  for (const claim of claims) {
    const pool = claim.metadata.labels?.[KarpenterLabel.nodePool];
    const wanted = now(claim);
    if (pool === undefined || wanted === undefined) continue;
    if (!isExemptByAdoption(DISK_ENCRYPTION_SET_RULE, claim.metadata.annotations, wanted.id)) continue;
    const kept = byPool.get(pool) ?? [];
    kept.push({ claim, wanted: wanted.id });
    byPool.set(pool, kept);
  }
  return [...byPool]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([nodePool, kept]) => ({ nodePool, ...described(kept) }));
}

// ---------------------------------------------------------------------------------------------------

/** An event holds 1 KiB; the rest is counted. */
const NAMED_AT_MOST = 5;

interface Kept {
  readonly claim: Stored<NodeClaim>;
  readonly wanted: string | undefined;
}

function described(kept: readonly Kept[]) {
  const sorted = [...kept].sort((a, b) => (nameOf(a.claim) < nameOf(b.claim) ? -1 : 1));
  const named = sorted.slice(0, NAMED_AT_MOST).map(({ claim, wanted }) => {
    const has = recordedValue(DISK_ENCRYPTION_SET_RULE, claim.metadata.annotations);
    return `${nameOf(claim)} has ${shown(has)}, not ${shown(wanted)}`;
  });
  const more = sorted.length - named.length;
  const list = more > 0 ? [...named, `and ${more} more`] : named;
  return {
    claims: sorted.map(({ claim }) => nameOf(claim)),
    message:
      `${list.join('; ')}: adopted nodes keep their disk encryption set ` +
      '(DISK_ENCRYPTION_SET_DRIFT=actual would replace them)',
  };
}

function nameOf(claim: Stored<NodeClaim>): string {
  return claim.metadata.name;
}

function shown(id: string | undefined): string {
  return id === undefined ? 'no disk encryption set' : `disk encryption set ${id}`;
}
