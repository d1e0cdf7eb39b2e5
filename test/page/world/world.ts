/**
 * A cluster as the page sees it, that can change: it holds the rows, keeps the totals, and records each change as the stream sends
 * it. What changes, and when, is decided by the worlds that are made of it (small-world.ts, huge-world.ts).
 */
import type {
  Change,
  Freeze,
  Happened,
  Missing,
  NodeRow,
  PodPhase,
  PodRow,
  Snapshot,
  Totals,
} from '../../../packages/chandler/src/dashboard/wire.ts';
import { Random } from './random.ts';
import { POOL_SHAPES, type PoolShape, type TypeShape, type WorkloadShape } from './shapes.table.ts';

/** A Monday at noon, so that windows of budgets are drawn in the same way every day. */
export const START_MS = Date.UTC(2026, 5, 1, 12, 0, 0);
export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

export class World {
  readonly random: Random;
  readonly epoch: string;
  nowMs = START_MS;
  sequence = 1;
  readonly nodes = new Map<string, NodeRow>();
  readonly pods = new Map<string, PodRow>();
  /** Millicores and bytes that the pods of a node request. */
  readonly used = new Map<string, { cpuMillis: number; memoryBytes: number; pods: number }>();
  readonly happened: Happened[] = [];
  freezes: readonly Freeze[] = [];
  missing: readonly Missing[] = [];
  #changes: Change[] = [];
  #pending = 0;
  #sums = { price: 0, unpriced: 0, cpu: 0, memory: 0, cpuRequested: 0, memoryRequested: 0 };

  constructor(seed: number) {
    this.random = new Random(seed);
    this.epoch = `world-${seed}`;
  }

  snapshot(): Snapshot {
    return {
      version: 1,
      epoch: this.epoch,
      sequence: this.sequence,
      atMs: this.nowMs,
      totals: this.totals(),
      nodes: [...this.nodes.values()],
      pods: [...this.pods.values()],
      pools: POOL_SHAPES.map(({ row }) => row),
      freezes: this.freezes,
      missing: this.missing,
    };
  }

  totals(): Totals {
    const { price, unpriced, cpu, memory, cpuRequested, memoryRequested } = this.#sums;
    return {
      pricePerHour: price,
      unpriced,
      lowerBoundPerHour: price * 0.81,
      cpuRequestedMillis: cpuRequested,
      cpuAllocatableMillis: cpu,
      memoryRequestedBytes: memoryRequested,
      memoryAllocatableBytes: memory,
      pods: this.pods.size,
      pending: this.#pending,
    };
  }

  /** What changed since the last call, as one event of the stream. */
  takeChanges(): Change[] {
    const changes = this.#changes;
    this.#changes = [];
    if (changes.length > 0) {
      changes.push(['totals', this.totals()]);
      this.sequence += changes.length;
    }
    return changes;
  }

  setNode(row: NodeRow): void {
    this.#countNode(this.nodes.get(row.name), -1);
    this.#countNode(row, 1);
    this.nodes.set(row.name, row);
    this.#changes.push(['node', row]);
  }

  removeNode(name: string): void {
    this.#countNode(this.nodes.get(name), -1);
    this.nodes.delete(name);
    this.#changes.push(['node-gone', name]);
  }

  setPod(row: PodRow): void {
    const key = `${row[0]}/${row[1]}`;
    this.#countPod(this.pods.get(key), -1);
    this.#countPod(row, 1);
    this.pods.set(key, row);
    this.#changes.push(['pod', row]);
  }

  removePod(row: PodRow): void {
    const key = `${row[0]}/${row[1]}`;
    this.#countPod(this.pods.get(key), -1);
    this.pods.delete(key);
    this.#changes.push(['pod-gone', row[0], row[1]]);
  }

  setFreezes(freezes: readonly Freeze[]): void {
    this.freezes = freezes;
    this.#changes.push(['freezes', freezes]);
  }

  setMissing(missing: readonly Missing[]): void {
    this.missing = missing;
    this.#changes.push(['missing', missing]);
  }

  /** As when a stage of a launch ends: no row shows it. */
  changeClaims(): void {
    this.#changes.push(['claims']);
  }

  tell(happened: Omit<Happened, 'atMs'> & { readonly atMs?: number }): void {
    const whole: Happened = { atMs: this.nowMs, ...happened };
    this.happened.push(whole);
    this.#changes.push(['happened', whole]);
  }

  setPrice(pricePerHour: number): void {
    this.#changes.push(['price', { atMs: this.nowMs, pricePerHour }]);
  }

  podsOn(node: string): PodRow[] {
    return [...this.pods.values()].filter((pod) => pod[2] === node);
  }

  aNode(pool: PoolShape, type: TypeShape, more: Partial<NodeRow> = {}): NodeRow {
    const claim = `${pool.row.name}-${this.random.suffix()}`;
    const zone = this.random.one(pool.zones);
    return {
      name: claim,
      node: claim,
      claim,
      pool: pool.row.name,
      type: type.name,
      zone,
      capacity: pool.capacity,
      version: pool.version,
      phase: 'ready',
      phaseText: 'Ready',
      warning: false,
      createdMs: this.nowMs - this.random.below(90 * HOUR_MS),
      pricePerHour: pool.capacity === 'spot' ? type.spot : type.onDemand,
      cpuMillis: type.cpuMillis,
      memoryBytes: type.memoryBytes,
      maxPods: 110,
      staying: [],
      ...more,
    };
  }

  aPod(shape: WorkloadShape, node: string, phase: PodPhase): PodRow {
    const stem = shape.workload.split('/')[1]!;
    const name = `${stem}-${this.random.suffix(4)}-${this.random.suffix()}`;
    return [shape.namespace, name, node, phase, shape.cpuMillis, shape.memoryBytes, shape.workload];
  }

  /** Whether the pod fits on the node beside what is there. */
  fits(node: NodeRow, shape: WorkloadShape): boolean {
    const used = this.used.get(node.name) ?? { cpuMillis: 0, memoryBytes: 0 };
    return (
      node.phase === 'ready' &&
      used.cpuMillis + shape.cpuMillis <= (node.cpuMillis ?? 0) &&
      used.memoryBytes + shape.memoryBytes <= (node.memoryBytes ?? 0)
    );
  }

  #countNode(row: NodeRow | undefined, sign: 1 | -1): void {
    if (row === undefined) return;
    if (row.pricePerHour === null) this.#sums.unpriced += sign;
    this.#sums.price += sign * (row.pricePerHour ?? 0);
    if (row.node === null) return;
    this.#sums.cpu += sign * (row.cpuMillis ?? 0);
    this.#sums.memory += sign * (row.memoryBytes ?? 0);
  }

  #countPod(row: PodRow | undefined, sign: 1 | -1): void {
    if (row === undefined) return;
    if (row[3] === 'p') this.#pending += sign;
    if (row[2] === '') return;
    this.#sums.cpuRequested += sign * row[4];
    this.#sums.memoryRequested += sign * row[5];
    const used = this.used.get(row[2]) ?? { cpuMillis: 0, memoryBytes: 0, pods: 0 };
    used.cpuMillis += sign * row[4];
    used.memoryBytes += sign * row[5];
    used.pods += sign;
    this.used.set(row[2], used);
  }
}
