/**
 * Entry point of a pass: from one snapshot, options and a time to all commands that could be given now, and for every other
 * node what keeps it. The same input gives the same plan.
 */
import { conditionOf } from '@chandler/kube';
import type { PoolObject } from '../scheduling/index.ts';
import { finish, type Steps } from '../scheduling/index.ts';
import { type Block, blockEvent, blockText, type DisruptionEvent } from './block.ts';
import { type BudgetVerdict, budgetProblems } from './budgets.ts';
import { isExpired, type JudgedNode, judgeNodes } from './candidates.ts';
import { type Command, commandTextFor, ownerText } from './command.ts';
import { consolidation } from './consolidation.ts';
import { isEmptyCost } from './costs.ts';
import { drift, expiration, staticDrift } from './drift.ts';
import { emptiness } from './emptiness.ts';
import { Judgements } from './judgements.ts';
import { METHODS, type MethodName } from './methods.table.ts';
import type { DisruptionInput, DisruptionOptions } from './model.ts';
import { Pass, type PassMemory, passParts } from './pass.ts';
import type { PlanInput } from './plan-input.ts';
import { type Freeze, freezeText, type PoolProblem, readPoolRules, type SavingRules } from './pool-rules.ts';
import { PriceBook } from './price-book.ts';
import { type Rejection, rejectionEvent, rejectionText } from './rejection.ts';
import { repair } from './repair.ts';
import { newPlanners } from './simulation.ts';

export interface DisruptionPlan {
  readonly commands: readonly Command[];
  /** Every node, by name. */
  readonly nodes: readonly NodeVerdict[];
  /** Of every NodePool and reason, before the commands. */
  readonly budgets: readonly BudgetVerdict[];
  /** Per hour, of the managed nodes that are not being deleted. */
  readonly priceBefore: number;
  readonly priceAfter: number;
  /** What is wrong with NodePools: their nodes are left alone until it is repaired. */
  readonly problems: readonly PoolProblem[];
  /** Those that hold now. */
  readonly freezes: readonly Freeze[];
}

export interface NodeVerdict {
  readonly name: string;
  /** The name of its NodeClaim. */
  readonly claim?: string;
  readonly nodePool: string;
  readonly instanceType: string;
  readonly price: number;
  /** The number of pods that would need another node. */
  readonly pods: number;
  /** The key of the command that removes it, and what it does, in the form of Karpenter's events. */
  readonly command?: string;
  readonly text?: string;
  /** The workloads that the command rolls, as `Deployment shop/web`. */
  readonly rolls?: readonly string[];
  /** Otherwise all that keeps it: first what blocks it, then what spoke against it. */
  readonly keeps: readonly Keep[];
}

export type Keep = KeepText &
  ({ readonly block: Block } | { readonly rejection: Rejection; readonly method: MethodName });

interface KeepText {
  readonly text: string;
  /** All methods that it keeps from the node, of those that could remove it as it is. */
  readonly methods: readonly MethodName[];
  /** The event that Karpenter publishes for it. */
  readonly event?: DisruptionEvent;
}

/** One plan, in one piece. */
export function planDisruption(input: PlanInput, options: DisruptionOptions, nowMs: number): DisruptionPlan {
  return new DisruptionPlanner().plan(input, options, nowMs);
}

/** Plans for one cluster again and again; what has not changed since the last pass is not computed again. */
export class DisruptionPlanner {
  readonly #memory: PassMemory = { planners: newPlanners(), judgements: new Judgements() };

  plan(input: PlanInput, options: DisruptionOptions, nowMs: number): DisruptionPlan {
    return finish(this.steps(input, options, nowMs));
  }

