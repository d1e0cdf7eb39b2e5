/**
 * The limit of a pool: at no time do the VMs of its claims, except those that are being deleted, have more
 * cores than the limit.
 */
import { INSTANCE } from '../server-state/cloud-state.ts';
import type { ObservedObject } from '../server-state/kube-state.ts';
import { type Check, cores, couldNotBootstrap, type MakeCheck, nodePoolOf, type View } from './check.ts';

export const nodePoolLimits: MakeCheck = (view): Check => {
  /** By pool: the history of its limit; no limit is infinite. */
  const limits = new Map<string, { readonly atMs: number; readonly limit: number }[]>();
  const limitOf = (pool: string): number => {
    const seenMs = view.servers.world.clock.monotonic() - UNSEEN_MS;
    const history = limits.get(pool) ?? [];
    const first = Math.max(
      0,
      history.findLastIndex(({ atMs }) => atMs <= seenMs),
    );
    return Math.max(...history.slice(first).map(({ limit }) => limit));
  };
  /** The limit of the pool when the claim was created: a lowered limit applies to later claims. */
  const allowed = new Map<string, { readonly limit: number; readonly order: number }>();
  return {
    name: 'NodePool limits',
    onKube({ kind, type, object, revision }) {
      if (kind === 'pools' && type !== 'DELETED')
        noteLimit(limits, object, view.servers.world.clock.monotonic());
      if (kind !== 'claims' || type !== 'ADDED') return;
      const limit = limitOf(nodePoolOf(object));
      if (limit < Number.POSITIVE_INFINITY) allowed.set(object.metadata.uid!, { limit, order: revision });
    },
    onCloud({ type, thing, isNew }) {
      const uid = view.cloud.claimOf(thing);
      if (type !== 'put' || !isNew || thing.part !== INSTANCE || uid === undefined) return;
      const own = view.kube.byUid('claims', uid);
      if (own === undefined) return;
      const claims = activeClaims(view, nodePoolOf(own));
      for (const claim of claims) {
        const rule = allowed.get(claim.metadata.uid!);
        if (rule === undefined) continue;
        const before = claims.filter(
          ({ metadata }) => (allowed.get(metadata.uid!)?.order ?? 0) <= rule.order,
        );
        const used = before.reduce((sum, each) => sum + coresOf(view, each), 0);
        if (used > rule.limit)
          view.violated(
            this.name,
            `pool ${nodePoolOf(own)} uses ${used} cores with a limit of ${rule.limit} (${before.map(({ metadata }) => metadata.name).join(', ')})`,
          );
      }
    },
  };
};

/** What a process with a watch lag of half a minute may not have seen. */
const UNSEEN_MS = 45_000;

function noteLimit(
  limits: Map<string, { readonly atMs: number; readonly limit: number }[]>,
  { metadata, spec }: ObservedObject,
  atMs: number,
): void {
  const text = spec.limits?.cpu as string | undefined;
  const limit = text === undefined ? Number.POSITIVE_INFINITY : cores(text);
  const history = limits.get(metadata.name!) ?? [];
  if (history.at(-1)?.limit !== limit) history.push({ atMs, limit });
  limits.set(metadata.name!, history);
}

export function coresOf({ cloud, servers }: View, claim: ObservedObject): number {
  const type = cloud.instanceOf(claim.metadata.uid!)?.type;
  return type === undefined ? 0 : servers.cloud.coresOf(type);
}

/** Claims of a pool that have or may still get a VM; not those that are being deleted, or replaced by a command. */
export function activeClaims({ kube, marks }: View, pool: string): readonly ObservedObject[] {
  return kube
    .list('claims')
    .filter(
      (claim) =>
        claim.metadata.deletionTimestamp === undefined &&
        marks.get(claim.metadata.uid!) === undefined &&
        nodePoolOf(claim) === pool &&
        !couldNotBootstrap(claim),
    );
}
