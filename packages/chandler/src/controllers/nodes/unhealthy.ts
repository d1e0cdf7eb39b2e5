/** Which condition makes a node one to repair, and whether so many are ill that repairing would make it worse. Pure. */
import type { RepairPolicy } from '../../cloud/index.ts';
import { conditionOf, type NodeObject, type ObjectCondition } from '../../state/index.ts';

export interface Illness {
  readonly condition: ObjectCondition;
  /** From when on the node may be replaced (ms since the epoch). */
  readonly dueMs: number;
}

/** Up to so many per cent, rounded up, may be ill before repair stops. */
export const ALLOWED_UNHEALTHY_PERCENT = 20;

/** The illness that is due first; undefined for a healthy node. */
export function illnessOf(node: NodeObject, policies: readonly RepairPolicy[]): Illness | undefined {
  let first: Illness | undefined;
  for (const { conditionType, conditionStatus, tolerationMs } of policies) {
    const condition = conditionOf(node, conditionType);
    if (condition?.status !== conditionStatus) continue;
    const dueMs = Date.parse(condition.lastTransitionTime ?? '') + tolerationMs;
    if (Number.isNaN(dueMs)) continue;
    if (first === undefined || dueMs < first.dueMs) first = { condition, dueMs };
  }
  return first;
}

export function tooManyIll(nodes: readonly NodeObject[], policies: readonly RepairPolicy[]): boolean {
  const ill = nodes.filter((node) => illnessOf(node, policies) !== undefined).length;
  return ill > Math.ceil((nodes.length * ALLOWED_UNHEALTHY_PERCENT) / 100);
}
