/** A small, lively cluster: a story of scale up, placement, drain and removal that begins again, one step a tick. */
import type { NodeRow, PodRow } from '../../../packages/chandler/src/dashboard/wire.ts';
import { AGENTS, POOL_SHAPES, type PoolShape, WORKLOADS, type WorkloadShape } from './shapes.table.ts';
import { HOUR_MS, MINUTE_MS, World } from './world.ts';

const NODES_BY_POOL: Readonly<Record<string, number>> = { general: 12, batch: 7, memory: 4 };
const TICK_MS = 1000;
/** Ticks after which the story begins again. */
const STORY_TICKS = 24;

export class SmallWorld extends World {
  #tick = 0;
  #growing: { claim: NodeRow; pods: PodRow[] } | undefined;
  #leaving: NodeRow | undefined;

  constructor(seed = 7) {
    super(seed);
    for (const pool of POOL_SHAPES) {
      for (let at = 0; at < NODES_BY_POOL[pool.row.name]!; at++) this.#addNode(pool);
    }
    this.#addUnusual();
    this.setFreezes([
      { pool: 'batch', untilMs: this.nowMs + 3 * HOUR_MS, text: 'month-end report is running (jane)' },
    ]);
    this.takeChanges();
  }

  /** One second of the cluster. */
  tick(): void {
    this.nowMs += TICK_MS;
    const at = this.#tick++ % STORY_TICKS;
    STORY[at]?.call(this);
  }

  scaleUp(): void {
    const pods = Array.from({ length: 6 }, () => this.aPod(WORKLOADS[0]!, '', 'p'));
    for (const pod of pods) this.setPod(pod);
    const pool = POOL_SHAPES[0]!;
    const claim = this.aNode(pool, pool.types[0]!, {
      node: null,
      phase: 'planned',
      phaseText: 'launching',
      createdMs: this.nowMs,
    });
    this.#growing = { claim, pods };
    this.tell({
      what: 'pending',
      subject: `Pod/shop/${pods[0]![1]}`,
      reason: 'FailedScheduling',
      text: '6 pods of Deployment/checkout are pending',
      warning: false,
    });
  }

  launch(): void {
    const { claim } = this.#growing!;
    this.setNode(claim);
    this.tell({
      what: 'launch',
      subject: `NodeClaim/${claim.name}`,
      reason: 'Launched',
      text: `Launched ${claim.type} in ${claim.zone}`,
      warning: false,
    });
  }

  boot(): void {
    const { claim } = this.#growing!;
    this.setNode({ ...claim, phase: 'booting', phaseText: 'booting' });
  }

  join(): void {
    const { claim } = this.#growing!;
    const name = `ip-10-0-${this.random.below(255)}-${this.random.below(255)}`;
    this.removeNode(claim.name);
    const ready: NodeRow = { ...claim, name, node: name, phase: 'ready', phaseText: 'Ready' };
    this.#growing!.claim = ready;
    this.setNode(ready);
    for (const agent of AGENTS) this.setPod(this.aPod(agent, name, 'r'));
    this.tell({
      what: 'registered',
      subject: `Node/${name}`,
      reason: 'Ready',
      text: `Node ${name} is Ready after 42 s`,
      warning: false,
    });
  }

