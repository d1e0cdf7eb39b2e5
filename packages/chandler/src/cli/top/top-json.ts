/** `chandler top` for scripts: JSON, and names as `kubectl -o name` prints them. Pure. */

import type { Share, TopNode } from '../../dashboard/index.ts';
import type { TopFrame } from './render-top.ts';
import type { Totals } from './totals.ts';

export function topJson({ nowMs, nodes, allNodes, totals, pools, pendingPods, notes }: TopFrame): object {
  return {
    at: new Date(nowMs).toISOString(),
    summary: { ...totalsJson(totals), allNodes, pendingPods: pendingPods ?? null },
    nodePools: pools.map(({ nodePool, ...rest }) => ({ nodePool: nodePool ?? null, ...totalsJson(rest) })),
    nodes: nodes.map((node) => nodeJson(node, nowMs)),
    notes,
  };
}

/** What has a Node by it, the rest by its NodeClaim. */
export function topNames({ nodes }: TopFrame): string {
  return nodes
    .map(({ node, nodeClaim }) =>
      node === undefined ? `nodeclaim.karpenter.sh/${nodeClaim}\n` : `node/${node}\n`,
    )
    .join('');
}

// ---------------------------------------------------------------------------------------------------

/** What is not known is null, never 0. */
function nodeJson(node: TopNode, nowMs: number): object {
  const { createdMs, cpu, memory, pods, pricePerHour, staying, labels: _, warning: __, ...rest } = node;
  return {
    ...Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, value ?? null])),
    ageSeconds: createdMs === undefined ? null : Math.max(0, Math.floor((nowMs - createdMs) / 1000)),
    pricePerHour: rounded(pricePerHour, 5),
    ...sharesJson({ cpu, memory, pods }),
    staying: staying.map(({ code, text }) => ({ code, text })),
  };
}

function totalsJson(totals: Totals): object {
  const { cpu, memory, pods, pricePerHour, pricePerMonth, ...rest } = totals;
  return {
    ...rest,
    ...sharesJson({ cpu, memory, pods }),
    pricePerHour: rounded(pricePerHour, 5),
    pricePerMonth: rounded(pricePerMonth, 2),
  };
}

function sharesJson({ cpu, memory, pods }: Pick<Totals, 'cpu' | 'memory' | 'pods'>): object {
  const share = ({ requested, allocatable }: Share) => ({
    requested: requested ?? null,
    allocatable: allocatable ?? null,
  });
  return { cpuMillis: share(cpu), memoryBytes: share(memory), pods: share(pods) };
}

function rounded(value: number | undefined, digits: number): number | null {
  return value === undefined ? null : Number(value.toFixed(digits));
}
