/** Which condition makes a node unhealthy, and whether too many nodes are unhealthy for repair. Pure. */
import type { Node, Stored } from '@chandler/kube';
import type { RepairPolicy } from '../../cloud/index.ts';
import { conditionOf, type ObjectCondition } from '../../state/index.ts';

export interface Unhealthiness {
  readonly condition: ObjectCondition;
  /** The earliest time of the repair (ms since the epoch). */
  readonly dueMs: number;
}

/** Percentage of unhealthy nodes, rounded up, above which repair stops. */
export const ALLOWED_UNHEALTHY_PERCENT = 20;

/** The unhealthy condition that is due first; undefined for a healthy node. */
export function unhealthinessOf(
  node: Stored<Node>,
  policies: readonly RepairPolicy[],
): Unhealthiness | undefined {
  let first: Unhealthiness | undefined;
  for (const { conditionType, conditionStatus, reasonRegex, tolerationMs, action } of policies) {
    // It knows no reboots.
    if (action !== 'ReplaceNode') continue;
    const condition = conditionOf(node, conditionType);
    if (condition?.status !== conditionStatus) continue;
    if (reasonRegex !== undefined && !new RegExp(reasonRegex, 'u').test(condition.reason ?? '')) continue;
    const dueMs = Date.parse(condition.lastTransitionTime ?? '') + tolerationMs;
    if (Number.isNaN(dueMs)) continue;
    if (first === undefined || dueMs < first.dueMs) first = { condition, dueMs };
  }
  return first;
}

export function tooManyUnhealthy(nodes: readonly Stored<Node>[], policies: readonly RepairPolicy[]): boolean {
  const ill = nodes.filter((node) => unhealthinessOf(node, policies) !== undefined).length;
  return ill > Math.ceil((nodes.length * ALLOWED_UNHEALTHY_PERCENT) / 100);
}
