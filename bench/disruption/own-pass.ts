/**
 * `node bench/disruption/own-pass.ts cluster [nodes]`: one whole pass of our disruption in its own process. Timed are the first
 * pass of the process, over another cluster of the same kind, and the first pass over the cluster itself, by a new planner that
 * has judged nothing before. Then each of the named nodes is judged alone, in the cluster as it is, as upstream does.
 */
import {
  type DisruptionInput,
  type DisruptionNode,
  type DisruptionPlan,
  DisruptionPlanner,
} from '../../packages/chandler/src/disruption/index.ts';
import { assertWork } from '../result.ts';
import { NOW_MS } from './bench-node.ts';
import { PASS_OPTIONS, passCluster } from './clusters.ts';

export interface OwnPass {
  readonly nodes: number;
  readonly pods: number;
  /** Nodes that were judged by consolidation. */
  readonly candidates: number;
  readonly commands: number;
  readonly coldMs: number;
  readonly ms: number;
  readonly cpuMs: number;
  /** The nodes that were asked for, each alone. */
  readonly judged: readonly OwnJudgement[];
}

export interface OwnJudgement {
  readonly node: string;
  readonly decision: string;
  readonly savingPerHour: number;
}

const [name, asked = ''] = process.argv.slice(2) as [string, string?];
const cold = timed(passCluster(name, 8));
const input = passCluster(name);
const warm = timed(input);
const candidates = warm.plan.nodes.filter(
  ({ command, keeps }) => command !== undefined || keeps.some((keep) => 'rejection' in keep),
);
assertWork(
  warm.plan.nodes.every(({ command, keeps }) => command !== undefined || keeps.length > 0),
  'every node has a command or a reason why it stays',
);
const result: OwnPass = {
  nodes: input.nodes.length,
  pods: input.nodes.reduce((sum, { pods }) => sum + pods.length, 0),
  candidates: candidates.length,
  commands: warm.plan.commands.length,
  coldMs: cold.ms,
  ms: warm.ms,
  cpuMs: warm.cpuMs,
  judged: judgeAlone(input, asked === '' ? [] : asked.split(',')),
};
console.log(JSON.stringify(result));

// ---------------------------------------------------------------------------------------------------

function timed(cluster: DisruptionInput): { plan: DisruptionPlan; ms: number; cpuMs: number } {
  const planner = new DisruptionPlanner();
  const cpuBefore = process.cpuUsage();
  const started = performance.now();
  const plan = planner.plan(cluster, PASS_OPTIONS, NOW_MS);
  const ms = performance.now() - started;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { plan, ms, cpuMs: (user + system) / 1000 };
}

/** Each node is the only candidate: the others may receive its pods and are not consolidatable themselves. */
function judgeAlone(cluster: DisruptionInput, names: readonly string[]): OwnJudgement[] {
  const closed = cluster.nodes.map(notConsolidatable);
  const planner = new DisruptionPlanner();
  return names.map((node) => {
    const at = cluster.nodes.findIndex((each) => each.name === node);
    const { commands } = planner.plan(
      { ...cluster, nodes: closed.with(at, cluster.nodes[at]!) },
      PASS_OPTIONS,
      NOW_MS,
    );
    assertWork(commands.length <= 1, 'one candidate gets at most one command');
    const [command] = commands;
    return { node, decision: command?.decision ?? 'none', savingPerHour: command?.savingPerHour ?? 0 };
  });
}

function notConsolidatable(node: DisruptionNode): DisruptionNode {
  const claim = node.claim!;
  const conditions = claim.status!.conditions!.filter(({ type }) => type !== 'Consolidatable');
  return { ...node, claim: { ...claim, status: { ...claim.status, conditions } } };
}
