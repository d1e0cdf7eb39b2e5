/**
 * Small clusters in which every placement can be tried: if all pods can be placed, the engine places all of
 * them. Four pods, three types in two zones, and the playground's scheduler verifies each placement.
 *
 * Greedy placement cannot always succeed when an early choice takes the only place of a later pod. Such
 * settings are excluded: limits of pools and a fixed set of nodes (packing), types that exist only in some
 * zones together with a spread, anti-affinity over zones (a claim counts in all its zones), affinity on one
 * host (other pods may have filled it), and affinity to pods whose zone is undecided.
 */
import { expect, test } from 'vitest';
import {
  type InstanceType,
  type Pod,
  type SchedulingInput,
  solve,
} from '../../packages/chandler/src/scheduling/index.ts';
import { someOf } from '../part.ts';
import { aCluster, aPod, aPool, aType, type PodOptions, podKey } from './builders.ts';
import { Chance } from './chance.ts';
import { daemonsOn, fitsWith } from './check-capacity.ts';
import { checkNodeFit } from './check-node-fit.ts';
import { allocatableOf, type Choice, type FinalNode } from './final-nodes.ts';
import { replay } from './replay.ts';
import { HOST, POOL } from './shorthand.ts';

const ZONES = ['zone-1', 'zone-2'];
const CLUSTERS = someOf('small clusters', 200, 30);

test('all pods are placed whenever that is possible', () => {
  let possible = 0;
  let impossible = 0;
  for (let seed = 0; seed < CLUSTERS; seed += 1) {
    const input = smallCluster(new Chance(seed));
    const way = anyWay(input);
    const refused = solve(input).refusals.flatMap(({ pods }) => pods);
    if (way === undefined) {
      impossible += 1;
      expect(refused, `seed ${seed}: placed what cannot be`).not.toEqual([]);
    } else {
      possible += 1;
      expect(refused, `seed ${seed}: ${way}\n${JSON.stringify(input)}`).toEqual([]);
    }
  }
  // Both kinds must come up, or the test shows nothing.
  expect(possible).toBeGreaterThan(CLUSTERS / 4);
  expect(impossible).toBeGreaterThan(CLUSTERS / 20);
});

// ---------------------------------------------------------------------------------------------------

function smallCluster(chance: Chance): SchedulingInput {
  const types = [1, 2, 3].map((at) =>
    aType({
      name: `type-${at}`,
      cpu: chance.one([1, 2, 4]),
      memory: `${chance.one([2, 4, 8])}Gi`,
      pods: chance.one([2, 8]),
      zones: ZONES,
    }),
  );
  const [one, two] = [smallWish(chance), smallWish(chance)];
  const pods = [1, 2, 3, 4].map((at) =>
    aPod({ ...(at <= 2 ? one : two), name: `pod-${at}`, cpu: `${chance.between(1, 9) * 250}m` }),
  );
  return aCluster({
    pods,
    pools: [aPool({ types, taints: chance.happens(0.2) ? ['team=red:NoSchedule'] : [] })],
  });
}

function smallWish(chance: Chance): PodOptions {
  const app = chance.one(['web', 'db']);
  return {
    labels: { app },
    memory: `${chance.between(1, 12) * 256}Mi`,
    tolerate: chance.happens(0.8) ? ['team'] : [],
    ...chance.one<PodOptions>([
      {},
      { nodeSelector: { zone: chance.one(ZONES) } },
      { spread: [`1 zone app=${app}`] },
      { spread: [`1 host app=${app}`] },
      { antiAffinity: [`host app=${app}`] },
      { affinity: [`zone app=${app}`] },
      { ports: [8080] },
      { require: [['zone In zone-9'], ['zone In zone-2']] },
    ]),
  };
}

/** The first way to place all pods that is found, in words; undefined when there is none. */
function anyWay(input: SchedulingInput): string | undefined {
  const types = input.pools[0]!.instanceTypes as readonly InstanceType[];
  const choices = types.flatMap((type) => type.offerings.map((offering) => ({ type, offering })));
  const search = (at: number, nodes: readonly FinalNode[]): readonly FinalNode[] | undefined => {
    const pod = input.pods[at];
    if (!pod) return replay(input, nodes).length === 0 ? nodes : undefined;
    for (const next of placings(input, pod, nodes, choices)) {
      const found = search(at + 1, next);
      if (found) return found;
    }
    return undefined;
  };
  return search(0, [])
    ?.map(
      ({ choice, labels, placed }) =>
        `${choice?.type.name} in ${labels['topology.kubernetes.io/zone']}: ${placed.map(podKey).join(' ')}`,
    )
    .join('; ');
}

function* placings(
  input: SchedulingInput,
  pod: Pod,
  nodes: readonly FinalNode[],
  choices: readonly Choice[],
): Generator<readonly FinalNode[]> {
  for (const [at, node] of nodes.entries()) {
    const filled = { ...node, placed: [...node.placed, pod] };
    if (mayBe(input, filled)) yield nodes.with(at, filled);
  }
  for (const choice of choices) {
    const fresh = { ...newNode(input, choice, `new-${nodes.length}`), placed: [pod] };
    if (mayBe(input, fresh)) yield [...nodes, fresh];
  }
}

function mayBe(input: SchedulingInput, node: FinalNode): boolean {
  return fitsWith(node, daemonsOn(input, node)) === undefined && checkNodeFit([node]).length === 0;
}

function newNode(input: SchedulingInput, choice: Choice, name: string): FinalNode {
  const labels: Record<string, string> = { [HOST]: name, [POOL]: 'default' };
  for (const { key, values = [] } of [...choice.type.requirements, ...choice.offering.requirements]) {
    if (values.length === 1) labels[key] = values[0]!;
  }
  return {
    name,
    labels,
    taints: input.pools[0]!.nodePool.spec.template.spec.taints ?? [],
    allocatable: allocatableOf(choice),
    bound: [],
    placed: [],
    existing: undefined,
    claim: undefined,
    choice,
  };
}
