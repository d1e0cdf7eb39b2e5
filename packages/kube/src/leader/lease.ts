/** A Lease as leader election uses it: its fields, and how it is acquired and released. */
import type { ResourceRef } from '../client/resource.ts';
import { LEASES } from '../client/resources.table.ts';
import type { KubeObject } from '../object.ts';
import { formatMicroTime } from '../values/time.ts';

export interface Lease extends KubeObject {
  spec?: LeaseSpec;
}

export interface LeaseSpec {
  holderIdentity?: string;
  leaseDurationSeconds?: number;
  acquireTime?: string;
  renewTime?: string;
  leaseTransitions?: number;
}

export const LEASE = LEASES as ResourceRef<Lease>;

/** The lease, held by us from now on. A change of holder counts as a transition. */
export function heldBy(lease: Lease, identity: string, durationMs: number, nowMs: number): Lease {
  const before = lease.spec ?? {};
  const mine = before.holderIdentity === identity;
  const isNew = lease.metadata.resourceVersion === undefined;
  const now = formatMicroTime(nowMs);
  return {
    ...lease,
    spec: {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.round(durationMs / 1000),
      acquireTime: mine ? (before.acquireTime ?? now) : now,
      renewTime: now,
      leaseTransitions: (before.leaseTransitions ?? 0) + (mine || isNew ? 0 : 1),
    },
  };
}

/** The released lease: the next candidate acquires it. */
export function released(lease: Lease, nowMs: number): Lease {
  const now = formatMicroTime(nowMs);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now },
  };
}
