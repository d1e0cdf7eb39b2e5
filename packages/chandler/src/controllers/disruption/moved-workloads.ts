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

  constructor(clock: Pick<Clock, 'monotonic'>) {
    this.#clock = clock;
  }

  /** A consolidation moves pods away from nodes of these pools. */
  moved(command: string, pods: Iterable<Stored<Pod>>, nodePools: Iterable<string>): void {
    const nowMs = this.#clock.monotonic();
    for (const [id, { untilMs }] of this.#moves) if (untilMs < nowMs) this.#moves.delete(id);
    const owners = new Set([...pods].flatMap((pod) => ownerOf(pod)?.uid ?? []));
    for (const owner of this.#moves.get(command)?.owners ?? []) owners.add(owner);
    this.#moves.set(command, { owners, nodePools: [...new Set(nodePools)], untilMs: nowMs + EFFECT_MS });
  }

  /** A node is launched for these pods. Returns the pools that are not consolidated from now on. */
  launched(pods: readonly Stored<Pod>[]): readonly string[] {
    const nowMs = this.#clock.monotonic();
    const owners = pods.flatMap((pod) => ownerOf(pod)?.uid ?? []);
    const held: string[] = [];
    for (const [id, { owners: moved, nodePools, untilMs }] of this.#moves) {
      if (untilMs < nowMs || !owners.some((owner) => moved.has(owner))) continue;
      this.#moves.delete(id);
      for (const nodePool of nodePools) {
        const known = this.#holds.get(nodePool);
        // A hold that is long over is forgotten.
        const count = known === undefined || nowMs - known.untilMs > MAX_MS ? 1 : known.count + 1;
        const forMs = Math.min(MAX_MS, FIRST_MS * 2 ** (count - 1));
        this.#holds.set(nodePool, { count, untilMs: nowMs + forMs });
        held.push(nodePool);
      }
    }
    return held;
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
