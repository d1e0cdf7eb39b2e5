/**
 * What a NodePool asks of disruption beyond Karpenter's API: thresholds of savings, the least age of nodes, freezes and soft
 * expiration, from annotations of the NodePool, with defaults from the options. An annotation that cannot be read is a
 * problem, and its NodePool is left alone: no disruption is safer than too much.
 */
import { DurationError, parseDurationMs, readDurationMs } from '@chandler/kube';
import { ChandlerAnnotation, KarpenterLabel, type NodeClaim } from '../api/index.ts';
import type { PoolObject } from '../scheduling/index.ts';
import { type ClosedWindows, closedWindows } from './windows.ts';

/** 365 days by 12. */
export const HOURS_PER_MONTH = 730;

/** What a consolidation must save. All default to 0. */
export interface SavingRules {
  /** Of a command, in the currency of the prices. */
  readonly minSavingPerMonth?: number;
  /** Of a command, in percent of the price of its nodes. */
  readonly minSavingPercent?: number;
  /** A command must save so much per month for each pod that it evicts. */
  readonly costPerEvictedPod?: number;
  /** Younger nodes are neither consolidated nor deleted because they are empty. */
  readonly minNodeAgeMs?: number;
}

/** Somebody has stopped disruption for a while. */
export interface Freeze {
  /** Absent: of all NodePools. */
  readonly nodePool?: string;
  /** Absent: until it is taken away. */
  readonly untilMs?: number;
  readonly by?: string;
  readonly why?: string;
  /** Where it was found, if not on the NodePool. */
  readonly origin?: string;
  /** It cannot be read: what is wrong with it. */
  readonly problem?: string;
}

export interface PoolRules extends Required<SavingRules> {
  readonly freeze?: Freeze;
  /** It has windows for disruption, and none is open. */
  readonly closed?: ClosedWindows;
  /** After expireAfter nodes are replaced as budgets and pods allow, and after so much more time by force. */
  readonly softExpirationMs?: number;
  /** Its pods move by a rolling update of their workload, where an eviction would be blocked or would end the only pod. */
  readonly surge: boolean;
}

/** What is wrong with a field of a NodePool. */
export interface FieldProblem {
  /** Such as `spec.disruption.budgets[0].schedule`. */
  readonly field: string;
  readonly value: string;
  readonly message: string;
}

export interface PoolProblem extends FieldProblem {
  readonly nodePool: string;
}

/** The rules of a NodePool, or all that is wrong with its annotations. */
export function readPoolRules(
  pool: PoolObject,
  defaults: SavingRules,
  freezes: readonly Freeze[],
  nowMs: number,
): PoolRules | { readonly problems: readonly PoolProblem[] } {
  const nodePool = pool.metadata.name ?? '';
  const annotations = pool.metadata.annotations ?? {};
  const problems: PoolProblem[] = [];
  const wrong = wrongIn(pool, problems);
  const amount = (key: string, maximum: number): number | undefined => {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const value = /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : Number.NaN;
    if (value <= maximum) return value;
    const bound = Number.isFinite(maximum) ? ` and at most ${maximum}` : '';
    return wrong(key, `must be a number, not negative${bound}`);
  };
  const duration = (key: string) => durationOf(annotations[key], (message) => wrong(key, message));
  const rules = {
    minSavingPerMonth:
      amount(ChandlerAnnotation.minSavingPerMonth, Number.POSITIVE_INFINITY) ??
      defaults.minSavingPerMonth ??
      0,
    minSavingPercent: amount(ChandlerAnnotation.minSavingPercent, 100) ?? defaults.minSavingPercent ?? 0,
    costPerEvictedPod:
      amount(ChandlerAnnotation.costPerEvictedPod, Number.POSITIVE_INFINITY) ??
      defaults.costPerEvictedPod ??
      0,
    minNodeAgeMs: duration(ChandlerAnnotation.minNodeAge) ?? defaults.minNodeAgeMs ?? 0,
  };
  const softExpirationMs = duration(ChandlerAnnotation.softExpiration);
  if (softExpirationMs !== undefined) {
    if (pool.spec.replicas !== undefined)
      wrong(ChandlerAnnotation.softExpiration, 'has no meaning for a static NodePool (spec.replicas)');
    else if (lifeOf(pool.spec.template.spec.expireAfter) === undefined)
      wrong(ChandlerAnnotation.softExpiration, 'contradicts spec.template.spec.expireAfter: Never');
  }
  const surge = annotations[ChandlerAnnotation.disruptionSurge];
  if (surge !== undefined && surge !== 'true' && surge !== 'false')
    wrong(ChandlerAnnotation.disruptionSurge, 'must be "true" or "false"');
  const windows = annotations[ChandlerAnnotation.disruptionWindows];
  const closed = windows === undefined ? undefined : closedWindows(windows, nowMs);
  if (typeof closed === 'string') wrong(ChandlerAnnotation.disruptionWindows, closed);
  const own = frozenBy(annotations, nodePool, wrong);
  if (problems.length > 0) return { problems };
  const freeze = firstOf([own, ...freezes], nodePool, nowMs);
  return {
    ...rules,
    surge: surge === 'true',
    ...(freeze === undefined ? {} : { freeze }),
    ...(closed === undefined || typeof closed === 'string' ? {} : { closed }),
    ...(softExpirationMs === undefined ? {} : { softExpirationMs }),
  };
}

