/** Which NodeClaims drifted, or were chosen for disruption, since a moment: none may after a takeover. */
import { conditionOf, type KubeClient, type Stored } from '@chandler/kube';
import { NODE_CLAIMS, type NodeClaim } from '../../api/index.ts';
import { listed } from './listed.ts';

/** By name, with the reason of the drift. */
export async function driftedSince(
  client: KubeClient,
  since: string,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const sinceMs = Math.floor(Date.parse(since) / 1000) * 1000;
  const { items } = await client.listAll(NODE_CLAIMS, { signal });
  return new Map(
    items.flatMap((claim): [string, string][] => {
      const reason = driftOf(claim, sinceMs);
      return reason === undefined ? [] : [[claim.metadata.name, reason]];
    }),
  );
}

/** `general-a1 (NodePoolDrifted), general-b2 (ImageDrift) and 3 more`. */
export function driftText(drifted: ReadonlyMap<string, string>): string {
  return listed(
    [...drifted].map(([name, reason]) => `${name} (${reason})`),
    MAX_SHOWN,
  );
}

// ---------------------------------------------------------------------------------------------------

const MAX_SHOWN = 10;

function driftOf(claim: Stored<NodeClaim>, sinceMs: number): string | undefined {
  const drifted = conditionOf(claim, 'Drifted');
  if (drifted?.status !== 'True') return undefined;
  return Date.parse(drifted.lastTransitionTime ?? '') >= sinceMs ? (drifted.reason ?? 'Drifted') : undefined;
}