  place(): void {
    const { claim, pods } = this.#growing!;
    this.#growing!.pods = pods.map((pod): PodRow => {
      const [namespace, name, , , cpu, memory, workload] = pod;
      const placed: PodRow = [namespace, name, claim.name, 'c', cpu, memory, workload];
      this.setPod(placed);
      return placed;
    });
  }

  run(): void {
    for (const [namespace, name, node, , cpu, memory, workload] of this.#growing!.pods)
      this.setPod([namespace, name, node, 'r', cpu, memory, workload]);
  }

  disrupt(): void {
    const pool = [...this.nodes.values()].filter((node) => node.pool === 'general' && node.phase === 'ready');
    this.#leaving = pool[0]!;
    this.setNode({ ...this.#leaving, phase: 'disrupting', phaseText: 'disrupting' });
    this.tell({
      what: 'disruption',
      subject: `Node/${this.#leaving.name}`,
      reason: 'Underutilized',
      text: `Consolidation deletes ${this.#leaving.name}: its pods fit on other nodes`,
      warning: false,
    });
  }

  drain(): void {
    for (const [namespace, name, node, , cpu, memory, workload] of this.podsOn(this.#leaving!.name))
      this.setPod([namespace, name, node, 'l', cpu, memory, workload]);
  }

  evict(): void {
    this.setNode({ ...this.#leaving!, phase: 'deleting', phaseText: 'deleting' });
    for (const pod of this.podsOn(this.#leaving!.name)) {
      this.removePod(pod);
      if (pod[6].startsWith('DaemonSet/')) continue;
      const shape = WORKLOADS.find(({ workload }) => workload === pod[6])!;
      const target = this.#targetFor(shape);
      this.setPod(this.aPod(shape, target?.name ?? '', target === undefined ? 'p' : 'c'));
    }
  }

  remove(): void {
    this.removeNode(this.#leaving!.name);
    for (const [namespace, name, node, phase, cpu, memory, workload] of this.pods.values())
      if (phase === 'c') this.setPod([namespace, name, node, 'r', cpu, memory, workload]);
    this.tell({
      what: 'removed',
      subject: `Node/${this.#leaving!.name}`,
      reason: 'Terminated',
      text: `${this.#leaving!.name} was terminated`,
      warning: false,
    });
  }

  #targetFor(shape: WorkloadShape): NodeRow | undefined {
    return [...this.nodes.values()].find((node) => this.fits(node, shape));
  }

  #addNode(pool: PoolShape): void {
    const type = this.random.one(pool.types);
    const aws = pool.row.nodeClass.startsWith('EC2');
    const name = aws
      ? `ip-10-0-${this.random.below(255)}-${this.random.below(255)}`
      : `aks-${pool.row.name}-${this.random.suffix()}`;
    const reasons = [
      { code: 'BudgetExhausted', text: 'the budget of NodePool general permits no disruption now' },
      {
        code: 'PodDoNotDisrupt',
        text: 'pod shop/orders-db-0 has the annotation karpenter.sh/do-not-disrupt',
      },
      { code: 'NotCheaper', text: 'no cheaper node has room for its pods' },
    ];
    const node = this.aNode(pool, type, {
      name,
      node: name,
      staying: [reasons[this.random.below(reasons.length)]!],
    });
    this.setNode(node);
    for (const agent of AGENTS) this.setPod(this.aPod(agent, name, 'r'));
    const goal = 0.35 + this.random.next() * 0.6;
    for (let attempt = 0; attempt < 40; attempt++) {
      const shape = this.random.one(WORKLOADS);
      if (this.used.get(name)!.cpuMillis > goal * type.cpuMillis) break;
      if (this.fits(node, shape)) this.setPod(this.aPod(shape, name, 'r'));
    }
  }

  /** One of each that a page must be able to show. */
  #addUnusual(): void {
    const [general, , memory] = POOL_SHAPES as [PoolShape, PoolShape, PoolShape];
    const failed = this.aNode(memory, memory.types[0]!, {
      node: null,
      phase: 'failed',
      phaseText: 'SubscriptionQuotaReached',
      warning: true,
      createdMs: this.nowMs - 7 * MINUTE_MS,
    });
    this.setNode({ ...failed, name: 'memory-quota', claim: 'memory-quota' });
    const booting = this.aNode(general, general.types[1]!, {
      node: null,
      phase: 'booting',
      phaseText: 'booting',
      createdMs: this.nowMs - 40_000,
    });
    this.setNode(booting);
    const [first, second, third] = this.nodes.values();
    this.setNode({ ...first!, phase: 'cordoned', phaseText: 'cordoned' });
    this.setNode({ ...second!, phase: 'not-ready', phaseText: 'NotReady', warning: true });
    this.setNode({ ...third!, staying: [] });
    for (const name of ['system-1', 'system-2']) {
      const own = this.aNode(general, general.types[1]!, {
        name,
        node: name,
        claim: null,
        pool: null,
        capacity: null,
        pricePerHour: null,
        staying: [{ code: 'NotManaged', text: 'it is not managed: it belongs to no NodePool' }],
      });
      this.setNode(own);
      for (const agent of AGENTS) this.setPod(this.aPod(agent, name, 'r'));
    }
    for (let at = 0; at < 4; at++) this.setPod(this.aPod(PENDING_INDEX, '', 'p'));
    for (let at = 0; at < 3; at++) this.setPod(this.aPod(PENDING_GPU, '', 'p'));
    const failing = [...this.pods.values()].find((pod) => pod[6] === 'Job/thumbnails')!;
    this.setPod([failing[0], failing[1], failing[2], 'f', failing[4], failing[5], failing[6]]);
  }
}

export const PENDING_INDEX: WorkloadShape = {
  ...WORKLOADS[5]!,
  workload: 'StatefulSet/index-large',
  memoryBytes: 96 * 1024 ** 3,
};
export const PENDING_GPU: WorkloadShape = { ...WORKLOADS[4]!, namespace: 'search', workload: 'Job/embed' };

/** By tick. */
const STORY: Readonly<Record<number, (this: SmallWorld) => void>> = {
  1: SmallWorld.prototype.scaleUp,
  3: SmallWorld.prototype.launch,
  6: SmallWorld.prototype.boot,
  9: SmallWorld.prototype.join,
  11: SmallWorld.prototype.place,
  13: SmallWorld.prototype.run,
  15: SmallWorld.prototype.disrupt,
  17: SmallWorld.prototype.drain,
  19: SmallWorld.prototype.evict,
  22: SmallWorld.prototype.remove,
};
