/**
 * What simulations have found out about nodes that stay. Nodes that are equal in all that a simulation reads (labels,
 * resources, kinds of pods) are simulated once, and a judgement is kept for later passes: until the node itself, NodePools,
 * prices or options change, until elsewhere so much room appears that the judgement could be another one (then a tenth of
 * them in each pass), or until it is old. A judgement that is kept too long delays a saving and nothing else: every command is simulated.
 */
import { conditionOf } from '@chandler/kube';
import { KubernetesLabel } from '../api/index.ts';
import { byCodeUnit, CPU, type Pod, podRequests, ResourceProblem, Resources } from '../scheduling/index.ts';
import { type JudgedNode, nameOf } from './candidates.ts';
import type { DisruptionInput, DisruptionNode, DisruptionOptions } from './model.ts';
import type { Rejection, RejectionCode } from './rejection.ts';

export class Judgements {
  readonly #resources = new Resources();
  readonly #memory = this.#resources.slot('memory');
  readonly #kinds = new Map<string, number>();
  #kindOf = new WeakMap<Pod, number>();
  #known = new Map<string, Judgement>();
  #used = new Set<string>();
  /** The search for several nodes that found nothing. */
  #fruitless: Judgement | undefined;
  #market: readonly unknown[] = [];
  #before = new Map<string, SeenNode>();
  /** Room that appeared since the beginning. */
  #opened: Room = { cpu: 0, memory: 0 };
  #nowMs = 0;
  #keeps = false;
  #isEnded = true;
  /** How many judgements of this pass may still be made again because of room elsewhere. */
  #rechecks = 0;
  #moves = OUTSIDE_A_PASS;

