/** Conditions as the built-in kinds have them. Pure. */

/** Of pods, nodes, workloads: all have these fields, some have more. */
export interface StatusCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly observedGeneration?: number;
  readonly lastTransitionTime?: string;
  readonly [field: string]: unknown;
}

/** What has conditions. */
export interface Conditioned {
  readonly status?: { readonly conditions?: readonly StatusCondition[] };
}

export function conditionOf<C extends { readonly type: string; readonly status: string } = StatusCondition>(
  object: { readonly status?: { readonly conditions?: readonly C[] } },
  type: string,
): C | undefined {
  return object.status?.conditions?.find((condition) => condition.type === type);
}

/**
 * The list with these conditions set, in the order in which they first appeared. The transition time of a condition
 * changes only when its status does.
 */
export function withConditions(
  before: readonly StatusCondition[] | undefined,
  changes: readonly StatusCondition[],
  now: string,
): StatusCondition[] {
  const result = [...(before ?? [])];
  for (const change of changes) {
    const at = result.findIndex((condition) => condition.type === change.type);
    const known = at < 0 ? undefined : result[at];
    const lastTransitionTime =
      known?.status === change.status
        ? (known.lastTransitionTime ?? now)
        : (change.lastTransitionTime ?? now);
    const next = { ...change, lastTransitionTime };
    if (at < 0) result.push(next);
    else result[at] = next;
  }
  return result;
}
