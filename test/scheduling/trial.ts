/**
 * One random cluster, planned and checked: by the checker on the final placement, by the playground's
 * scheduler that binds the pods one by one (each claim at its cheapest, and with a random choice of the
 * cloud), and by a search for missed placements. `smallest` minimises a failing cluster.
 */
import { type Plan, type SchedulingInput, solve } from '../../packages/chandler/src/scheduling/index.ts';
import { Chance } from './chance.ts';
import { checkPlan, finalNodes, violationLines } from './check-plan.ts';
import { choicesOf, claimFinalNode, existingFinalNodes } from './final-nodes.ts';
import { missedPlaces } from './missed-placements.ts';
import { type RandomCluster, randomCluster } from './random-cluster.ts';
import { withGaps } from './random-gaps.ts';
import { replay } from './replay.ts';

/** Every other cluster is planned with the improvement of price that is the default, the others without. */
export function clusterOf(seed: number): RandomCluster {
  const { input: whole, features } = randomCluster(seed);
  const input = withGaps(whole, seed);
  return { features, input: { ...input, options: { ...input.options, improveEffort: seed % 2 } } };
}

/** What is wrong with the plan for this cluster; empty when nothing is. */
export function judge(input: SchedulingInput, seed: number): string[] {
  let plan: Plan;
  try {
    plan = solve(input);
  } catch (error) {
    return [`threw ${error instanceof Error ? error.stack : String(error)}`];
  }
  const violations = violationLines(checkPlan(input, plan));
  if (violations.length > 0) return violations;
  const errors = plan.inputErrors.map((error) => `input error: ${JSON.stringify(error)}`);
  if (errors.length > 0) return errors;
  const stuck = replay(input, finalNodes(input, plan));
  if (stuck.length > 0) return stuck.map((line) => `kube-scheduler: ${line}`);
  const surprised = replay(input, atRandom(input, plan, new Chance(seed)));
  if (surprised.length > 0)
    return surprised.map((line) => `kube-scheduler, should the cloud choose otherwise: ${line}`);
  return missedPlaces(input, plan).map((line) => `missed: ${line}`);
}

export interface Failure {
  readonly seed: number;
  readonly features: readonly string[];
  readonly complaints: readonly string[];
}

export function tryClusters(from: number, to: number): Failure[] {
  const failures: Failure[] = [];
  for (let seed = from; seed < to; seed += 1) {
    const { input, features } = clusterOf(seed);
    const complaints = judge(input, seed);
    if (complaints.length > 0) failures.push({ seed, features, complaints });
  }
  return failures;
}

/** The same complaint from less: parts are taken away as long as it stays. */
export function smallest(input: SchedulingInput, seed: number): SchedulingInput {
  const kind = kindOf(judge(input, seed));
  let best = input;
  for (let progress = true; progress; ) {
    progress = false;
    for (const smaller of cuts(best)) {
      if (kindOf(judge(smaller, seed)) !== kind) continue;
      best = smaller;
      progress = true;
      break;
    }
  }
  return best;
}

// ---------------------------------------------------------------------------------------------------

function kindOf(complaints: readonly string[]): string | undefined {
  return complaints[0]?.split(':')[0];
}

function atRandom(input: SchedulingInput, plan: Plan, chance: Chance) {
  const launched = plan.claims.flatMap((claim) => {
    const regular = choicesOf(input, claim).filter(
      ({ offering }) => !offering.capacityOverride && !offering.overheadOverride,
    );
    return regular.length > 0
      ? [claimFinalNode(input, claim, chance.one(regular))]
      : finalNodes(input, { ...plan, claims: [claim] }).slice(-1);
  });
  return [...existingFinalNodes(input, plan), ...launched];
}

const LISTS = ['pods', 'pools', 'nodes', 'boundPods', 'daemonSets', 'overlays'] as const;

function* cuts(input: SchedulingInput): Generator<SchedulingInput> {
  for (const list of LISTS) {
    const items: readonly unknown[] = input[list] ?? [];
    for (let at = 0; at < items.length; at += 1)
      yield { ...input, [list]: items.filter((_, index) => index !== at) };
  }
  for (const [at, pool] of input.pools.entries()) {
    if (typeof pool.instanceTypes === 'string') continue;
    for (const type of pool.instanceTypes) {
      const instanceTypes = pool.instanceTypes.filter((other) => other !== type);
      yield {
        ...input,
        pools: input.pools.map((other, index) => (index === at ? { ...pool, instanceTypes } : other)),
      };
    }
    for (const requirement of pool.nodePool.spec.template.spec.requirements) {
      yield {
        ...input,
        pools: input.pools.map((other, index) => (index === at ? without(pool, requirement) : other)),
      };
    }
  }
  for (const [at, pod] of input.pods.entries()) {
    for (const field of Object.keys(pod.spec).filter((name) => name !== 'containers')) {
      const { [field as 'nodeName']: _, ...spec } = pod.spec;
      yield { ...input, pods: input.pods.map((other, index) => (index === at ? { ...pod, spec } : other)) };
    }
  }
}

function without(pool: SchedulingInput['pools'][number], requirement: unknown): typeof pool {
  const { nodePool } = pool;
  const { template } = nodePool.spec;
  const requirements = template.spec.requirements.filter((other) => other !== requirement);
  const spec = { ...nodePool.spec, template: { ...template, spec: { ...template.spec, requirements } } };
  return { ...pool, nodePool: { ...nodePool, spec } };
}
