/**
 * What happens to the pods when nodes are removed. It starts from the cluster with its pending pods placed where the planner
 * places them, and follows the commands of a pass: each is simulated on top of those before it, so that all of them
 * hold together.
 */
import { conditionOf, type PodDisruptionBudget } from '@chandler/kube';
import { CapacityType } from '../api/index.ts';
import {
  type ExistingNode,
  finish,
  type InstanceType,
  type NodePlacement,
  type Plan,
  type PlannedClaim,
  Planner,
  type Pod,
  type PoolObject,
  podRefusalText,
  type SchedulingInput,
  type Snapshot,
  type Steps,
  usageDuring,
  withoutPlacesOf,
  withPlaces,
} from '../scheduling/index.ts';
import { isExpired, type JudgedNode, nameOf } from './candidates.ts';
import type { Command, TerminateFirstReason } from './command.ts';
import { launchedNode, podsOfStatic } from './launched-node.ts';
import { isRebooting } from './model.ts';
import type { PlanInput } from './plan-input.ts';
import { budgetsOf, hasRequiredAffinity, staysUntilForced } from './pod-blocks.ts';
import type { Rejection, UnschedulablePod } from './rejection.ts';
import {
  rebound,
  unbound,
  unsettledNodes,
  withoutRoom,
  withoutSearch,
  withPlaced,
  withUsage,
} from './simulated-cluster.ts';

export interface Outcome {
  /** Claims for pods of the removed nodes, perhaps together with pending pods. */
  readonly replacements: readonly PlannedClaim[];
  /** Pods of the removed nodes on existing nodes. */
  readonly destinations: readonly NodePlacement[];
  /** What claims for pending pods alone cost more than they do now, per hour. */
  readonly pendingPrice: number;
  /** Set if the pods fit only when the node is deleted first. */
  readonly terminateFirst?: TerminateFirstReason;
}

export interface WithoutOptions {
  readonly mode: SimulationMode;
  /** Whether it is said why pods do not fit. */
  readonly explain: boolean;
  /** How hard it searches for cheaper new nodes; 0 takes the first plan, which prefers few large ones. Default 0. */
  readonly improveEffort?: number;
}

export interface OneNode {
  readonly mode: SimulationMode;
  /** Whether pods that may not be evicted now are placed, too. Default false. */
  readonly blockedPods?: boolean;
  /** Whether the node may be deleted before its replacement exists. Default false. */
  readonly terminateFirst?: boolean;
}

export interface SimulationOptions {
  readonly nowMs: number;
  readonly typeOf: (nodePool: string, name: string) => InstanceType | undefined;
  /** What is kept from pass to pass. Default: nothing. */
  readonly planners?: SimulationPlanners;
}

export interface SimulationPlanners extends Readonly<Record<SimulationMode, Planner>> {
  /** For the cluster with nodes that are kept free, while pending pods also need it as it is. Not kept when none are pending. */
  keptFree?: Planner | undefined;
}

/** Only one simulation may use them at a time. */
export function newPlanners(): SimulationPlanners {
  return { consolidation: new Planner(), drift: new Planner(), anywhere: new Planner() };
}

/** A plan for more pods is not searched for cheaper nodes: that would take a long time at once. */
const MAX_IMPROVED_PODS = 500;

/**
 * Which nodes get no pods besides those that are not initialized, need repair or are rebooting. `consolidation`: nodes within
 * consolidateAfter. `drift`: drifted and expired nodes, so that pods do not move twice. `anywhere`: no others.
 */
export type SimulationMode = 'consolidation' | 'drift' | 'anywhere';

export class Simulation {
  readonly #nowMs: number;
  readonly #typeOf: SimulationOptions['typeOf'];
  readonly #pools: ReadonlyMap<string, PoolObject>;
  readonly #planners: SimulationPlanners;
  readonly #creditPlanner = new Planner();
  readonly #modes = new Map<SimulationMode, Mode>();
  readonly #unsettled: ReadonlySet<string>;
  #closed: Readonly<Record<SimulationMode, ReadonlySet<string>>>;
  /** Nodes that consolidation is about to remove. */
  #leaving: ReadonlySet<string> = new Set();
  /** Nodes that pending pods are planned on. */
  readonly nominated: ReadonlySet<string>;
  readonly #budgets: ReadonlyMap<string | undefined, readonly PodDisruptionBudget[]>;
  /** Pods that move by a rolling update, whatever holds an eviction. */
  #surging: ReadonlySet<string> = new Set();
  #scheduling: SchedulingInput;

