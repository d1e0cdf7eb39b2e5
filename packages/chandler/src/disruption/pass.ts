/**
 * One pass: all methods in their order, and all commands that hold together and that budgets allow. The state of a pass is
 * shared by the methods: what is left of the budgets, which nodes are used, and the simulated cluster.
 */

import { finish, type Steps } from '../scheduling/index.ts';
import { BudgetLedger, type BudgetVerdict, budgetVerdicts } from './budgets.ts';
import { isCandidate, type JudgedNode, judgeNodes } from './candidates.ts';
import { type Attempt, type Command, type CommandParts, commandOf, type Replacement } from './command.ts';
import { Judgements } from './judgements.ts';
import { type MethodName, methodNamed } from './methods.table.ts';
import type { DisruptionOptions, DisruptionReason } from './model.ts';
import type { PlanInput } from './plan-input.ts';
import { PriceBook } from './price-book.ts';
import type { Rejection } from './rejection.ts';
import { Simulation, type SimulationPlanners } from './simulation.ts';

/** What a pass is built from, which takes time. */
export interface PassParts {
  readonly prices: PriceBook;
  readonly simulation: Simulation;
  readonly nodes: readonly JudgedNode[];
  readonly judgements: Judgements;
}

export interface PassState {
  readonly commands: readonly Command[];
  readonly rejections: ReadonlyMap<string, ReadonlyMap<MethodName, Rejection>>;
  readonly taken: ReadonlyMap<string, number>;
  readonly commandOf: ReadonlyMap<string, string>;
  readonly destinationOf: ReadonlyMap<string, string>;
  readonly launched: ReadonlyMap<string, number>;
  readonly scheduling: Simulation['state'];
}

/** What is kept from pass to pass. */
export interface PassMemory {
  readonly planners: SimulationPlanners;
  readonly judgements: Judgements;
}

export function* passParts(
  input: PlanInput,
  options: DisruptionOptions,
  nowMs: number,
  memory?: PassMemory,
): Steps<PassParts> {
  const prices = new PriceBook(input.pools, input.scheduling);
  yield;
  const simulation = yield* Simulation.of(input, {
    nowMs,
    typeOf: (pool, type) => prices.typesOf(pool)?.get(type),
    ...(memory === undefined ? {} : { planners: memory.planners }),
  });
  const { nominated } = simulation;
  const nodes = input.nodes.map((node) => (nominated.has(node.name) ? { ...node, nominated: true } : node));
  const judged = yield* judgeNodes({ ...input, nodes }, prices, options, nowMs);
  simulation.close(judged);
  for (const command of input.commands ?? []) {
    const names = new Map(command.candidates.map(({ name, claim }) => [name, claim]));
    // A candidate that the command has released stays.
    const own = judged.filter(
      ({ name, node }) => node.command !== undefined && names.get(name) === node.claim?.metadata.name,
    );
    if (command.decision !== 'reboot') simulation.commit(command, own);
    yield;
  }
  const judgements = memory?.judgements ?? new Judgements();
  const { hasPending } = simulation;
  judgements.begin(input, options, nowMs, { hasPending, moves: (pod) => simulation.moves(pod) });
  return { prices, simulation, nodes: judged, judgements };
}

/** Of one pass. Each command is simulated on top of those before it. */
const MAX_COMMANDS = 100;

export class Pass {
  readonly options: DisruptionOptions;
  readonly prices: PriceBook;
  readonly simulation: Simulation;
  readonly nodes: readonly JudgedNode[];
  readonly judgements: Judgements;
  readonly budgets: readonly BudgetVerdict[];
  ledger: BudgetLedger;
  commands: Command[] = [];
  /** By node: why a candidate was not disrupted, by method. */
  rejections = new Map<string, Map<MethodName, Rejection>>();
  #commandOf = new Map<string, string>();
  #destinationOf = new Map<string, string>();
  #launched = new Map<string, number>();
  readonly #nowMs: number;
  /** The label that carries the id of a reservation. */
  readonly reservationLabel: string | undefined;

  /** In one piece, with nothing kept from earlier passes. */
  constructor(input: PlanInput, options: DisruptionOptions, nowMs: number, parts?: PassParts) {
    const { prices, simulation, nodes, judgements } = parts ?? finish(passParts(input, options, nowMs));
    this.options = options;
    this.#nowMs = nowMs;
    this.reservationLabel = input.scheduling.reservationLabel;
    this.prices = prices;
    this.simulation = simulation;
    this.nodes = nodes;
    this.judgements = judgements;
    this.budgets = budgetVerdicts(
      input.pools.map(({ nodePool }) => nodePool),
      nodes.map(({ node }) => node),
      nowMs,
    );
    this.ledger = new BudgetLedger(this.budgets);
    for (const command of input.commands ?? []) this.#expect(command);
  }

