/**
 * Why pods are unschedulable; pods of one class share their reasons. Reasons are found after the run, against
 * the capacity that is left, for the fully relaxed pod. A pod that waits for reserved capacity was not
 * relaxed and is explained with its remaining preferences.
 */
import type { CountedRefusal, PodRefusal, PoolRefusal } from '../refusal.ts';
import { claimRefusals } from './explain-claims.ts';
import { NodeRefusals } from './explain-nodes.ts';
import { poolRefusal } from './explain-pool.ts';
import type { PodClass, Variant } from './pod-class.ts';
import type { Run } from './run.ts';

/** @param detailed false: only the pods, and problems of the pods themselves. */
export function explain(run: Run, detailed: boolean): PodRefusal[] {
  const byClass = new Map<PodClass, string[]>();
  for (const index of run.unplaced) {
    const { key, podClass } = run.queue[index]!;
    const pods = byClass.get(podClass);
    if (pods === undefined) byClass.set(podClass, [key]);
    else pods.push(key);
  }
  const explainer = detailed ? { run, nodes: new NodeRefusals(run), bySignature: new Map() } : undefined;
  return [...byClass].map(([podClass, pods]) => ({ pods, ...reasonsOf(podClass, explainer) }));
}

type Reasons = Omit<PodRefusal, 'pods'>;

interface Explainer {
  readonly run: Run;
  readonly nodes: NodeRefusals;
  readonly bySignature: Map<string, Reasons>;
}

// ---------------------------------------------------------------------------------------------------------------

function reasonsOf(podClass: PodClass, explainer: Explainer | undefined): Reasons {
  const { problem } = podClass;
  if (problem !== null || explainer === undefined) return { problem, pools: [], nodes: [], claims: [] };
  const { run, bySignature } = explainer;
  const { compiled } = run;
  const variant = compiled.classes.variant(podClass, podClass.failure.relaxation)!;
  const key = signatureOf(variant);
  let reasons = bySignature.get(key);
  if (reasons === undefined) {
    const pools: PoolRefusal[] = compiled.pools.map((pool) => poolRefusal(run, variant, pool));
    const nodes: CountedRefusal[] = explainer.nodes.of(variant);
    const none = pools.length === 0 && nodes.length === 0;
    reasons = {
      problem: none ? { code: 'NoPools' } : null,
      pools,
      nodes,
      claims: claimRefusals(run, variant),
    };
    bySignature.set(key, reasons);
  }
  return reasons;
}

/** Classes that differ only in irrelevant labels have the same reasons. */
function signatureOf(variant: Variant): string {
  const rules = [...variant.domainRules, ...variant.hostAffinities].map(
    ({ group, self }) => `${group.id}${self ? '+' : ''}`,
  );
  return [variant.fit.id, variant.host.id, ...rules].join();
}