/** The freeze of a NodePool that holds now: its own, or one of the others. */
export function freezeHolding(
  { metadata }: PoolObject,
  freezes: readonly Freeze[],
  nowMs: number,
): Freeze | undefined {
  const { name = '', annotations = {} } = metadata;
  return firstOf([frozenBy(annotations, name, () => undefined), ...freezes], name, nowMs);
}

/** When a claim is replaced, and when it is deleted by force; undefined: it never expires. */
export function expirationOf(
  { metadata, spec }: Pick<NodeClaim, 'metadata' | 'spec'>,
  { softExpirationMs = 0 }: Pick<PoolRules, 'softExpirationMs'>,
): { readonly softMs: number; readonly hardMs: number } | undefined {
  const lifeMs = lifeOf(spec.expireAfter);
  const bornMs = Date.parse(metadata.creationTimestamp ?? '');
  if (lifeMs === undefined || Number.isNaN(bornMs)) return undefined;
  return { softMs: bornMs + lifeMs, hardMs: bornMs + lifeMs + softExpirationMs };
}

/** When a claim is deleted by force, and what keeps it even then. */
export interface ForcedExpiration {
  readonly atMs: number;
  /** A freeze, or an annotation that cannot be read: the NodePool is left alone. */
  readonly kept?: { readonly why: string; readonly untilMs?: number };
}

/**
 * Undefined: it never expires. Soft expiration and freeze are read on their own: what else is wrong with the NodePool
 * must not make a node go earlier.
 */
export function forcedExpirationOf(
  claim: Pick<NodeClaim, 'metadata' | 'spec'>,
  pool: PoolObject | undefined,
  freezes: readonly Freeze[],
  nowMs: number,
): ForcedExpiration | undefined {
  const nodePool = pool?.metadata.name ?? claim.metadata.labels?.[KarpenterLabel.nodePool] ?? '';
  const annotations = pool?.metadata.annotations ?? {};
  const problems: PoolProblem[] = [];
  const wrong = pool === undefined ? () => undefined : wrongIn(pool, problems);
  const { softExpiration } = ChandlerAnnotation;
  const softExpirationMs =
    durationOf(annotations[softExpiration], (message) => wrong(softExpiration, message)) ?? 0;
  const own = frozenBy(annotations, nodePool, (key, message) =>
    key === ChandlerAnnotation.freeze ? wrong(key, message) : undefined,
  );
  const { hardMs: atMs } = expirationOf(claim, { softExpirationMs }) ?? {};
  if (atMs === undefined) return undefined;
  const freeze = firstOf([own, ...freezes], nodePool, nowMs);
  if (problems.length > 0) return { atMs, kept: { why: problemText(problems[0]!) } };
  if (freeze === undefined) return { atMs };
  const { untilMs } = freeze;
  return { atMs, kept: { why: freezeText(freeze), ...(untilMs === undefined ? {} : { untilMs }) } };
}

