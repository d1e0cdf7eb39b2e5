/**
 * The expected plan of a scenario, and the differences to the actual plan. Only stated fields are compared.
 */
import type {
  Plan,
  PlannedClaim,
  PodRefusal,
  SchedulingInput,
} from '../../../packages/chandler/src/scheduling/index.ts';
import { finalNodes } from '../check-plan.ts';
import { choicesOf, labelIn, samePrice } from '../final-nodes.ts';
import { CAPACITY_TYPE, labelKey, ZONE } from '../shorthand.ts';

export interface Expectation {
  /** How many, or which: every claim of the plan must be among them. */
  readonly claims?: number | readonly ExpectedClaim[];
  /** Pods on nodes that exist; nodes that are not named get none. */
  readonly nodes?: Readonly<Record<string, readonly string[]>>;
  /** The code by pod; every refused pod must be among them. `pool:`, `types:`, `nodes:`, `claims:` and `problem:` say where. */
  readonly refused?: Readonly<Record<string, string | readonly string[]>>;
  /** How many are refused, where it does not matter which. */
  readonly refusedCount?: number;
  readonly price?: number;
  /** New pods by domain, largest first: `{ zone: [2, 1, 1] }`. */
  readonly per?: Readonly<Record<string, readonly number[]>>;
  /** Objects the input errors are about. */
  readonly errors?: readonly string[];
}

export interface ExpectedClaim {
  /** Their names, or how many. */
  readonly pods: readonly string[] | number;
  readonly pool?: string;
  /** The cheapest type. */
  readonly type?: string;
  readonly types?: readonly string[];
  /** How many types were possible before the list was cut. */
  readonly typeCount?: number;
  /** Zones that the cloud may choose from. */
  readonly zones?: readonly string[];
  readonly capacities?: readonly string[];
  readonly price?: number;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly string[];
  readonly startupTaints?: readonly string[];
  readonly requests?: Readonly<Record<string, string>>;
  readonly daemonRequests?: Readonly<Record<string, string>>;
  readonly reservations?: readonly string[];
  readonly minValuesRelaxed?: boolean;
  readonly annotations?: Readonly<Record<string, string>>;
}

/** Expected and real side by side, in one shape, for a readable difference. */
export function compare(
  expected: Expectation,
  input: SchedulingInput,
  plan: Plan,
): { wanted: object; got: object } {
  const wanted: Record<string, unknown> = {};
  const got: Record<string, unknown> = {};
  const put = (name: string, want: unknown, have: unknown) => {
    wanted[name] = want;
    got[name] = have;
  };
  if (typeof expected.claims === 'number') put('claims', expected.claims, plan.claims.length);
  else if (expected.claims) compareClaims(expected.claims, input, plan, put);
  put('nodes', sorted(expected.nodes ?? {}), placements(plan));
  const refused = plan.refusals.flatMap(({ pods }) => pods.map(shortName)).sort();
  if (expected.refusedCount !== undefined) put('refused', expected.refusedCount, refused.length);
  else put('refused', Object.keys(expected.refused ?? {}).sort(), refused);
  for (const [pod, codes] of Object.entries(expected.refused ?? {})) {
    const real = codesOf(plan.refusals.find(({ pods }) => pods.map(shortName).includes(pod)));
    for (const code of [codes].flat())
      put(`${pod} for ${code}`, true, real.has(code) || [...real].sort().join(' '));
  }
  if (expected.price !== undefined) put('price', expected.price, Math.round(plan.pricePerHour * 1e6) / 1e6);
  for (const [key, counts] of Object.entries(expected.per ?? {}))
    put(`per ${key}`, counts, countBy(key, input, plan));
  put(
    'errors',
    [...(expected.errors ?? [])].sort(),
    [...new Set(plan.inputErrors.map(({ object }) => object))].sort(),
  );
  return { wanted, got };
}

// ---------------------------------------------------------------------------------------------------

type Put = (name: string, want: unknown, have: unknown) => void;

/** Pods of the default namespace go by their name alone. */
function shortName(key: string): string {
  return key.startsWith('default/') ? key.slice('default/'.length) : key;
}

function sorted(byName: Readonly<Record<string, readonly string[]>>): Record<string, readonly string[]> {
  const entries = Object.entries(byName).filter(([, pods]) => pods.length > 0);
  return Object.fromEntries(entries.map(([name, pods]) => [name, [...pods].sort()] as const).sort(byFirst));
}

