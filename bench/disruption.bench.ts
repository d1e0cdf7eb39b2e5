/**
 * A whole pass of disruption, in its pieces: 1,000 nodes with 30,000 pods and 5,000 nodes with 150,000. The first pass of a
 * process over a cluster at rest, whose nodes are all judged; one when nothing has changed; one after pods of ten nodes are
 * gone; and one over a badly used cluster. The longest piece is what a controller
 * keeps others waiting for. CPU time of the thread: what else runs on the machine does not count.
 */
import {
  type DisruptionInput,
  type DisruptionOptions,
  type DisruptionPlan,
  DisruptionPlanner,
} from '../packages/chandler/src/disruption/index.ts';
import { disruptionCluster, NOW_MS } from './disruption-cluster.ts';
import { assertWork, atMost, report, rounded } from './result.ts';

/** At rest: every node is full, of the cheapest type for its pods, and moves for less than a percent do not count. */
const REST: DisruptionOptions = { maxReplacements: 1, saving: { minSavingPercent: 1 } };
const small = disruptionCluster({ nodes: 1000, use: [1, 1], budget: '100%' });
const planner = new DisruptionPlanner();
const first = measured(planner, small, 0, REST);
const second = measured(planner, small, 1, REST);
const third = measured(planner, withoutPods(small, 10), 2, REST);
const half = disruptionCluster({ nodes: 1000, use: [0.45, 0.6], budget: '10%' });
const saving = measured(new DisruptionPlanner(), half, 0);
const large = disruptionCluster({ nodes: 5000, use: [0.9, 0.98], budget: '10%' });
const bigger = new DisruptionPlanner();
const cold = measured(bigger, large, 0);
const warm = measured(bigger, large, 1);

report({
  name: 'disruption',
  figures: {
    firstPassCpuMs: rounded(first.totalMs),
    firstPassLongestStepMs: rounded(first.longestMs),
    unchangedPassCpuMs: rounded(second.totalMs),
    changedPassCpuMs: rounded(third.totalMs),
    changedPassLongestStepMs: rounded(third.longestMs),
    savingPassCpuMs: rounded(saving.totalMs),
    savingPassLongestStepMs: rounded(saving.longestMs),
    savingPercent: rounded((1 - saving.plan.priceAfter / saving.plan.priceBefore) * 100),
    largePassCpuMs: rounded(cold.totalMs),
    largePassLongestStepMs: rounded(cold.longestMs),
    largeAgainCpuMs: rounded(warm.totalMs),
    largeAgainLongestStepMs: rounded(warm.longestMs),
    judgedNodesPerSecond: rounded(1000 / (first.totalMs / 1000)),
  },
  goals: {
    firstPassCpuMs: atMost(first.totalMs, 10_000),
    firstPassLongestStepMs: atMost(first.longestMs, 250),
    largePassLongestStepMs: atMost(cold.longestMs, 1000),
  },
  checked: [
    assertWork(
      first.plan.nodes.every(({ command, keeps }) => command !== undefined || keeps.length > 0),
      'every node has a command or a reason why it stays',
    ),
    assertWork(first.plan.commands.length === 0, 'a cluster at rest gets no commands'),
    assertWork(saving.plan.commands.length > 0, 'a badly used cluster gets commands'),
  ],
});

// ---------------------------------------------------------------------------------------------------

interface Measured {
  readonly plan: DisruptionPlan;
  readonly totalMs: number;
  readonly longestMs: number;
}

function measured(
  by: DisruptionPlanner,
  input: DisruptionInput,
  pass: number,
  options: DisruptionOptions = {},
): Measured {
  const steps = by.steps(input, options, NOW_MS + pass * 10_000);
  const startMs = cpuMs();
  let longestMs = 0;
  for (let lastMs = startMs; ; ) {
    const step = steps.next();
    const nowMs = cpuMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (step.done === true) return { plan: step.value, totalMs: nowMs - startMs, longestMs };
  }
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Some nodes lose two pods each. */
function withoutPods(input: DisruptionInput, nodes: number): DisruptionInput {
  const gone = new Set(input.nodes.slice(0, nodes).flatMap(({ pods }) => pods.slice(0, 2)));
  const { boundPods = [] } = input.scheduling;
  return {
    ...input,
    scheduling: { ...input.scheduling, boundPods: boundPods.filter((pod) => !gone.has(pod)) },
    nodes: input.nodes.map((node, at) =>
      at < nodes ? { ...node, pods: node.pods.filter((pod) => !gone.has(pod)) } : node,
    ),
  };
}
