/**
 * How status conditions are kept: what appears by itself, when a timestamp moves, how the root (`Ready`)
 * follows from the conditions it depends on. Works on a copy; the caller writes `list()` back.
 * `conditions.table.ts` lists the conditions of each kind; controllers decide when to set one.
 */
import { CONDITIONS, type ConditionedKind } from './conditions.table.ts';

export type ConditionStatus = 'True' | 'False' | 'Unknown';

/** A condition as it is on the wire. */
export interface Condition {
  type: string;
  status: ConditionStatus;
  observedGeneration?: number;
  lastTransitionTime: string;
  /** Absent only on NodeClaims of old versions, like the message. */
  reason?: string;
  message?: string;
}

export interface ConditionedObject {
  readonly metadata: {
    readonly generation?: number;
    readonly creationTimestamp?: string;
    readonly deletionTimestamp?: string;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

export interface ConditionTypes {
  /** Follows from the dependents. A kind without a root keeps plain, unsorted conditions. */
  readonly root: string | undefined;
  readonly dependents: readonly string[];
}

export const AWAITING_RECONCILIATION = 'AwaitingReconciliation';

/**
 * Root and dependents of a kind, from its table. `without` names dependents that a feature gate has
 * switched off (`CapacityReservationsReady` while ReservedCapacity is off).
 */
export function conditionTypesOf(kind: ConditionedKind, without: readonly string[] = []): ConditionTypes {
  const { root, rows } = CONDITIONS[kind];
  const dependents = rows.filter((row) => row.dependent).map((row) => row.type);
  return { root, dependents: dependents.filter((type) => !without.includes(type)) };
}

export class ConditionSet {
  readonly #types: ConditionTypes;
  readonly #object: ConditionedObject;
  readonly #now: string;
  #conditions: Condition[];
  #modified = false;

  /** Root and dependents that are missing appear at once, Unknown and as old as the object. */
  constructor(types: ConditionTypes, object: ConditionedObject, nowMs: number) {
    this.#types = types;
    this.#object = object;
    this.#now = timestamp(nowMs);
    this.#conditions = (object.status?.conditions ?? []).map((condition) => ({ ...condition }));
    if (types.root === undefined) return;
    for (const type of [types.root, ...types.dependents]) {
      if (this.get(type) === undefined) this.setUnknown(type);
    }
  }

  static of(
    kind: ConditionedKind,
    object: ConditionedObject,
    nowMs: number,
    without: readonly string[] = [],
  ): ConditionSet {
    return new ConditionSet(conditionTypesOf(kind, without), object, nowMs);
  }

  /** Whether anything differs from the object given, appearing conditions included. */
  get modified(): boolean {
    return this.#modified;
  }

  /** The current content of `status.conditions`. */
  list(): Condition[] {
    return this.#conditions.map((condition) => ({ ...condition }));
  }

  get(type: string): Condition | undefined {
    return this.#conditions.find((condition) => condition.type === type);
  }

  root(): Condition | undefined {
    return this.#types.root === undefined ? undefined : this.get(this.#types.root);
  }

  isTrue(...types: string[]): boolean {
    return types.every((type) => this.get(type)?.status === 'True');
  }

  /** True with its own type as the reason, unless another is given. Returns whether anything changed. */
  setTrue(type: string, reason: string = type, message = ''): boolean {
    return this.#set(type, 'True', reason, message);
  }

  setFalse(type: string, reason: string, message: string): boolean {
    return this.#set(type, 'False', reason, message);
  }

  setUnknown(
    type: string,
    reason: string = AWAITING_RECONCILIATION,
    message = 'object is awaiting reconciliation',
  ): boolean {
    return this.#set(type, 'Unknown', reason, message);
  }

  /**
   * Removes a condition that nothing depends on; the rest is put in alphabetical order, as upstream does.
   * Returns whether there was one.
   */
  clear(type: string): boolean {
    if (this.#isDependent(type))
      throw new Error(`the condition ${type} is part of the root and cannot be cleared`);
    if (this.get(type) === undefined) return false;
    this.#conditions = this.#conditions
      .filter((condition) => condition.type !== type)
      .sort((a, b) => (a.type < b.type ? -1 : 1));
    this.#modified = true;
    return true;
  }

  #set(type: string, status: ConditionStatus, reason: string, message: string): boolean {
    const before = this.get(type);
    const lastTransitionTime =
      before?.status === status ? before.lastTransitionTime : this.#transitionTime(before, type);
    const after = this.#observed({ type, status, lastTransitionTime, reason, message });
    if (before !== undefined && isSame(before, after)) return false;
    this.#modified = true;
    if (this.#types.root === undefined) {
      this.#replaceInPlace(after);
      return true;
    }
    const deleting = this.#object.metadata.deletionTimestamp !== undefined;
    const others = this.#conditions.filter((condition) => condition.type !== type);
    this.#conditions = this.#sorted([
      ...(deleting ? others.map((each) => this.#observed(each)) : others),
      after,
    ]);
    if (type !== this.#types.root) this.#recomputeRoot(this.#types.root);
    return true;
  }

  /** A dependent that appears for the first time made its last move when the object was created. */
  #transitionTime(before: Condition | undefined, type: string): string {
    const appears = before === undefined && this.#isDependent(type);
    return (appears ? this.#object.metadata.creationTimestamp : undefined) ?? this.#now;
  }

  #replaceInPlace(after: Condition): void {
    const at = this.#conditions.findIndex((condition) => condition.type === after.type);
    if (at < 0) this.#conditions.push(after);
    else this.#conditions[at] = after;
  }

  #recomputeRoot(root: string): void {
    const unhealthy = this.#unhealthyDependents();
    if (unhealthy.length === 0) {
      this.setTrue(root);
      return;
    }
    const failed = unhealthy.some((condition) => condition.status === 'False' && this.#isCurrent(condition));
    const message = unhealthy.map((condition) => `${condition.type}=${condition.status}`).join(', ');
    if (failed) this.setFalse(root, 'UnhealthyDependents', message);
    else this.setUnknown(root, 'ReconcilingDependents', message);
  }

  /** Newest move first. What was True for an older generation is not yet healthy in this one. */
  #unhealthyDependents(): Condition[] {
    return this.#conditions
      .filter((condition) => this.#types.dependents.includes(condition.type))
      .filter((condition) => condition.status !== 'True' || !this.#isCurrent(condition))
      .sort((a, b) => timeOf(b) - timeOf(a));
  }

  /** Oldest move first, the root last. */
  #sorted(conditions: Condition[]): Condition[] {
    const root = this.#types.root;
    return conditions.sort((a, b) => {
      if (a.type === root || b.type === root) return Number(a.type === root) - Number(b.type === root);
      return timeOf(a) - timeOf(b);
    });
  }

  #isDependent(type: string): boolean {
    return type === this.#types.root || this.#types.dependents.includes(type);
  }

  #isCurrent(condition: Condition): boolean {
    return (condition.observedGeneration ?? 0) === this.#generation();
  }

  #generation(): number {
    return this.#object.metadata.generation ?? 0;
  }

  #observed(condition: Condition): Condition {
    const { observedGeneration: _, type, status, ...rest } = condition;
    const generation = this.#generation();
    // Go leaves a zero out.
    return { type, status, ...(generation === 0 ? {} : { observedGeneration: generation }), ...rest };
  }
}

// ---------------------------------------------------------------------------------------------

function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');
}

function timeOf(condition: Condition): number {
  const ms = Date.parse(condition.lastTransitionTime);
  return Number.isNaN(ms) ? 0 : ms;
}

function isSame(before: Condition, after: Condition): boolean {
  return (
    before.status === after.status &&
    (before.reason ?? '') === after.reason &&
    (before.message ?? '') === after.message &&
    before.lastTransitionTime === after.lastTransitionTime &&
    (before.observedGeneration ?? 0) === (after.observedGeneration ?? 0)
  );
}
