/**
 * The read model of the page at 5,000 nodes with 150,000 pods: what it keeps besides the stores, the first snapshot, and a minute's
 * worth of changes at 200 a second. Turns are measured by the CPU time of the thread, which other work on the machine does not lengthen.
 */
import {
  aClaim,
  aNode,
  aPod,
  aPool,
  READY,
  Snapshots,
  TestModel,
} from '../packages/chandler/src/dashboard/testing.ts';
import { assertWork, atMost, report, rounded } from './result.ts';
import { benchWorld } from './world.ts';

const [NODES, PODS, CHANGES, ROUNDS] = [5_000, 150_000, 20, 100];

const world = benchWorld();
const made = new TestModel(world);
const pool = aPool('general');
made.put(made.pools, pool);
for (let at = 0; at < NODES; at++) {
  made.put(made.nodes, aNode(`node-${at}`));
  made.put(made.claims, aClaim(`claim-${at}`, `node-${at}`, READY));
}
for (let at = 0; at < PODS; at++) made.put(made.pods, aPod(`web-${at}`, `node-${at % NODES}`));

const turns = longestTurn();
const before = heapMiB();
const start = await turns.during(() => made.model.start());
const rowsMiB = heapMiB() - before;
const snapshots = new Snapshots(made.model, world.clock);
const snapshot = await turns.during(() => snapshots.compressed());
const keptMiB = heapMiB() - before;

const sequence = made.model.log.sequence;
const changes = await turns.during(async () => {
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < CHANGES; at++) {
      const number = (round * CHANGES + at) % PODS;
      made.put(made.pods, aPod(`web-${number}`, `node-${(number + round + 1) % NODES}`));
    }
    await world.clock.sleep(100);
  }
});
await world.clock.sleep(500);
made.model.stop();
turns.stop();

const bytes = snapshot.result.length;
report({
  name: 'dashboard',
  figures: {
    nodes: NODES,
    pods: PODS,
    startMs: rounded(start.ms),
    startTurnMs: rounded(start.turnMs),
    snapshotMs: rounded(snapshot.ms),
    snapshotTurnMs: rounded(snapshot.turnMs),
    snapshotMiB: rounded(bytes / 2 ** 20),
    rowsMiB: rounded(rowsMiB),
    keptMiB: rounded(keptMiB),
    changes: CHANGES * ROUNDS,
    changesCpuMs: rounded(changes.cpuMs),
    changesTurnMs: rounded(changes.turnMs),
  },
  goals: {
    snapshotMs: atMost(snapshot.ms, 2_000),
    turnMs: atMost(Math.max(start.turnMs, snapshot.turnMs, changes.turnMs), 100),
    keptMiB: atMost(Math.max(keptMiB, 0.1), 30),
  },
  checked: [
    assertWork(made.model.totals.pods === PODS, 'every pod is counted'),
    assertWork([...made.model.nodeTexts()].length === NODES, 'every node has a row'),
    assertWork(made.model.log.sequence - sequence >= CHANGES * ROUNDS, 'every pod that moved is in the log'),
  ],
});

/** The longest time between two chances of others to run. */
function longestTurn() {
  let last = process.threadCpuUsage();
  let maxMs = 0;
  const timer = setInterval(() => {
    const { user, system } = process.threadCpuUsage(last);
    maxMs = Math.max(maxMs, (user + system) / 1000);
    last = process.threadCpuUsage();
  }, 1);
  return {
    stop: () => clearInterval(timer),
    async during<T>(work: () => Promise<T>) {
      await new Promise((resolve) => setImmediate(resolve));
      [last, maxMs] = [process.threadCpuUsage(), 0];
      const [startMs, cpu] = [performance.now(), process.cpuUsage()];
      const result = await work();
      const { user, system } = process.cpuUsage(cpu);
      const ms = performance.now() - startMs;
      await new Promise((resolve) => setTimeout(resolve, 5));
      return { result, ms, cpuMs: (user + system) / 1000, turnMs: maxMs };
    },
  };
}

function heapMiB(): number {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / 2 ** 20;
}
