/**
 * Checks commands again before they are executed, against a fresh snapshot: their nodes are still candidates, budgets allow
 * them, the pods still fit, and the price is still lower. Commands are checked in their order, each on top of those that
 * are valid before it, so that all valid ones hold together.
 */

import { finish, type Steps } from '../scheduling/index.ts';
import { BalancedScores } from './balanced.ts';
import { isCandidate, type JudgedNode } from './candidates.ts';
import type { Command } from './command.ts';
import { type Move, moveOf, type Replacing } from './consolidation.ts';
import { Judgements } from './judgements.ts';
import type { DisruptionOptions } from './model.ts';
import { Pass, passParts } from './pass.ts';
import type { PlanInput } from './plan-input.ts';
import { rejectionText } from './rejection.ts';
import { newPlanners } from './simulation.ts';

/** As Karpenter's event names it. */
export type ValidationFailureClass = 'churn' | 'budget' | 'scheduling';

export interface ValidationFailure {
  readonly class: ValidationFailureClass;
  readonly message: string;
}

export interface ValidatedCommand {
  /** As it was planned. */
  readonly planned: Command;
  /** As it is to be executed: of an emptiness command the nodes that are left, with the prices of now. */
  readonly command?: Command;
  /** Set if it must not be executed. */
  readonly failure?: ValidationFailure;
  /** How many of its nodes failed, also if the others remain. */
  readonly failedNodes: number;
}

/** In one piece. */
export function validateCommands(
  input: PlanInput,
  options: DisruptionOptions,
  nowMs: number,
  commands: readonly Command[],
): readonly ValidatedCommand[] {
  return finish(new CommandValidator().steps(input, options, nowMs, commands));
}

/** Validates for one cluster again and again; what the planners compiled is kept. */
export class CommandValidator {
  readonly #planners = newPlanners();

  *steps(
    input: PlanInput,
    options: DisruptionOptions,
    nowMs: number,
    commands: readonly Command[],
  ): Steps<readonly ValidatedCommand[]> {
    const memory = { planners: this.#planners, judgements: new Judgements() };
    const pass = new Pass(input, options, nowMs, yield* passParts(input, options, nowMs, memory));
    const scores = new BalancedScores(pass.nodes);
    const nodeNamed = new Map(pass.nodes.map((node) => [node.name, node]));
    const results: ValidatedCommand[] = [];
    for (const planned of commands) {
      yield;
      const nodes = planned.candidates.flatMap(({ name, claim }) => {
        const node = nodeNamed.get(name);
        return node?.node.claim?.metadata.name === claim ? [node] : [];
      });
      results.push(
        planned.method === 'emptiness'
          ? stillEmpty(pass, planned, nodes)
          : yield* stillCheaper(pass, scores, planned, nodes),
      );
    }
    return results;
  }
}

// ---------------------------------------------------------------------------------------------------

const NOMINATED: ValidationFailure = {
  class: 'budget',
  message: 'a candidate was nominated during validation',
};
const OVER_BUDGET: ValidationFailure = {
  class: 'budget',
  message: 'a candidate can no longer be disrupted without violating budgets',
};

/** The nodes that are still empty are deleted, the others stay. */
function stillEmpty(pass: Pass, planned: Command, nodes: readonly JudgedNode[]): ValidatedCommand {
  const { length: all } = planned.candidates;
  const free = nodes.filter((node) => pass.isFree(node, 'emptiness'));
  const candidates = pass.withinBudgets(free, 'emptiness');
  if (candidates.length === 0) {
    const failure = free.length > 0 ? OVER_BUDGET : whyNot(planned, nodes);
    return { planned, failure, failedNodes: all };
  }
  pass.give({ method: 'emptiness', candidates });
  return { planned, command: keyed(pass, planned), failedNodes: all - candidates.length };
}

/** All nodes together or none: the replacements were chosen for all of them. */
function* stillCheaper(
  pass: Pass,
  scores: BalancedScores,
  planned: Command,
  nodes: readonly JudgedNode[],
): Steps<ValidatedCommand> {
  const { method, candidates, keptFree = [] } = planned;
  const failed = (failure: ValidationFailure) => ({ planned, failure, failedNodes: candidates.length });
  const free = nodes.filter((node) => pass.isFree(node, method));
  if (free.length < candidates.length) return failed(whyNot(planned, nodes));
  if (pass.withinBudgets(free, method).length < free.length) return failed(OVER_BUDGET);
  // As it was planned; if that is not possible any more, its pods may go to nodes of later commands, which then stay.
  let move = yield* sameMove(pass, scores, planned, free, keptFree);
  if (typeof move === 'string' && keptFree.length > 0)
    move = yield* sameMove(pass, scores, planned, free, []);
  if (typeof move === 'string') return failed(newResults(move));
  pass.give({ method, ...move });
  return { planned, command: keyed(pass, planned), failedNodes: 0 };
}

/** The move that was planned, or why it is not made now. One that launches at most one node may have been found either way. */
function* sameMove(
  pass: Pass,
  scores: BalancedScores,
  planned: Command,
  nodes: readonly JudgedNode[],
  keptFree: readonly string[],
): Steps<Move | string> {
  pass.simulation.keepFree(keptFree);
  // In pieces: the cluster may have changed much since the last time.
  yield* pass.simulation.ready('consolidation');
  const move = moveAgain(pass, scores, planned, nodes);
  pass.simulation.keepFree([]);
  return move;
}

function moveAgain(
  pass: Pass,
  scores: BalancedScores,
  planned: Command,
  nodes: readonly JudgedNode[],
): Move | string {
  let why = '';
  for (const replacing of planned.replacements.length > 1 ? ANY : ONE_OR_ANY) {
    const move = moveOf(pass, nodes, scores, replacing);
    if (!('code' in move) && isSame(planned, move.replacements)) return move;
    why = 'code' in move ? rejectionText(move) : 'other replacements are planned now';
  }
  return why;
}

const ANY: readonly Replacing[] = ['any'];
const ONE_OR_ANY: readonly Replacing[] = ['one', 'any'];

function whyNot({ method, candidates }: Command, nodes: readonly JudgedNode[]): ValidationFailure {
  const blocked = nodes.filter((node) => !isCandidate(node, method));
  const nominated = blocked.filter(({ blocks }) =>
    blocks[method].every(({ code }) => code === 'Nominated'),
  ).length;
  if (nodes.length === candidates.length && nominated === blocked.length && nominated > 0) return NOMINATED;
  const count = candidates.length - nodes.length + blocked.length;
  return { class: 'churn', message: `${Math.max(1, count)} candidates are no longer valid` };
}

function newResults(why: string): ValidationFailure {
  return { class: 'scheduling', message: `scheduling simulation produced new results: ${why}` };
}

/** As many nodes as planned, and every planned type is still one that may be launched. */
function isSame(planned: Command, replacements: Command['replacements']): boolean {
  if (planned.replacements.length !== replacements.length) return false;
  if (replacements.length > 1) return true;
  return planned.replacements.every(({ instanceTypes, nodePool }, index) => {
    const now = replacements[index]!;
    const allowed = new Set(now.instanceTypes);
    return now.nodePool === nodePool && instanceTypes.every((type) => allowed.has(type));
  });
}

/** The command that was given last, under the key by which it is known. */
function keyed({ commands }: Pass, { key }: Command): Command {
  return { ...commands.at(-1)!, key };
}