  /** Candidates that no command uses and that receive no pods of one. */
  candidates(method: MethodName): readonly JudgedNode[] {
    return this.nodes.filter((node) => this.isFree(node, method));
  }

  /** Still a candidate: commands before may have taken it, or moved pods to it. */
  isFree(node: JudgedNode, method: MethodName): boolean {
    if (!isCandidate(node, method) || this.#commandOf.has(node.name)) return false;
    const command = this.#destinationOf.get(node.name);
    if (command !== undefined) this.reject(node, method, { code: 'Destination', command });
    return command === undefined;
  }

  /** The candidates, in their order, that budgets allow; the others are rejected. */
  withinBudgets(nodes: readonly JudgedNode[], method: MethodName): readonly JudgedNode[] {
    const { reason } = methodNamed(method);
    const allowed = this.ledger.within(nodes, reason);
    const kept = new Set(allowed);
    for (const node of nodes)
      if (!kept.has(node)) this.reject(node, method, this.#overBudget(node.nodePool, reason));
    return allowed;
  }

  reject(node: JudgedNode, method: MethodName, rejection: Rejection): void {
    const known = this.rejections.get(node.name) ?? new Map<MethodName, Rejection>();
    known.set(method, rejection);
    this.rejections.set(node.name, known);
  }

  /** Of the first replacement in a NodePool whose last replacements failed. A command that is held takes no place. */
  held(replacements: readonly Pick<Replacement, 'nodePool'>[]): Rejection | undefined {
    for (const { nodePool } of replacements) {
      const { untilMs = 0 } = this.options.driftBackoff?.get(nodePool) ?? {};
      if (untilMs > this.#nowMs)
        return { code: 'LaunchesHeld', why: `the last replacements of NodePool ${nodePool} failed`, untilMs };
    }
    return undefined;
  }

  /** Enough for one pass. The others are for the next, so that no pass takes long. */
  get isFull(): boolean {
    return this.commands.length >= MAX_COMMANDS;
  }

  /** A candidate for which it is too late in a pass that is full. */
  leaveForNext(node: JudgedNode, method: MethodName): void {
    this.reject(node, method, { code: 'NextPass', commands: MAX_COMMANDS });
  }

  /** Gives the command: its nodes are used, budgets are counted, and its pods have moved for the next simulation. */
  give(parts: Omit<CommandParts, 'considered'>, considered: readonly Attempt[] = []): void {
    const command = commandOf({ ...parts, considered });
    this.commands.push(command);
    for (const { name, nodePool, node } of parts.candidates) {
      this.#commandOf.set(name, command.key);
      // Budgets count initialized nodes only.
      if (node.initialized) this.ledger.take(nodePool);
    }
    this.#expect(command);
    // A node that is rebooted keeps its place and gets no pods: it comes back, and nobody knows when.
    if (parts.reboot !== true) this.simulation.commit(command, parts.candidates);
  }

  /** Nodes that get pods of the command stay, and nodes that it launches count. */
  #expect({ key, replacements, destinations }: Command): void {
    for (const { nodePool } of replacements) this.#launched.set(nodePool, this.launchedIn(nodePool) + 1);
    for (const { node } of destinations)
      if (!this.#destinationOf.has(node)) this.#destinationOf.set(node, key);
  }

  /** How many nodes the commands so far launch in a NodePool. */
  launchedIn(nodePool: string): number {
    return this.#launched.get(nodePool) ?? 0;
  }

  /** The commands so far, with all that they have changed. */
  get state(): PassState {
    return {
      commands: [...this.commands],
      rejections: new Map([...this.rejections].map(([node, known]) => [node, new Map(known)])),
      taken: this.ledger.state,
      commandOf: new Map(this.#commandOf),
      destinationOf: new Map(this.#destinationOf),
      launched: new Map(this.#launched),
      scheduling: this.simulation.state,
    };
  }

  /** Goes back to a state of this pass. */
  restore(state: PassState): void {
    this.commands = [...state.commands];
    this.rejections = new Map([...state.rejections].map(([node, known]) => [node, new Map(known)]));
    this.ledger = new BudgetLedger(this.budgets, state.taken);
    this.#commandOf = new Map(state.commandOf);
    this.#destinationOf = new Map(state.destinationOf);
    this.#launched = new Map(state.launched);
    this.simulation.restore(state.scheduling);
  }

  commandFor(node: string): string | undefined {
    return this.#commandOf.get(node);
  }

  #overBudget(nodePool: string, reason: DisruptionReason): Rejection {
    const verdict = this.ledger.verdict(nodePool, reason);
    const { allowed = 0, disrupting = 0, problem } = verdict ?? {};
    return {
      code: 'Budget',
      nodePool,
      reason,
      allowed,
      disrupting: disrupting + this.ledger.taken(nodePool),
      ...(problem === undefined ? {} : { problem }),
    };
  }
}
