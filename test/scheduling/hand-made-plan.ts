/**
 * Plans written by hand, to test the plan checker: a test states which pods go where, and the rest is filled
 * in as the engine would. Parts of a claim can be overridden to make a plan wrong in one respect.
 */
import { podRequests } from '@chandler/apiserver/standins';
import type { Plan, PlannedClaim, SchedulingInput } from '../../packages/chandler/src/scheduling/index.ts';
import { podKey } from './builders.ts';
import { asStandin } from './check-capacity.ts';
import { poolOf, typesOf } from './final-nodes.ts';
import { CAPACITY_TYPE, POOL, TYPE, ZONE } from './shorthand.ts';

export interface HandMadeClaim extends Partial<PlannedClaim> {
  /** Without namespace: default. */
  readonly pods: readonly string[];
  readonly type: string;
  readonly zone?: string;
  readonly capacity?: string;
  /** Zones that are left open; default only `zone`. */
  readonly zones?: readonly string[];
}

export interface HandMadePlan {
  readonly claims?: readonly HandMadeClaim[];
  readonly nodes?: Readonly<Record<string, readonly string[]>>;
  readonly refused?: readonly string[];
}

export function handMadePlan(input: SchedulingInput, made: HandMadePlan): Plan {
  const claims = (made.claims ?? []).map((claim, at) => fillIn(input, claim, at));
  const placements = Object.entries(made.nodes ?? {}).map(([node, pods]) => ({
    node,
    pods: pods.map(withNamespace),
  }));
  const refused = (made.refused ?? []).map(withNamespace);
  const onExisting = placements.reduce((sum, { pods }) => sum + pods.length, 0);
  const onClaims = claims.reduce((sum, { pods }) => sum + pods.length, 0);
  return {
    claims,
    placements,
    refusals:
      refused.length === 0
        ? []
        : [{ pods: refused, problem: { code: 'NoPools' }, pools: [], nodes: [], claims: [] }],
    inputErrors: [],
    pricePerHour: claims.reduce((sum, { cheapest }) => sum + cheapest.price, 0),
    counts: {
      pods: input.pods.length,
      placed: onExisting + onClaims,
      placedOnExisting: onExisting,
      refused: refused.length,
      claims: claims.length,
      podClasses: 1,
      attempts: 1,
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function withNamespace(name: string): string {
  return name.includes('/') ? name : `default/${name}`;
}

function fillIn(input: SchedulingInput, made: HandMadeClaim, at: number): PlannedClaim {
  const { type: typeName, zone = 'zone-1', capacity = 'on-demand', zones = [zone], ...overrides } = made;
  const pool = overrides.nodePool ?? 'default';
  const types = typesOf(input, poolOf(input, pool));
  const type = types.find(({ name }) => name === typeName);
  const offering = type?.offerings.find(({ requirements }) =>
    [zone, capacity].every((value) => requirements.some(({ values = [] }) => values.includes(value))),
  );
  const template = poolOf(input, pool)?.nodePool.spec.template;
  const instanceTypes = overrides.instanceTypes ?? [typeName];
  const pods = made.pods.map(withNamespace);
  return {
    id: `${pool}-${at + 1}`,
    nodePool: pool,
    labels: { ...template?.metadata?.labels, [POOL]: pool },
    annotations: {},
    taints: template?.spec.taints ?? [],
    startupTaints: template?.spec.startupTaints ?? [],
    requirements: [
      { key: CAPACITY_TYPE, operator: 'In', values: [capacity] },
      { key: TYPE, operator: 'In', values: instanceTypes },
      { key: ZONE, operator: 'In', values: zones },
    ],
    requests: sumOf(input, pods),
    daemonRequests: {},
    instanceTypes,
    instanceTypeCount: instanceTypes.length,
    cheapest: { instanceType: typeName, price: offering?.price ?? 0, zone, capacityType: capacity },
    reservations: [],
    minValuesRelaxed: false,
    ...overrides,
    pods,
  };
}

/** What the pods request together, as quantities. */
export function sumOf(input: SchedulingInput, keys: readonly string[]): Record<string, string> {
  const sum = new Map([['pods', keys.length]]);
  for (const pod of input.pods.filter((candidate) => keys.includes(podKey(candidate)))) {
    for (const [name, amount] of podRequests(asStandin(pod).spec))
      sum.set(name, (sum.get(name) ?? 0) + amount);
  }
  const texts = [...sum].map(([name, amount]) => [name, name === 'cpu' ? `${amount}m` : String(amount)]);
  return Object.fromEntries(texts) as Record<string, string>;
}