  /** In pieces: pending pods are placed. */
  static *of(input: PlanInput, options: SimulationOptions): Steps<Simulation> {
    const planners = options.planners ?? newPlanners();
    const { pods, nodes = [] } = input.scheduling;
    const scheduling = withUsage(withoutSearch(input.scheduling));
    if (pods.length === 0) {
      planners.keptFree = undefined;
      return new Simulation(input, { ...options, planners }, scheduling, undefined);
    }
    const leaving = new Set(
      (input.commands ?? []).flatMap(({ candidates }) => candidates.map(({ name }) => name)),
    );
    const left = nodes.map((node) => (leaving.has(node.name) ? withoutRoom(node) : node));
    const snapshot = yield* planners.anywhere.preparing({ ...scheduling, nodes: left });
    const plan = snapshot.solve();
    yield;
    return new Simulation(input, { ...options, planners }, scheduling, plan);
  }

  private constructor(
    input: PlanInput,
    options: SimulationOptions & { readonly planners: SimulationPlanners },
    scheduling: SchedulingInput,
    plan: Plan | undefined,
  ) {
    const { nowMs, typeOf } = options;
    this.#nowMs = nowMs;
    this.#typeOf = typeOf;
    this.#planners = options.planners;
    this.#pools = new Map(input.pools.map(({ nodePool }) => [nodePool.metadata.name ?? '', nodePool]));
    this.nominated = new Set(plan?.placements.map(({ node }) => node));
    this.#scheduling = plan === undefined ? scheduling : withPlaced(scheduling, plan);
    this.#budgets = Map.groupBy(input.podDisruptionBudgets, ({ metadata }) => metadata.namespace);
    this.#unsettled = new Set(unsettledNodes(input, nowMs));
    this.#closed = { consolidation: this.#unsettled, drift: new Set(), anywhere: new Set() };
  }

