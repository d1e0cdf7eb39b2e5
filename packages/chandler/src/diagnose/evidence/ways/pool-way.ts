/** Evidence about a pool: itself, its class, and those of its claims that are in trouble. */
import type { KubeObject } from '@chandler/kube';
import { KarpenterLabel, NODE_CLAIMS } from '../../../api/index.ts';
import { isTrue } from '../../../causes/index.ts';

import { listOr } from '../../reader/reader.ts';
import type { Ask } from '../ask.ts';
import { claimEvidence } from '../claims.ts';
import { readPoolErrors } from '../cloud-errors.ts';
import { readController } from '../controller.ts';
import { readCseEvents } from '../cse-events.ts';
import { readPool } from '../pools.ts';
import { type ClaimShape, type PoolShape, timeMs } from '../shapes.ts';
import { followClaims, type Way } from './way.ts';

const LATELY_MS = 3600_000;
const MOST_CLAIMS = 10;

export async function gatherPool(way: Way, object: KubeObject): Promise<void> {
  const pool = object as PoolShape;
  const { ask } = way;
  const controller = await readController(ask);
  const events = await readPool(ask, pool);
  const claims = await claimsOfPool(ask, pool.metadata.name ?? '');
  await followClaims(way, controller, troubled(ask, claims).slice(0, MOST_CLAIMS));
  readPoolErrors(ask, pool.metadata.name ?? '', events, sinceOf(ask, claims));
  await readCseEvents(ask, events, sinceOf(ask, claims));
}

export async function claimsOfPool({ reader, ledger }: Ask, pool: string): Promise<readonly ClaimShape[]> {
  const looked = await reader.list(NODE_CLAIMS, { labels: { [KarpenterLabel.nodePool]: pool } });
  return listOr(looked, (unseen) =>
    ledger.missed('nodeClaim', `NodeClaims of NodePool ${pool}`, unseen),
  ) as readonly ClaimShape[];
}

/** Not nodes yet, and not meant to go; the newest first. */
export function troubled(ask: Ask, claims: readonly ClaimShape[]): readonly ClaimShape[] {
  return claims
    .filter((claim) => {
      const evidence = claimEvidence(ask, claim);
      return evidence.deletingSinceMs === undefined && !isTrue(evidence, 'Initialized');
    })
    .sort(byAge);
}

/** What failed before the last machine joined is over. */
export function sinceOf({ ledger }: Ask, claims: readonly ClaimShape[]): number {
  const joined = claims.flatMap(({ status }) => {
    const registered = status?.conditions?.find(({ type }) => type === 'Registered');
    return registered?.status === 'True' ? [timeMs(registered.lastTransitionTime) ?? 0] : [];
  });
  return Math.max(ledger.atMs - LATELY_MS, ...joined);
}

// ---------------------------------------------------------------------------------------------------

function byAge({ metadata: one }: ClaimShape, { metadata: other }: ClaimShape): number {
  const difference = (timeMs(other.creationTimestamp) ?? 0) - (timeMs(one.creationTimestamp) ?? 0);
  return difference || ((one.name ?? '') < (other.name ?? '') ? -1 : 1);
}