  /** A pass begins, in this simulation. */
  begin(
    input: DisruptionInput,
    options: DisruptionOptions,
    nowMs: number,
    { hasPending, moves }: { readonly hasPending: boolean; readonly moves: (pod: Pod) => boolean },
  ): void {
    if (this.#kinds.size > MAX_KINDS) {
      this.#kinds.clear();
      this.#kindOf = new WeakMap();
      this.#known.clear();
    }
    // The last pass was given up: what it found out beside pending pods is of that pass.
    if (!this.#isEnded && !this.#keeps) this.#forget();
    this.#used.clear();
    this.#isEnded = false;
    this.#nowMs = nowMs;
    this.#moves = moves;
    // Pending pods take part in every simulation, and are others the next time.
    this.#keeps = !hasPending;
    const market = marketOf(input, options);
    if (market.length !== this.#market.length || market.some((part, at) => part !== this.#market[at]))
      this.#forget();
    this.#market = market;
    this.#rechecks = Math.max(MIN_RECHECKS, Math.ceil(this.#known.size * RECHECKED_SHARE));
    this.#notice(input);
  }

  /** A pass ends: what it did not ask for is of no use any more. */
  end(): void {
    for (const key of this.#known.keys()) if (!this.#keeps || !this.#used.has(key)) this.#known.delete(key);
    if (!this.#keeps) this.#fruitless = undefined;
    this.#used.clear();
    // It knows the whole cluster of its pass.
    this.#moves = OUTSIDE_A_PASS;
    this.#isEnded = true;
  }

  #forget(): void {
    this.#known.clear();
    this.#used.clear();
    this.#fruitless = undefined;
  }

  /** Why this node, or one that is equal to it, was rejected. */
  known(node: JudgedNode): Rejection | undefined {
    const key = this.#keyOf(node);
    const judgement = this.#known.get(key);
    if (judgement === undefined || this.#isOld(judgement)) return undefined;
    // Some in each pass: those that are made again do not ask again, so the others get their turn.
    if (this.#hasRoom(judgement, [node]) && this.#rechecks-- > 0) return undefined;
    this.#used.add(key);
    return judgement.rejection && renamed(judgement.rejection, judgement.pods, this.#podsOf(node));
  }

  keep(node: JudgedNode, rejection: Rejection): void {
    if (!KEPT.has(rejection.code)) return;
    const key = this.#keyOf(node);
    this.#known.set(key, { ...this.#judgement(), rejection, pods: this.#podsOf(node) });
    this.#used.add(key);
  }

  /** Whether the same search has found nothing lately. */
  isFruitless(nodes: readonly JudgedNode[]): boolean {
    const { key } = this.#fruitless ?? {};
    return key !== undefined && key === this.#keyOfAll(nodes) && !this.#isOutdated(this.#fruitless!, nodes);
  }

  keepFruitless(nodes: readonly JudgedNode[]): void {
    this.#fruitless = { ...this.#judgement(), key: this.#keyOfAll(nodes), pods: [] };
  }

  #judgement(): Pick<Judgement, 'atMs' | 'opened'> {
    return { atMs: this.#nowMs, opened: this.#opened };
  }

  #isOutdated(judgement: Judgement, nodes: readonly JudgedNode[]): boolean {
    return this.#isOld(judgement) || this.#hasRoom(judgement, nodes);
  }

  #isOld({ atMs }: Judgement): boolean {
    return this.#nowMs - atMs >= MAX_AGE_MS || this.#nowMs < atMs;
  }

  /** Whether so much room has appeared elsewhere that the judgement could be another one. */
  #hasRoom({ opened }: Judgement, nodes: readonly JudgedNode[]): boolean {
    const cpu = this.#opened.cpu - opened.cpu;
    const memory = this.#opened.memory - opened.memory;
    if (cpu === 0 && memory === 0) return false;
    return nodes.some(({ pods }) => {
      const wanted = this.#roomOf(pods);
      return cpu >= wanted.cpu * NOTABLE_SHARE && memory >= wanted.memory * NOTABLE_SHARE;
    });
  }

  /** Adds up the room that has appeared since the last pass. */
  #notice({ nodes }: DisruptionInput): void {
    const now = new Map<string, SeenNode>();
    let { cpu, memory } = this.#opened;
    for (const node of nodes) {
      if (node.deleting) continue;
      const seen: SeenNode = { pods: node.pods, open: isOpen(node) };
      now.set(node.name, seen);
      const before = this.#before.get(node.name);
      const room = before?.open === true || !seen.open ? this.#leftOn(before, seen) : this.#sizeOf(node);
      cpu += room.cpu;
      memory += room.memory;
    }
    this.#before = now;
    this.#opened = { cpu, memory };
  }

  /** What pods used that are gone. */
  #leftOn(before: SeenNode | undefined, now: SeenNode): Room {
    if (before === undefined || before.pods === now.pods) return NO_ROOM;
    const names = new Set(now.pods.map(idOf));
    return this.#roomOf(before.pods.filter((pod) => !names.has(idOf(pod))));
  }

  #sizeOf({ node }: DisruptionNode): Room {
    const amounts = this.#amounts(() => this.#resources.offered(node?.status?.allocatable));
    return { cpu: amounts[CPU] ?? 0, memory: amounts[this.#memory] ?? 0 };
  }

  #roomOf(pods: readonly Pod[]): Room {
    let cpu = 0;
    let memory = 0;
    for (const pod of pods) {
      const amounts = this.#amounts(() => podRequests(this.#resources, pod));
      cpu += amounts[CPU] ?? 0;
      memory += amounts[this.#memory] ?? 0;
    }
    return { cpu, memory };
  }

  #amounts(read: () => readonly number[]): readonly number[] {
    try {
      return read();
    } catch (error) {
      if (error instanceof ResourceProblem) return [];
      throw error;
    }
  }

  #keyOfAll(nodes: readonly JudgedNode[]): string {
    return nodes.map((node) => `${node.name} ${this.#keyOf(node)}`).join('\n');
  }

  #keyOf({ node, nodePool, price, cost }: JudgedNode): string {
    const { [KubernetesLabel.hostname]: _, ...labels } = node.labels;
    const kinds = node.pods.map((pod) => this.#kind(pod)).sort((one, other) => one - other);
    const { allocatable } = node.node?.status ?? {};
    return JSON.stringify([nodePool, price, cost, labels, allocatable, node.node?.spec?.taints ?? [], kinds]);
  }

