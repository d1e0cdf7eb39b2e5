/**
 * Drift: nodes that no longer match their NodePool are replaced, whatever the price. Each gets a command of its own, so that
 * one that cannot be replaced does not hold up the others.
 */
import { conditionOf } from '@chandler/kube';
import type { Steps } from '../scheduling/index.ts';
import { byCodeUnit } from '../scheduling/index.ts';
import type { JudgedNode } from './candidates.ts';
import type { Pass } from './pass.ts';
import { plannedReplacement } from './replacements.ts';
import { replaceStatic, StaticReplacements } from './static-pools.ts';

/** Nodes without pods first, so that no pod moves to a node that goes next; then those that drifted first. */
export function* drift(pass: Pass): Steps {
  yield* replaceEach(pass, 'drift', inDriftOrder);
}

/** Soft expiration: the same, the oldest first. */
export function* expiration(pass: Pass): Steps {
  yield* replaceEach(pass, 'expiration', byAge);
}

/** Nodes of static NodePools are replaced one for one, as many as limits.nodes leaves room for. */
export function* staticDrift(pass: Pass): Steps {
  const byPool = Map.groupBy(
    [...pass.candidates('static-drift')].sort(inDriftOrder),
    ({ nodePool }) => nodePool,
  );
  const terminateFirst = pass.options.terminateFirst?.drift === true;
  for (const [nodePool, candidates] of byPool) {
    const pool = new StaticReplacements(pass, nodePool, candidates[0]!, terminateFirst);
    for (const candidate of pool.inOrder(candidates)) {
      if (pass.withinBudgets([candidate], 'static-drift').length === 0) continue;
      if (pass.isFull) {
        pass.leaveForNext(candidate, 'static-drift');
        continue;
      }
      yield;
      replaceStatic(pass, pool, 'static-drift', candidate);
    }
  }
}

// ---------------------------------------------------------------------------------------------------

function* replaceEach(
  pass: Pass,
  method: 'drift' | 'expiration',
  order: (one: JudgedNode, other: JudgedNode) => number,
): Steps {
  const mayTerminate = pass.options.terminateFirst?.drift === true;
  for (const candidate of [...pass.candidates(method)].sort(order)) {
    // A command before may have moved pods to it.
    if (!pass.isFree(candidate, method)) continue;
    if (pass.withinBudgets([candidate], method).length === 0) continue;
    if (pass.isFull) {
      pass.leaveForNext(candidate, method);
      continue;
    }
    yield;
    yield* pass.simulation.ready('drift');
    const fresh = pass.simulation.without([candidate], { mode: 'drift', explain: false });
    // A workload surges only while its old pod runs.
    const terminateFirst = mayTerminate && candidate.surges.length === 0;
    if ('code' in fresh) yield* pass.simulation.ready('anywhere');
    // Rather a second move than no replacement at all.
    const outcome =
      'code' in fresh ? pass.simulation.withoutOne(candidate, { mode: 'anywhere', terminateFirst }) : fresh;
    if ('code' in outcome) {
      pass.reject(candidate, method, outcome);
      continue;
    }
    const { replacements, destinations, pendingPrice } = outcome;
    const held = pass.held(replacements);
    if (held !== undefined) {
      pass.reject(candidate, method, held);
      continue;
    }
    pass.give({
      method,
      candidates: [candidate],
      replacements: replacements.map(plannedReplacement),
      destinations,
      pendingPrice,
      ...(outcome.terminateFirst === undefined ? {} : { terminateFirst: outcome.terminateFirst }),
    });
  }
}

function byAge(one: JudgedNode, other: JudgedNode): number {
  return bornMs(one) - bornMs(other) || byCodeUnit(one.name, other.name);
}

function bornMs({ node }: JudgedNode): number {
  return Date.parse(node.claim?.metadata.creationTimestamp ?? '') || 0;
}

function inDriftOrder(one: JudgedNode, other: JudgedNode): number {
  return (
    Number(one.pods.length > 0) - Number(other.pods.length > 0) ||
    driftedMs(one) - driftedMs(other) ||
    byCodeUnit(one.name, other.name)
  );
}

function driftedMs({ node }: JudgedNode): number {
  const time = node.claim === undefined ? undefined : conditionOf(node.claim, 'Drifted')?.lastTransitionTime;
  return Date.parse(time ?? '') || 0;
}
