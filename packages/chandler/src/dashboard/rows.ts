/** Nodes and NodePools as rows of the page. Pure. */
import { conditionOf, type Stored } from '@chandler/kube';
import type { NodePool } from '../api/index.ts';
import { type Freeze as FreezeRule, freezeText } from '../disruption/index.ts';
import { frozenText, type TopNode } from './top-nodes.ts';
import type { Freeze, NodePhase, NodeRow, PoolRow } from './wire.ts';

export function nodeRow(node: TopNode): NodeRow {
  return {
    name: node.name,
    node: node.node ?? null,
    claim: node.nodeClaim ?? null,
    pool: node.nodePool ?? null,
    type: node.instanceType ?? null,
    zone: node.zone ?? null,
    capacity: node.capacityType ?? null,
    version: node.version ?? null,
    phase: PHASES[node.phase] ?? (node.warning ? 'failed' : 'booting'),
    phaseText: node.phase,
    warning: node.warning,
    createdMs: node.createdMs ?? null,
    pricePerHour: rounded(node.pricePerHour),
    cpuMillis: node.cpu.allocatable ?? null,
    memoryBytes: node.memory.allocatable ?? null,
    maxPods: node.pods.allocatable ?? null,
    staying: node.staying.map(({ code, text }) => ({ code, text })),
  };
}

export function poolRow(pool: Stored<NodePool>): PoolRow {
  const { template, disruption, limits = {}, weight } = pool.spec;
  const ready = conditionOf(pool, 'Ready');
  const { kind, name } = template.spec.nodeClassRef;
  return {
    name: pool.metadata.name,
    nodeClass: `${kind}/${name}`,
    ready: ready === undefined || ready.status === 'Unknown' ? null : ready.status === 'True',
    readyText: [ready?.reason, ready?.message].filter((text) => text !== undefined && text !== '').join(': '),
    weight: weight ?? null,
    limits: Object.fromEntries(Object.entries(limits).map(([resource, amount]) => [resource, `${amount}`])),
    budgets: (disruption?.budgets ?? DEFAULT_BUDGETS).map((budget) => ({
      nodes: budget.nodes,
      reasons: budget.reasons ?? [],
      schedule: budget.schedule ?? null,
      duration: budget.duration ?? null,
    })),
    consolidation: disruption?.consolidationPolicy ?? 'WhenEmptyOrUnderutilized',
    consolidateAfter: disruption?.consolidateAfter ?? '0s',
  };
}

/**
 * Disruption that is stopped, as the controller says it of its NodePools. Their ConfigMap tells until when; without permission
 * to read it, that is not known.
 */
export function freezeRows(
  pools: Iterable<Stored<NodePool>>,
  rules: readonly FreezeRule[],
): readonly Freeze[] {
  const byText = new Map(rules.map((rule) => [freezeText(rule), rule]));
  const rows = new Map<string, Freeze>();
  for (const pool of pools) {
    const text = frozenText(pool);
    if (text === undefined) continue;
    const rule = byText.get(text);
    const name = rule !== undefined && rule.nodePool === undefined ? '*' : pool.metadata.name;
    rows.set(name, { pool: name, untilMs: rule?.untilMs ?? null, text });
  }
  return [...rows.values()].sort((one, other) => (one.pool < other.pool ? -1 : 1));
}

/** Prices to a hundred-thousandth of a dollar, as `chandler top` has them. */
export function rounded(price: number | undefined): number | null {
  return price === undefined ? null : Number(price.toFixed(5));
}

// ---------------------------------------------------------------------------------------------------

/** By the word of `chandler top`; every other word is the reason of a failed condition. */
const PHASES: Readonly<Record<string, NodePhase | undefined>> = {
  launching: 'planned',
  booting: 'booting',
  registered: 'booting',
  Ready: 'ready',
  NotReady: 'not-ready',
  disrupting: 'disrupting',
  cordoned: 'cordoned',
  deleting: 'deleting',
};

/** As the CRD has it. */
const DEFAULT_BUDGETS: NonNullable<NonNullable<NodePool['spec']['disruption']>['budgets']> = [
  { nodes: '10%' },
];
