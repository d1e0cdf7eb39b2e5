/**
 * Whether consolidations hold. A plan places the pods of a node that is removed; kube-scheduler may place them otherwise, and a pod
 * for which no room is left then gets a new node, which is consolidated again, and so on. After a consolidation whose pods needed a
 * new node, the NodePool is not consolidated for some time, and twice as long after each further one. Nothing of it is persisted.
 */
import { type Clock, ownerOf, type Pod, type Stored } from '@chandler/kube';

/** How long after a consolidation a launch for the same workload counts as its effect. */
const EFFECT_MS = 5 * 60_000;
const FIRST_MS = 10 * 60_000;
const MAX_MS = 2 * 60 * 60_000;

interface Move {
  readonly owners: ReadonlySet<string>;
  readonly nodePools: readonly string[];
  /** The nodes that the command removes. */
  readonly nodes: ReadonlySet<string>;
  /** Monotonic. */
  readonly untilMs: number;
}

interface Hold {
  readonly count: number;
  /** Monotonic. */
  readonly untilMs: number;
}

export class MovedWorkloads {
  readonly #clock: Pick<Clock, 'monotonic'>;
  /** By command. */
  readonly #moves = new Map<string, Move>();
  readonly #holds = new Map<string, Hold>();
  /** Nodes that consolidations remove, until they are surely gone (monotonic). */
  readonly #removed = new Map<string, number>();
  /** Workloads that lost pods on other nodes, until when that explains a launch for them (monotonic). */
  readonly #others = new Map<string, number>();

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A consolidation moves pods away from nodes of these pools. */
  moved(command: string, pods: readonly Stored<Pod>[], nodePools: Iterable<string>): void {
    const nowMs = this.#clock.monotonic();
    for (const [id, { untilMs }] of this.#moves) if (untilMs < nowMs) this.#moves.delete(id);
    for (const [node, untilMs] of this.#removed) if (untilMs < nowMs) this.#removed.delete(node);
    for (const { spec } of pods) if (spec?.nodeName) this.#removed.set(spec.nodeName, nowMs + MAX_MS);
    const known = this.#moves.get(command);
    this.#moves.set(command, {
      owners: new Set([...pods.flatMap((pod) => ownerOf(pod)?.uid ?? []), ...(known?.owners ?? [])]),
      nodes: new Set([...pods.flatMap(({ spec }) => spec?.nodeName ?? []), ...(known?.nodes ?? [])]),
      nodePools: [...new Set(nodePools)],
      untilMs: nowMs + EFFECT_MS,
    });
  }

  /** Pods leave a node. Unless a consolidation removes it, a launch for the same workloads is the effect of that. */
  evicted(node: string, pods: readonly Stored<Pod>[]): void {
    const nowMs = this.#clock.monotonic();
    if (pods.length === 0 || (this.#removed.get(node) ?? Number.NEGATIVE_INFINITY) >= nowMs) return;
    for (const [owner, untilMs] of this.#others) if (untilMs < nowMs) this.#others.delete(owner);
    for (const pod of pods) this.#others.set(ownerOf(pod)?.uid ?? '', nowMs + EFFECT_MS);
  }

  /** The consolidation is not carried out: its nodes stay. */
  forget(command: string): void {
    for (const node of this.#moves.get(command)?.nodes ?? []) this.#removed.delete(node);
    this.#moves.delete(command);
  }

  /**
   * A node is launched for these pods. All consolidations whose effect it can be count as one, and so do those that are
   * found to be the cause while the pool is held. Returns the pools that are not consolidated from now on.
   */
  launched(pods: readonly Stored<Pod>[]): readonly string[] {
    const nowMs = this.#clock.monotonic();
    const found = new Set<string>();
    for (const [id, move] of this.#moves) {
      if (move.untilMs < nowMs || !pods.some((pod) => this.#mayBeEffect(pod, move, nowMs))) continue;
      this.#moves.delete(id);
      for (const nodePool of move.nodePools) found.add(nodePool);
    }
    const held = [...found].filter((nodePool) => (this.#holds.get(nodePool)?.untilMs ?? 0) <= nowMs);
    for (const nodePool of held) {
      const known = this.#holds.get(nodePool);
      // A hold that is long over is forgotten.
      const count = known === undefined || nowMs - known.untilMs > MAX_MS ? 1 : known.count + 1;
      const forMs = Math.min(MAX_MS, FIRST_MS * 2 ** (count - 1));
      this.#holds.set(nodePool, { count, untilMs: nowMs + forMs });
    }
    return held;
  }

  /** A pod without a node may stand for any that its workload lost; one on a node is planned because that node leaves. */
  #mayBeEffect(pod: Stored<Pod>, { owners, nodes }: Move, nowMs: number): boolean {
    const owner = ownerOf(pod)?.uid ?? '';
    const { nodeName } = pod.spec ?? {};
    if (!owners.has(owner)) return false;
    return nodeName === undefined
      ? (this.#others.get(owner) ?? Number.NEGATIVE_INFINITY) < nowMs
      : nodes.has(nodeName);
  }

  /** By pool, for the plan. @param nowMs since the epoch, as `untilMs` of the result. */
  holds(nowMs: number): ReadonlyMap<string, { readonly untilMs: number; readonly failures: number }> {
    const monotonicMs = this.#clock.monotonic();
    return new Map(
      [...this.#holds]
        .filter(([, { untilMs }]) => untilMs > monotonicMs)
        .map(([nodePool, { count, untilMs }]) => [
          nodePool,
          { untilMs: nowMs + untilMs - monotonicMs, failures: count },
        ]),
    );
  }
}
