/**
 * Why candidates are not disrupted after all: a closed set of codes with facts, and their texts. A block keeps a node from
 * being a candidate (`block.ts`); a rejection comes from a budget, a simulation or a price.
 */
import { type DisruptionEvent, timeText } from './block.ts';
import type { BudgetProblem } from './budgets.ts';
import { type MethodName, methodNamed } from './methods.table.ts';
import type { DisruptionReason } from './model.ts';

export type Rejection =
  | {
      readonly code: 'Budget';
      readonly nodePool: string;
      readonly reason: DisruptionReason;
      readonly allowed: number;
      readonly disrupting: number;
      readonly problem?: BudgetProblem;
    }
  | { readonly code: 'PodsUnschedulable'; readonly pods: readonly UnschedulablePod[] }
  /** Pending pods that fit on the cluster as it is, and would not fit without the nodes. */
  | { readonly code: 'PendingPodsDisplaced'; readonly pods: readonly string[] }
  | { readonly code: 'TooManyReplacements'; readonly replacements: number; readonly maximum: number }
  | { readonly code: 'NotCheaper'; readonly price: number; readonly replacementPrice?: number }
  /** Several nodes would be launched, which Karpenter would not do, for less than this share of the price. */
  | {
      readonly code: 'SmallSaving';
      readonly price: number;
      readonly savingPerHour: number;
      readonly minimumPercent: number;
    }
  /** Several nodes would be launched that hold the pods only as planned, and kube-scheduler decides where pods go. */
  | { readonly code: 'NeedsExactPlacement'; readonly replacements: number }
  /** Valid and cheaper, but the rules of its NodePool ask for more. */
  | {
      readonly code: 'BelowThreshold';
      readonly nodePool: string;
      readonly savingPerMonth: number;
      readonly requiredPerMonth: number;
      readonly pods: number;
    }
  | { readonly code: 'MinValues'; readonly labels: readonly string[] }
  | { readonly code: 'SpotToSpotDisabled' }
  | { readonly code: 'SpotToSpotTypes'; readonly required: number; readonly found: number }
  /** The replacement may be of a type that is removed, and not cheaper: that node could stay. */
  | { readonly code: 'SameType'; readonly instanceType: string }
  | {
      readonly code: 'Score';
      readonly nodePool: string;
      readonly score: number;
      readonly threshold: number;
      readonly savingsPercent: number;
      readonly disruptionPercent: number;
    }
  | { readonly code: 'Destination'; readonly command: string }
  | { readonly code: 'StaticScaling'; readonly nodes: number; readonly replicas: number }
  | { readonly code: 'StaticNodeLimit'; readonly nodes: number; readonly limit: number }
  | { readonly code: 'StaticReservationsFull' }
  /** Nothing is launched in the NodePool of its replacement now. */
  | { readonly code: 'LaunchesHeld'; readonly why: string; readonly untilMs?: number }
  | {
      readonly code: 'RepairBreaker';
      readonly nodePool: string;
      readonly nodes: number;
      readonly unhealthy: number;
    }
  /** The pass has given as many commands as it may. */
  | { readonly code: 'NextPass'; readonly commands: number }
  /** Valid, but another set of nodes saves more. */
  | { readonly code: 'SavesLess'; readonly savingPerHour: number };

export type RejectionCode = Rejection['code'];

export interface UnschedulablePod {
  readonly pod: string;
  readonly why: string;
}

/** The event that Karpenter publishes on Node and NodeClaim; undefined: none. */
export function rejectionEvent(rejection: Rejection, method: MethodName): DisruptionEvent | undefined {
  const message = EVENTS[rejection.code]?.(rejection as never);
  if (message === undefined) return undefined;
  if (rejection.code === 'RepairBreaker') return { reason: 'NodeRepairBlocked', message };
  const consolidates = methodNamed(method).class === 'graceful';
  return { reason: consolidates ? 'Unconsolidatable' : 'DisruptionBlocked', message };
}

/** A sentence about what keeps the nodes, for people. */
export function rejectionText(rejection: Rejection): string {
  return TEXTS[rejection.code](rejection as never);
}

// ---------------------------------------------------------------------------------------------------

type Texts = {
  readonly [code in RejectionCode]: (rejection: Extract<Rejection, { code: code }>) => string;
};

const MAX_PODS_IN_EVENT = 5;