  /**
   * The same plan, in pieces. The objects of the input must not be modified meanwhile, and no other pass of this planner may
   * begin before the last one has ended or is given up.
   * @param began called when a method begins, for a caller that measures the time.
   */
  *steps(
    input: PlanInput,
    options: DisruptionOptions,
    nowMs: number,
    began: (method: MethodName) => void = () => undefined,
  ): Steps<DisruptionPlan> {
    const parts = yield* passParts(input, options, nowMs, this.#memory);
    const pass = new Pass(input, options, nowMs, parts);
    for (const { name } of METHODS) {
      const run = RUN[name];
      if (run === undefined || (name === 'repair' && options.repair === undefined)) continue;
      began(name);
      yield* run(pass);
    }
    yield* consolidation(pass, began);
    pass.judgements.end();
    const { commands, nodes, budgets } = pass;
    const priceBefore = nodes
      .filter(({ node }) => node.claim !== undefined && !node.deleting)
      .reduce((sum, { price }) => sum + price, 0);
    const saved = commands.reduce((sum, { savingPerHour }) => sum + savingPerHour, 0);
    const byKey = new Map(commands.map((command) => [command.key, command]));
    yield;
    return {
      commands,
      nodes: nodes.map((node) =>
        verdictOf(node, pass.rejections.get(node.name), byKey.get(pass.commandFor(node.name) ?? '')),
      ),
      budgets,
      priceBefore,
      priceAfter: priceBefore - saved,
      problems: problemsOf(input, options, nowMs),
      freezes: heldFreezes(input, options, nowMs),
    };
  }
}

/**
 * The nodes that no method could remove because something blocks them, with all that does. No simulation is needed, so this
 * costs a small part of a plan; what a plan would say about the other nodes is not known.
 */
export function blockedNodes(
  input: DisruptionInput,
  options: DisruptionOptions,
  nowMs: number,
): readonly NodeVerdict[] {
  const prices = new PriceBook(input.pools, input.scheduling);
  return finish(judgeNodes(input, prices, options, nowMs))
    .filter((node) => methodsFor(node).every((method) => node.blocks[method].length > 0))
    .map((node) => verdictOf(node, undefined));
}

/** All that is wrong with the budgets and annotations of a NodePool. */
export function poolProblems(pool: PoolObject, saving: SavingRules, nowMs: number): readonly PoolProblem[] {
  const nodePool = pool.metadata.name ?? '';
  const rules = readPoolRules(pool, saving, [], nowMs);
  return [
    ...budgetProblems(pool, nowMs).map((problem) => ({ nodePool, ...problem })),
    ...('problems' in rules ? rules.problems : []),
  ];
}

// ---------------------------------------------------------------------------------------------------

/** Consolidation, which is two methods, runs after them. */
const RUN: Readonly<Partial<Record<MethodName, (pass: Pass) => Steps>>> = {
  repair,
  emptiness,
  'static-drift': staticDrift,
  drift,
  expiration,
};

function verdictOf(
  node: JudgedNode,
  rejected: ReadonlyMap<MethodName, Rejection> | undefined,
  command?: Command,
): NodeVerdict {
  const { name, nodePool, instanceType, price, pods } = node;
  const claim = node.node.claim?.metadata.name;
  const base = {
    name,
    ...(claim === undefined ? {} : { claim }),
    nodePool,
    instanceType,
    price,
    pods: pods.length,
  };
  if (command !== undefined) {
    const rolls = (command.surges ?? []).map(ownerText);
    const text = commandTextFor(command, name);
    return { ...base, command: command.key, text, ...(rolls.length === 0 ? {} : { rolls }), keeps: [] };
  }
  const methods = methodsFor(node);
  const blocks = methods.flatMap((method) => node.blocks[method].map((block) => keepOf(block, method)));
  // Of several nodes at once only what ends by itself is said: the rest is said of the node alone.
  const isHeld = rejected?.get('multi-node')?.code === 'LaunchesHeld';
  const rejections = [...methods, ...(isHeld ? ['multi-node' as const] : [])].flatMap((method) => {
    const rejection = rejected?.get(method);
    if (rejection === undefined) return [];
    const event = rejectionEvent(rejection, method);
    const text = rejectionText(rejection);
    return [{ rejection, method, text, methods: [method], ...(event === undefined ? {} : { event }) }];
  });
  return { ...base, keeps: withoutRepeats([...blocks, ...rejections]) };
}

function problemsOf(
  { pools }: DisruptionInput,
  { saving = {} }: DisruptionOptions,
  nowMs: number,
): readonly PoolProblem[] {
  return pools.flatMap(({ nodePool }) => poolProblems(nodePool, saving, nowMs));
}

export function heldFreezes(
  { pools }: Pick<DisruptionInput, 'pools'>,
  { saving = {}, freezes = [] }: DisruptionOptions,
  nowMs: number,
): readonly Freeze[] {
  const held = pools.flatMap(({ nodePool }) => {
    const rules = readPoolRules(nodePool, saving, freezes, nowMs);
    return 'problems' in rules || rules.freeze === undefined ? [] : [rules.freeze];
  });
  const texts = new Map(held.map((freeze) => [freezeText(freeze), freeze]));
  return [...texts.values()];
}

/** The methods that could remove the node as it is: an empty node is not consolidated, and only a drifted one drifts. */
function methodsFor(judged: JudgedNode): readonly MethodName[] {
  const { cost, pool, repair: decision, tolerated } = judged;
  const { claim } = judged.node;
  const drifted = claim !== undefined && conditionOf(claim, 'Drifted')?.status === 'True';
  const drifts: MethodName = pool?.spec.replicas === undefined ? 'drift' : 'static-drift';
  return [
    ...(decision === undefined && tolerated === undefined ? [] : ['repair' as const]),
    ...(drifted ? [drifts] : []),
    ...(isExpired(judged) ? ['expiration' as const] : []),
    isEmptyCost(cost) ? 'emptiness' : 'single-node',
  ];
}

function keepOf(block: Block, method: MethodName): Keep {
  const event = blockEvent(block);
  return { block, text: blockText(block), methods: [method], ...(event === undefined ? {} : { event }) };
}

function withoutRepeats(keeps: readonly Keep[]): readonly Keep[] {
  const byText = Map.groupBy(keeps, ({ text }) => text);
  return [...byText.values()].map((same) => ({
    ...same[0]!,
    methods: [...new Set(same.flatMap(({ methods }) => methods))],
  }));
}