function byFirst([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number {
  return left < right ? -1 : 1;
}

function placements(plan: Plan): Record<string, readonly string[]> {
  return sorted(Object.fromEntries(plan.placements.map(({ node, pods }) => [node, pods.map(shortName)])));
}

function compareClaims(
  expected: readonly ExpectedClaim[],
  input: SchedulingInput,
  plan: Plan,
  put: Put,
): void {
  const podsOf = (claim: PlannedClaim) => claim.pods.map(shortName).sort();
  const asCounts = expected.some(({ pods }) => typeof pods === 'number');
  const wantedPods = expected.map(({ pods }) => (typeof pods === 'number' ? pods : [...pods].sort()));
  const realPods = plan.claims.map((claim) => (asCounts ? claim.pods.length : podsOf(claim)));
  put('claims', wantedPods.map(String).sort(), realPods.map(String).sort());
  const free = [...plan.claims];
  for (const { pods, ...parts } of expected) {
    const text = String(typeof pods === 'number' ? pods : [...pods].sort());
    const fits = (claim: PlannedClaim) =>
      String(typeof pods === 'number' ? claim.pods.length : podsOf(claim)) === text;
    const ofPool = free.findIndex((claim) => fits(claim) && claim.nodePool === parts.pool);
    const at = ofPool < 0 ? free.findIndex(fits) : ofPool;
    const [claim] = at < 0 ? [] : free.splice(at, 1);
    if (!claim) continue;
    const real = claimParts(input, claim);
    for (const [name, want] of Object.entries(parts)) put(`${claim.id} ${name}`, ...partOf(name, want, real));
  }
}

/** Maps are compared by the expected keys, prices as numbers, lists of zones and types without order. */
function partOf(name: string, want: unknown, real: Record<string, unknown>): [unknown, unknown] {
  const have = real[name];
  if (Array.isArray(want)) return [[...want].sort(), [...(have as unknown[])].sort()];
  if (typeof want === 'number' && typeof have === 'number') return [true, samePrice(want, have) || have];
  if (typeof want === 'object' && want !== null) {
    const keys = Object.keys(want).map(labelKey);
    const values = Object.values(want);
    const map = (have ?? {}) as Record<string, unknown>;
    return [
      Object.fromEntries(keys.map((key, at) => [key, values[at] ?? undefined])),
      Object.fromEntries(keys.map((key) => [key, map[key]])),
    ];
  }
  return [want, have];
}

function claimParts(input: SchedulingInput, claim: PlannedClaim): Record<string, unknown> {
  const choices = choicesOf(input, claim);
  const valuesOf = (key: string) => [
    ...new Set(choices.flatMap(({ offering }) => labelIn(offering.requirements, key) ?? [])),
  ];
  const tell = (taints: PlannedClaim['taints']) =>
    taints.map(({ key, value, effect }) => `${key}${value ? `=${value}` : ''}:${effect}`);
  return {
    pool: claim.nodePool,
    type: claim.cheapest.instanceType,
    types: claim.instanceTypes,
    typeCount: claim.instanceTypeCount,
    zones: valuesOf(ZONE),
    capacities: valuesOf(CAPACITY_TYPE),
    price: claim.cheapest.price,
    labels: claim.labels,
    annotations: claim.annotations,
    taints: tell(claim.taints),
    startupTaints: tell(claim.startupTaints),
    requests: claim.requests,
    daemonRequests: claim.daemonRequests,
    reservations: claim.reservations,
    minValuesRelaxed: claim.minValuesRelaxed,
  };
}

/** Every code that is given for the pod, plain and with the place in front. */
function codesOf(refusal: PodRefusal | undefined): Set<string> {
  const codes = new Set<string>();
  const put = (place: string, code: string) => codes.add(code).add(`${place}:${code}`);
  if (!refusal) return codes;
  if (refusal.problem) put('problem', refusal.problem.code);
  for (const pool of refusal.pools) {
    put('pool', pool.refusal.code);
    for (const group of pool.types) put('types', group.refusal.code);
  }
  for (const group of refusal.nodes) put('nodes', group.refusal.code);
  for (const group of refusal.claims) put('claims', group.refusal.code);
  return codes;
}

function countBy(key: string, input: SchedulingInput, plan: Plan): number[] {
  const counts = new Map<string, number>();
  for (const { labels, placed } of finalNodes(input, plan)) {
    const domain = labels[labelKey(key)] ?? '';
    counts.set(domain, (counts.get(domain) ?? 0) + placed.length);
  }
  return [...counts.values()].filter((count) => count > 0).sort((left, right) => right - left);
}