const EVENTS: Partial<Texts> = {
  PodsUnschedulable: ({ pods }) => {
    const shown = pods.slice(0, MAX_PODS_IN_EVENT).map(({ pod, why }) => `${pod} => ${why} `);
    const more = pods.length > MAX_PODS_IN_EVENT ? ` and ${pods.length - MAX_PODS_IN_EVENT} other(s)` : '';
    return `Not all pods would schedule, ${shown.join('')}${more}`;
  },
  TooManyReplacements: ({ replacements }) => `Can't remove without creating ${replacements} candidates`,
  NotCheaper: () => "Can't replace with a cheaper node",
  MinValues: ({ labels }) =>
    `Filtering by price: minValues requirement is not met for label(s) (label(s)=[${labels.join(' ')}])`,
  SpotToSpotDisabled: () => "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node",
  SpotToSpotTypes: ({ required, found }) =>
    `SpotToSpotConsolidation requires ${required} cheaper instance type options than the current candidate to consolidate, got ${found}`,
  StaticNodeLimit: () => 'static NodePool is at its node limit and cannot stage a replacement',
  StaticReservationsFull: () =>
    "static NodePool's capacity reservations are full and cannot stage a replacement",
  RepairBreaker: ({ nodePool }) => `more than 20% of nodes in nodepool "${nodePool}" are unhealthy`,
};

const TEXTS: Texts = {
  Budget: ({ nodePool, reason, allowed, disrupting, problem }) =>
    problem === undefined
      ? `the budgets of NodePool ${nodePool} allow ${allowed} disrupted ${allowed === 1 ? 'node' : 'nodes'} at once for reason ${reason}, ` +
        `and ${disrupting === 0 ? 'no more nodes may be disrupted now' : `${disrupting} are disrupted already`}`
      : `NodePool ${nodePool}: ${problem.field}: "${problem.value}": ${problem.message}; until it is repaired no node of the NodePool is disrupted`,
  PodsUnschedulable: ({ pods }) => {
    const [first] = pods;
    const others = pods.length - 1;
    const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'pod' : 'pods'}`;
    return `pod ${first?.pod} would not fit elsewhere: ${first?.why}${more}`;
  },
  PendingPodsDisplaced: ({ pods }) =>
    `${pods.length} pending ${pods.length === 1 ? 'pod' : 'pods'} would no longer fit (${pods[0]}, …)`,
  TooManyReplacements: ({ replacements, maximum }) =>
    `its pods would need ${replacements} new nodes, and at most ${maximum} may be launched`,
  NotCheaper: ({ price, replacementPrice }) =>
    replacementPrice === undefined
      ? `no replacement is cheaper than ${money(price)}/h`
      : `its pods would need new nodes for ${money(replacementPrice)}/h, which is not cheaper than ${money(price)}/h`,
  SmallSaving: ({ price, savingPerHour, minimumPercent }) =>
    `several new nodes would save ${money(savingPerHour)}/h of ${money(price)}/h, less than ${minimumPercent} %`,
  NeedsExactPlacement: ({ replacements }) =>
    `${replacements} new nodes would hold its pods only if kube-scheduler placed each pod as planned`,
  BelowThreshold: ({ nodePool, savingPerMonth, requiredPerMonth, pods }) =>
    `moving ${pods} ${pods === 1 ? 'pod' : 'pods'} would save $${savingPerMonth.toFixed(2)} a month, and NodePool ${nodePool} asks for $${requiredPerMonth.toFixed(2)}`,
  MinValues: ({ labels }) => `too few cheaper instance types remain for minValues of ${labels.join(', ')}`,
  SpotToSpotDisabled: () =>
    'it is a spot node, and its replacement would be one (feature gate SpotToSpotConsolidation is disabled)',
  SpotToSpotTypes: ({ required, found }) =>
    `it is a spot node, and ${found} instance types are cheaper; ${required} are required`,
  SameType: ({ instanceType }) => `its replacement may be a ${instanceType} again`,
  Score: ({ nodePool, score, threshold, savingsPercent, disruptionPercent }) =>
    `NodePool ${nodePool} is Balanced: it would save ${savingsPercent.toFixed(1)} % of the price for ${disruptionPercent.toFixed(1)} % of the ` +
    `disruption, a score of ${score.toFixed(2)} below ${threshold.toFixed(2)}`,
  Destination: ({ command }) => `it receives pods of command ${command}`,
  StaticScaling: ({ nodes, replicas }) =>
    `its static NodePool has ${nodes} nodes and wants ${replicas}; it scales down first`,
  StaticNodeLimit: ({ nodes, limit }) =>
    `its static NodePool has ${nodes} nodes and limits.nodes is ${limit}, so no replacement can be launched first`,
  StaticReservationsFull: () =>
    'the capacity reservations of its static NodePool are full, so no replacement can be launched first',
  LaunchesHeld: ({ why, untilMs }) =>
    `its replacement cannot be launched now: ${why}${untilMs === undefined ? '' : `; the next is tried at ${timeText(untilMs)}`}`,
  RepairBreaker: ({ nodePool, nodes, unhealthy }) =>
    `${unhealthy} of ${nodes} nodes of NodePool ${nodePool} are unhealthy; above 20 % none is repaired, because something else is wrong`,
  NextPass: ({ commands }) => `the pass has ${commands} other commands; it is judged in the next one`,
  SavesLess: ({ savingPerHour }) => `would save only ${money(savingPerHour)}/h`,
};

function money(amount: number): string {
  return `$${amount.toFixed(3)}`;
}
