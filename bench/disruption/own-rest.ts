/**
 * `node bench/disruption/own-rest.ts pods kind`: our disruption, pass after pass, until it finds nothing to do. All
 * commands of a pass are executed: replacements are launched at the cheapest offering, pods go where the plan has them.
 */
import {
  type Command,
  type DisruptionInput,
  DisruptionPlanner,
} from '../../packages/chandler/src/disruption/index.ts';
import { priceBound } from '../../packages/chandler/src/scheduling/index.ts';
import { assertWork } from '../result.ts';
import { NOW_MS } from './bench-node.ts';
import {
  checkRest,
  clusterOf,
  halfEmptyCluster,
  nameOf,
  priceOf,
  REST_KINDS,
  type RestNode,
} from './rest-cluster.ts';

export interface OwnRest {
  readonly pods: number;
  readonly startNodes: number;
  readonly startPrice: number;
  /** No plan for these pods can cost less. */
  readonly boundPerHour: number;
  readonly passes: number;
  readonly commands: number;
  readonly podsMoved: number;
  readonly nodes: number;
  readonly pricePerHour: number;
  readonly ms: number;
}

/** The limit for a cluster that does not become stable. */
const MAX_PASSES = 500;
const PASS_MS = 10_000;

const [count, kind] = process.argv.slice(2) as [string, string];
const { spotToSpot } = REST_KINDS[kind]!;
const { input, pods, start } = halfEmptyCluster(Number(count), REST_KINDS[kind]!);
const byName = new Map(pods.map((pod) => [nameOf(pod), pod]));
const planner = new DisruptionPlanner();
let nodes: readonly RestNode[] = start;
let commands = 0;
let podsMoved = 0;
let passes = 0;
const started = performance.now();
for (let now = input; ; now = clusterOf(nodes, byName, input.pools[0]!)) {
  assertWork(passes++ < MAX_PASSES, `the cluster is stable within ${MAX_PASSES} passes`);
  const given = planOf(now);
  if (given.length === 0) break;
  for (const command of given) {
    nodes = after(nodes, command, commands++);
    podsMoved += command.podsMoved;
  }
}
const ms = performance.now() - started;
checkRest(start, pods);
checkRest(nodes, pods);
const bound = await priceBound({ ...input.scheduling, pods, nodes: [], boundPods: [] });
assertWork(bound.proven, 'the lower bound is proven');
const result: OwnRest = {
  pods: pods.length,
  startNodes: start.length,
  startPrice: priceOf(start),
  boundPerHour: bound.perHour,
  passes,
  commands,
  podsMoved,
  nodes: nodes.length,
  pricePerHour: priceOf(nodes),
  ms,
};
console.log(JSON.stringify(result));

// ---------------------------------------------------------------------------------------------------

function planOf(now: DisruptionInput): readonly Command[] {
  return planner.plan(now, { spotToSpot }, NOW_MS + passes * PASS_MS).commands;
}

function after(before: readonly RestNode[], command: Command, number: number): readonly RestNode[] {
  const gone = new Set(command.candidates.map(({ name }) => name));
  const moved = new Set(before.filter(({ name }) => gone.has(name)).flatMap((node) => node.pods));
  const coming = new Map(command.destinations.map(({ node, pods: names }) => [node, names]));
  const stay = before
    .filter(({ name }) => !gone.has(name))
    .map((node) => ({ ...node, pods: [...node.pods, ...(coming.get(node.name) ?? [])] }));
  const launched = command.replacements.map(({ cheapest, pods: names }, index): RestNode => {
    const { instanceType, zone, capacityType } = cheapest;
    return {
      name: `ours-${String(number).padStart(4, '0')}-${index}`,
      instanceType,
      zone: zone!,
      capacityType: capacityType!,
      pods: names,
    };
  });
  const placed = [...coming.values(), ...launched.map((node) => node.pods)].flat();
  assertWork(
    placed.length === moved.size && placed.every((pod: string) => moved.has(pod)),
    'a command has a place for each of its pods',
  );
  return [...stay, ...launched];
}
