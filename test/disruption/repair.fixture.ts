/** Unhealthy nodes and the policies that repair them, for tests that repeat upstream's specs. */
import { ChandlerAnnotation } from '../../packages/chandler/src/api/index.ts';
import type {
  DisruptionNode,
  DisruptionOptions,
  DisruptionPlan,
  RepairPolicy,
} from '../../packages/chandler/src/disruption/index.ts';
import {
  aManagedNode,
  type ClusterShape,
  NOW,
  type NodeShape,
} from '../../packages/chandler/src/disruption/testing.ts';
import { pods } from '../../packages/chandler/src/scheduling/testing.ts';
import { MINUTE, plan } from './specs.fixture.ts';

export interface Fault {
  readonly type?: string;
  readonly reason?: string;
  /** Minutes before now. */
  readonly ago?: number;
}

export const policy = (conditionType: string, more: Partial<RepairPolicy> = {}): RepairPolicy => ({
  conditionType,
  conditionStatus: 'False',
  tolerationMs: 30 * MINUTE,
  action: 'ReplaceNode',
  ...more,
});
export const FALLBACK = policy('BadNode', { fallback: true });

/** It would go as an empty node otherwise. */
export const BUSY: NodeShape = { conditions: { Consolidatable: undefined } };

/** A node whose conditions are False, since half an hour and a minute unless it is given. */
export function broken(name: string, faults: readonly Fault[] = [{}], shape: NodeShape = {}): DisruptionNode {
  const node = aManagedNode(name, { ...shape, conditions: { ...BUSY.conditions, ...shape.conditions } });
  const listed = faults.map(({ type = 'BadNode', reason = '', ago = 31 }) => ({
    type,
    status: 'False' as const,
    reason,
    lastTransitionTime: new Date(NOW - ago * MINUTE).toISOString(),
  }));
  const { status, metadata } = node.node!;
  return {
    ...node,
    node: {
      ...node.node!,
      metadata: { ...metadata, creationTimestamp: '2026-06-01T00:00:00Z' },
      status: { ...status, conditions: [...(status?.conditions ?? []), ...listed] },
    },
  };
}

/** So many nodes that nothing is wrong with; they are full and stay. */
export function well(count: number, pool = 'default', cpu = 4): DisruptionNode[] {
  return Array.from({ length: count }, (_, at) =>
    aManagedNode(`w${at}-${pool}`, { ...BUSY, pool, cpu, pods: pods(cpu, `w${at}-${pool}`, { cpu: '1' }) }),
  );
}

export interface RepairShape extends ClusterShape {
  readonly policies?: readonly RepairPolicy[];
  readonly options?: DisruptionOptions;
  readonly nowMs?: number;
}

export function repairPlan(nodes: readonly DisruptionNode[], shape: RepairShape = {}): DisruptionPlan {
  const { policies = [FALLBACK], options = {}, nowMs = NOW, ...cluster } = shape;
  return plan(nodes, cluster, { repair: { policies }, ...options }, nowMs);
}

/** Its claim was rebooted so many hours ago. */
export function rebooted(node: DisruptionNode, ...hoursAgo: readonly number[]): DisruptionNode {
  const times = hoursAgo.map((hours) => new Date(NOW - hours * 60 * MINUTE).toISOString());
  const { metadata } = node.claim!;
  const annotations = { [ChandlerAnnotation.reboots]: times.join(',') };
  return { ...node, claim: { ...node.claim!, metadata: { ...metadata, annotations } } };
}

/** The nodes that are repaired, in their order. */
export const repaired = ({ commands }: DisruptionPlan): readonly string[] =>
  commands.flatMap(({ method, candidates }) =>
    method === 'repair' ? candidates.map(({ name }) => name) : [],
  );