  /** In the order of their kinds, so that equal nodes have them in the same order. */
  #podsOf({ pods }: JudgedNode): readonly string[] {
    return pods
      .map((pod) => ({ kind: this.#kind(pod), name: nameOf(pod) }))
      .sort((one, other) => one.kind - other.kind || byCodeUnit(one.name, other.name))
      .map(({ name }) => name);
  }

  #kind(pod: Pod): number {
    const known = this.#kindOf.get(pod);
    // What depends on the time is asked each time.
    const moves = this.#moves(pod) ? 0 : 1;
    if (known !== undefined) return known + moves;
    const text = kindText(pod);
    const kind = this.#kinds.get(text) ?? this.#kinds.size * 2;
    this.#kinds.set(text, kind);
    this.#kindOf.set(pod, kind);
    return kind + moves;
  }
}

// ---------------------------------------------------------------------------------------------------

interface Judgement {
  readonly atMs: number;
  readonly opened: Room;
  readonly rejection?: Rejection;
  readonly pods: readonly string[];
  readonly key?: string;
}

interface SeenNode {
  readonly pods: readonly Pod[];
  /** Pods can be moved to it. */
  readonly open: boolean;
}

interface Room {
  readonly cpu: number;
  readonly memory: number;
}

const OUTSIDE_A_PASS = (_: Pod): boolean => true;
const NO_ROOM: Room = { cpu: 0, memory: 0 };
const MAX_AGE_MS = 5 * 60_000;
const MAX_KINDS = 50_000;
/** Of what the pods of a node request: less room elsewhere hardly changes what is said about the node. */
const NOTABLE_SHARE = 0.1;
/** Of the kept judgements, in one pass. */
const RECHECKED_SHARE = 0.1;
const MIN_RECHECKS = 20;

/** Those that come from a simulation and its prices. */
const KEPT: ReadonlySet<RejectionCode> = new Set<RejectionCode>([
  'PodsUnschedulable',
  'TooManyReplacements',
  'NotCheaper',
  'SmallSaving',
  'NeedsExactPlacement',
  'BelowThreshold',
  'MinValues',
  'SpotToSpotDisabled',
  'SpotToSpotTypes',
  'SameType',
]);

/** What every judgement depends on, as values that are compared by identity. */
function marketOf({ scheduling, pools }: DisruptionInput, options: DisruptionOptions): readonly unknown[] {
  const { catalogues = {}, overlays = [], daemonSets = [] } = scheduling;
  return [
    JSON.stringify(options),
    JSON.stringify(overlays.map(({ metadata, spec }) => [metadata.name, spec])),
    JSON.stringify(daemonSets.map(({ metadata, spec }) => [metadata.namespace, metadata.name, spec])),
    ...pools.flatMap(({ nodePool, instanceTypes }) => [
      nodePool.metadata.name,
      JSON.stringify([nodePool.spec, nodePool.metadata.annotations]),
      typeof instanceTypes === 'string' ? catalogues[instanceTypes] : instanceTypes,
    ]),
  ];
}

function isOpen({ initialized, claim }: DisruptionNode): boolean {
  return initialized && (claim === undefined || conditionOf(claim, 'Consolidatable')?.status === 'True');
}

function idOf({ metadata }: Pod): string {
  return metadata.uid ?? nameOf({ metadata });
}

/** All of a pod that a simulation reads. */
function kindText({ metadata, spec }: Pod): string {
  const { nodeName: _, volumes, containers, initContainers, affinity, ...rest } = spec;
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  const { nodeAffinity, ...otherAffinity } = affinity ?? {};
  const sized = (list: typeof containers | undefined) =>
    (list ?? []).map(({ resources, ports, ...more }) => [
      resources,
      ports,
      'restartPolicy' in more ? more.restartPolicy : null,
    ]);
  return JSON.stringify([
    metadata.namespace,
    metadata.labels,
    owner?.kind,
    owner?.name,
    rest,
    otherAffinity,
    // That of a daemon names its node, and the pod stays with it.
    owner?.kind === 'DaemonSet' ? null : nodeAffinity,
    // Other volumes, such as tokens, have random names.
    (volumes ?? []).filter((volume) => 'persistentVolumeClaim' in volume || 'ephemeral' in volume),
    sized(containers),
    sized(initContainers),
  ]);
}

/** The same facts, about the pods of an equal node. */
function renamed(rejection: Rejection, from: readonly string[], to: readonly string[]): Rejection {
  if (rejection.code !== 'PodsUnschedulable' || from === to) return rejection;
  const nameFor = new Map(from.map((name, at) => [name, to[at] ?? name]));
  return {
    ...rejection,
    pods: rejection.pods.map(({ pod, why }) => ({ pod: nameFor.get(pod) ?? pod, why })),
  };
}