/** `NodePool default: field: "value": message`. */
export function problemText({ nodePool, field, value, message }: PoolProblem): string {
  return `NodePool ${nodePool}: ${field}: "${value}": ${message}`;
}

/** `until 2026-…, by …: … (ConfigMap …)`, as far as it is known. */
export function freezeText({ nodePool, untilMs, by, why, origin, problem }: Freeze): string {
  const what =
    nodePool === undefined ? 'disruption is frozen' : `disruption of NodePool ${nodePool} is frozen`;
  if (problem !== undefined) return `${what}, because a freeze cannot be read: ${origin}: ${problem}`;
  const until =
    untilMs === undefined ? '' : ` until ${new Date(untilMs).toISOString().replace(/\.\d+Z$/, 'Z')}`;
  const from = origin === undefined ? '' : ` (${origin})`;
  return `${what}${until}${by === undefined ? '' : ` by ${by}`}${why === undefined ? '' : `: ${why}`}${from}`;
}

// ---------------------------------------------------------------------------------------------------

type Wrong = (key: string, message: string) => undefined;

/** Adds to the problems. */
function wrongIn({ metadata }: PoolObject, problems: PoolProblem[]): Wrong {
  const { name: nodePool = '', annotations = {} } = metadata;
  return (key, message) => {
    const field = `metadata.annotations[${key}]`;
    problems.push({ nodePool, field, value: annotations[key] ?? '', message });
    return undefined;
  };
}

function durationOf(text: string | undefined, wrong: (message: string) => undefined): number | undefined {
  if (text === undefined) return undefined;
  try {
    const ms = parseDurationMs(text);
    return ms < 0 ? wrong('must not be negative') : ms;
  } catch (error) {
    if (error instanceof DurationError) return wrong(error.message);
    throw error;
  }
}

/** The first that holds now. */
function firstOf(freezes: readonly (Freeze | undefined)[], pool: string, nowMs: number): Freeze | undefined {
  return freezes.find(
    (freeze) =>
      freeze !== undefined &&
      (freeze.nodePool ?? pool) === pool &&
      (freeze.untilMs ?? Number.POSITIVE_INFINITY) > nowMs,
  );
}

function frozenBy(
  annotations: Readonly<Record<string, string>>,
  nodePool: string,
  wrong: Wrong,
): Freeze | undefined {
  const { freeze: key, freezeBy, freezeReason } = ChandlerAnnotation;
  const text = annotations[key];
  // What is left of a freeze that was lifted does not hold anything up.
  if (text === undefined || text === 'false') return undefined;
  const until = freezeUntil(text);
  if (until === undefined) return wrong(key, 'must be "true" or a time such as 2026-06-02T12:00:00Z');
  return {
    nodePool,
    ...until,
    ...(annotations[freezeBy] === undefined ? {} : { by: annotations[freezeBy] }),
    ...(annotations[freezeReason] === undefined ? {} : { why: annotations[freezeReason] }),
  };
}

/** `true`: without an end. Undefined: neither that nor a time. */
export function freezeUntil(text: string): Pick<Freeze, 'untilMs'> | undefined {
  if (text === 'true') return {};
  const untilMs = readTime(text);
  return untilMs === undefined ? undefined : { untilMs };
}

/** RFC 3339, with its zone. */
export function readTime(text: string): number | undefined {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text)) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

/** Undefined for `Never`, and for more than can be read. */
function lifeOf(expireAfter: string | undefined): number | undefined {
  return expireAfter === undefined ? undefined : readDurationMs(expireAfter);
}