  /** Closes the nodes that will leave, and those that are not well: no pod is moved there. */
  close(nodes: readonly JudgedNode[]): void {
    const namesOf = (which: (node: JudgedNode) => boolean) => nodes.filter(which).map(({ name }) => name);
    const ill = namesOf(({ node, repair }) => repair !== undefined || isRebooting(node));
    this.#surging = new Set(nodes.flatMap(({ surges }) => surges.map(({ pod }) => pod)));
    this.#closed = {
      consolidation: new Set([...this.#unsettled, ...ill]),
      drift: new Set([...namesOf((node) => isDrifted(node) || isExpired(node)), ...ill]),
      anywhere: new Set(ill),
    };
    this.#modes.clear();
  }

  /** Consolidation moves no pods to these nodes until the next call, because it is about to remove them, too. */
  keepFree(nodes: readonly string[]): void {
    if (nodes.length === 0 && this.#leaving.size === 0) return;
    this.#leaving = new Set(nodes);
    this.#modes.delete('consolidation');
  }

  /** Removes the nodes and places their pods. */
  without(
    nodes: readonly JudgedNode[],
    { mode, explain, improveEffort = 0 }: WithoutOptions,
  ): Outcome | Rejection {
    const moved = nodes.flatMap(({ pods }) => pods.filter((pod) => this.moves(pod)));
    return this.#place(this.#mode(mode), nodes, moved, explain, improveEffort);
  }

  /**
   * Removes one node for drift or repair. A group with affinity to itself gets its new nodes in its own domain; if there are
   * none, in another one, provided that all its pods can leave together. If the pods do not fit and the node runs on a reservation, they may fit once its own
   * place in the reservation is free: then it is deleted first.
   */
  withoutOne(
    node: JudgedNode,
    { mode, blockedPods = false, terminateFirst = false }: OneNode,
  ): Outcome | Rejection {
    const moved = node.pods.filter((pod) => blockedPods || this.moves(pod));
    let outcome = this.#place(this.#mode(mode), [node], moved, true);
    if ('code' in outcome && (blockedPods || this.#leaveTogether(moved)) && moved.some(hasRequiredAffinity)) {
      const elsewhere = this.#place(this.#mode(mode), [node], moved, false, 0, true);
      if (!('code' in elsewhere)) outcome = elsewhere;
    }
    const reservation = node.node.labels[this.#scheduling.reservationLabel ?? ''];
    const reserved = node.capacityType === CapacityType.reserved && reservation !== undefined;
    if (!('code' in outcome) || !terminateFirst || !reserved) return outcome;
    const credited = this.#place(this.#credited(reservation), [node], moved, false);
    if ('code' in credited) return outcome;
    return { ...credited, replacements: [], terminateFirst: 'no-reserved-capacity' };
  }

  /** No PodDisruptionBudget lets some of them leave only after others run elsewhere. */
  #leaveTogether(pods: readonly Pod[]): boolean {
    const isHeld = (pod: Pod) => budgetsOf(pod, this.#budgets.get(pod.metadata.namespace) ?? []).length > 0;
    return !pods.some((pod) => hasRequiredAffinity(pod) && isHeld(pod));
  }

  #place(
    { snapshot, price, refused }: Mode,
    nodes: readonly JudgedNode[],
    moved: readonly Pod[],
    explain: boolean,
    improveEffort = 0,
    startsAnywhere = false,
  ): Outcome | Rejection {
    const plan = snapshot.solveWithout({
      nodes: nodes.map(({ name }) => name),
      extraPods: moved.map(unbound),
      explain,
      startsAnywhere,
      improveEffort: moved.length <= MAX_IMPROVED_PODS ? improveEffort : 0,
    });
    const names = new Set(moved.map(nameOf));
    const unplaced = unplacedIn(plan, names);
    if (unplaced.length > 0) return { code: 'PodsUnschedulable', pods: unplaced };
    const displaced = plan.refusals.flatMap(({ pods }) => pods).filter((pod) => !refused.has(pod));
    if (displaced.length > 0) return { code: 'PendingPodsDisplaced', pods: displaced };
    const ours = (pods: readonly string[]) => pods.filter((pod) => names.has(pod));
    const replacements = plan.claims.filter(({ pods }) => ours(pods).length > 0);
    const pending = plan.claims.filter(({ pods }) => ours(pods).length === 0);
    return {
      replacements,
      destinations: plan.placements
        .map(({ node, pods }) => ({ node, pods: ours(pods) }))
        .filter(({ pods }) => pods.length > 0),
      pendingPrice: Math.max(0, pending.reduce((sum, { cheapest }) => sum + cheapest.price, 0) - price),
    };
  }

  /** From now on the command counts as done. */
  commit(command: Command, nodes: readonly JudgedNode[]): void {
    const removed = new Set(nodes.map(({ name }) => name));
    const pods = new Map(nodes.flatMap(({ pods: own }) => own.map((pod) => [nameOf(pod), pod])));
    const pending = new Map(this.#scheduling.pods.map((pod) => [nameOf(pod), pod]));
    const bound = new Map<string, Pod>();
    const bind = (names: readonly string[], node: string) => {
      for (const name of names) {
        const pod = pods.get(name) ?? pending.get(name);
        if (pod === undefined) continue;
        bound.set(name, { ...pod, spec: { ...pod.spec, nodeName: node } });
        pods.delete(name);
      }
    };
    const { nodes: before = [], boundPods = [] } = this.#scheduling;
    // Of a command that was given some time ago a destination may be gone.
    const known = new Set(before.map(({ name }) => name));
    for (const { node, pods: names } of command.destinations) if (known.has(node)) bind(names, node);
    const launched = command.replacements.map((replacement, index): ExistingNode => {
      const name = `${command.key}-${index}`;
      const { nodePool, claim } = replacement;
      const typeOf = (type: string) => this.#typeOf(nodePool, type);
      const pool = this.#pools.get(nodePool);
      bind(replacement.pods, name);
      if (claim === undefined && pool !== undefined) {
        const moving = [...pods.values()].filter((pod) => this.moves(pod)).map(unbound);
        bind(podsOfStatic(this.#scheduling, pool, replacement, typeOf, moving), name);
      }
      return launchedNode(name, replacement, typeOf, pool?.spec.template.metadata?.labels);
    });
    const held = command.replacements.map(({ claim }) => claim?.reservations ?? []);
    this.#scheduling = withoutPlacesOf(this.#scheduling, held);
    this.#scheduling = {
      ...this.#scheduling,
      // Nodes count for the limits until they are gone: other commands begin before.
      pools: usageDuring(
        this.#scheduling.pools,
        before.filter(({ name }) => removed.has(name)),
        launched,
      ),
      nodes: [...before.filter(({ name }) => !removed.has(name)), ...launched],
      boundPods: rebound(boundPods, removed, bound),
      // Pods that cost nothing do not keep a node: they are pending when it is gone.
      pods: [
        ...this.#scheduling.pods.filter((pod) => !bound.has(nameOf(pod))),
        ...[...pods.values()].filter((pod) => this.moves(pod)).map(unbound),
      ],
    };
    this.#modes.clear();
  }

  /** What the commands so far have made of the cluster; valid for `restore` of this simulation. */
  get state(): SchedulingInput {
    return this.#scheduling;
  }

  restore(state: SchedulingInput): void {
    this.#scheduling = state;
    this.#modes.clear();
  }

  /** Whether pending pods take part in every simulation. */
  get hasPending(): boolean {
    return this.#scheduling.pods.length > 0;
  }

  /** Pods that stay until they are forced to leave get no place. */
  moves(pod: Pod): boolean {
    if (this.#surging.size > 0 && this.#surging.has(nameOf(pod))) return true;
    return !staysUntilForced(pod, this.#nowMs, this.#budgets.get(pod.metadata.namespace) ?? []);
  }

  /** With one more place in a reservation, and without other capacity for pods that the reservation cannot hold. */
  #credited(reservation: string): Mode {
    const credited: SchedulingInput = {
      ...withPlaces(this.#scheduling, new Map([[reservation, 1]])),
      options: { ...this.#scheduling.options, reservedMode: 'strict' },
    };
    return finish(this.#preparing(this.#creditPlanner, 'anywhere', credited));
  }

  /** Reads the cluster for a mode in pieces, so that the first simulation need not do it at once. */
  *ready(mode: SimulationMode): Steps {
    if (this.#modes.has(mode)) return;
    this.#modes.set(mode, yield* this.#preparing(this.#planners[mode], mode, this.#scheduling));
  }

  #mode(mode: SimulationMode): Mode {
    finish(this.ready(mode));
    return this.#modes.get(mode)!;
  }

  *#preparing(planner: Planner, mode: SimulationMode, scheduling: SchedulingInput): Steps<Mode> {
    const closed = ({ name, initialized }: ExistingNode) =>
      initialized === false || this.#closed[mode].has(name);
    const nodes = (scheduling.nodes ?? []).map((node) => (closed(node) ? withoutRoom(node) : node));
    const leaving = mode === 'consolidation' ? this.#leaving : NONE;
    const free = nodes.map((node) => (leaving.has(node.name) ? withoutRoom(node) : node));
    const hasPending = scheduling.pods.length > 0;
    // What pending pods need anyway is what they need before a node leaves.
    const before = hasPending ? yield* planner.preparing({ ...scheduling, nodes }) : undefined;
    const plan = before?.solve();
    const snapshot =
      before !== undefined && leaving.size === 0
        ? before
        : yield* this.#freePlanner(planner, before).preparing({ ...scheduling, nodes: free });
    return {
      snapshot,
      price: plan?.pricePerHour ?? 0,
      refused: new Set(plan?.refusals.flatMap(({ pods }) => pods) ?? []),
    };
  }

  /** A planner that reads both clusters in turn reads most nodes each time. */
  #freePlanner(planner: Planner, before: Snapshot | undefined): Planner {
    if (before === undefined) return planner;
    this.#planners.keptFree ??= new Planner();
    return this.#planners.keptFree;
  }
}

// ---------------------------------------------------------------------------------------------------

const NONE: ReadonlySet<string> = new Set();

interface Mode {
  readonly snapshot: Snapshot;
  /** Of the claims that pending pods need anyway. */
  readonly price: number;
  /** Pending pods that do not fit anyway. */
  readonly refused: ReadonlySet<string>;
}

function isDrifted({ node: { claim } }: JudgedNode): boolean {
  return claim !== undefined && conditionOf(claim, 'Drifted')?.status === 'True';
}

/** Refused pods, and pods that the planner left out because their spec is invalid. */
function unplacedIn(plan: Plan, names: ReadonlySet<string>): UnschedulablePod[] {
  const missing = new Set(names);
  for (const { pods } of [...plan.claims, ...plan.placements]) for (const pod of pods) missing.delete(pod);
  if (missing.size === 0) return [];
  const why = new Map(
    plan.refusals.flatMap((refusal) => refusal.pods.map((pod) => [pod, podRefusalText(refusal)] as const)),
  );
  return [...missing].sort().map((pod) => ({ pod, why: why.get(pod) ?? 'its spec is invalid' }));
}
