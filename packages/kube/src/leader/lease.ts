/** A Lease as leader election uses it: its fields, and how it is acquired and released. */
import type { Lease } from '../kinds/index.ts';
import { formatMicroTime } from '../values/time.ts';

/** The lease, held by us from now on. A change of holder counts as a transition. */
export function heldBy<L extends Lease>(lease: L, identity: string, durationMs: number, nowMs: number): L {
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
export function released<L extends Lease>(lease: L, nowMs: number): L {
  const now = formatMicroTime(nowMs);
  return {
    ...lease,
    spec: { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, acquireTime: now, renewTime: now },
  };
}
