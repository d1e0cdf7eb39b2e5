/**
 * A story drawn from a seed: which pools, classes and workloads there are, in which order they come, and what is done to
 * them in the minutes after. It knows nothing of faults.
 */
import { DAEMON_SETS, DEPLOYMENTS, POD_DISRUPTION_BUDGETS, type ResourceRef } from '@chandler/kube';
import { AKS_NODE_CLASSES, NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { Chance } from '../../scheduling/chance.ts';
import { type Cast, DEEDS, type Deed, gently } from './deeds.ts';
import { LATER_DEEDS } from './later-deeds.ts';
import { aBudget, aClass, aDaemonSet, aDeployment, aPool } from './objects.ts';
import type { Step } from './step.ts';

export interface Story {
  readonly steps: readonly Step[];
  /** When the faults stop and nobody does anything any more. */
  readonly endMs: number;
}

export function drawStory(seed: number): Story {
  const chance = new Chance(seed ^ 0x5707);
  const classes = ['one', ...(chance.happens(0.3) ? ['two'] : [])];
  const pools = ['a', 'b', 'c'].slice(0, chance.one([1, 1, 2, 3]));
  const workloads = Array.from({ length: chance.between(1, 4) }, (_, at) => `d${at}`);
  const cast: Cast = { pools, classes, workloads };
  const endMs = chance.between(120, 330) * 1000;
  const first = [...opening(chance, cast), ...deeds(chance, cast, endMs)];
  return { endMs, steps: [...first, ...laterDeeds(new Chance(seed ^ 0x1a7e), cast, endMs)] };
}

// ---------------------------------------------------------------------------------------------------

/** Everything comes in the first seconds, in any order. */
function opening(chance: Chance, { pools, classes, workloads }: Cast): readonly Step[] {
  const create = (what: string, resource: Parameters<typeof step>[1], object: object) =>
    step(chance.between(0, 25_000), resource, what, object);
  const steps = [
    ...classes.map((name) => create(`class ${name}`, AKS_NODE_CLASSES, aClass(name))),
    ...pools.map((name) => create(`pool ${name}`, NODE_POOLS, aPool(chance, name, chance.one(classes)))),
    ...workloads.map((name) =>
      create(`deployment ${name}`, DEPLOYMENTS, aDeployment(chance, name, pools).object),
    ),
  ];
  for (const app of workloads) {
    if (!chance.happens(0.35)) continue;
    const limit = chance.happens(0.5) ? { maxUnavailable: 1 } : { minAvailable: '50%' };
    steps.push(create(`budget of ${app}`, POD_DISRUPTION_BUDGETS, aBudget(app, app, limit)));
  }
  if (chance.happens(0.35)) steps.push(create('daemons', DAEMON_SETS, aDaemonSet(chance)));
  return steps;
}

function step(atMs: number, resource: ResourceRef, what: string, object: object): Step {
  return {
    atMs,
    name: what,
    run: ({ servers }) => gently(() => servers.apply(resource, object)),
  };
}

function deeds(chance: Chance, cast: Cast, endMs: number): readonly Step[] {
  const count = chance.between(1, 9);
  return Array.from({ length: count }, () => {
    const deed = weighted(chance);
    const run = deed.prepare(chance, cast);
    return { atMs: chance.between(20_000, endMs - 10_000), name: deed.name, run };
  });
}

/** Deeds that came later draw from chance of their own: what a seed has found stays found. */
function laterDeeds(chance: Chance, cast: Cast, endMs: number): readonly Step[] {
  if (!chance.happens(0.35)) return [];
  return Array.from({ length: chance.between(1, 2) }, () => {
    const deed = chance.one(LATER_DEEDS);
    const run = deed.prepare(chance, cast);
    return { atMs: chance.between(5_000, Math.floor(endMs / 2)), name: deed.name, run };
  });
}

function weighted(chance: Chance): Deed {
  const all = DEEDS.reduce((sum, { weight }) => sum + weight, 0);
  let rest = chance.next() * all;
  for (const deed of DEEDS) {
    rest -= deed.weight;
    if (rest < 0) return deed;
  }
  return DEEDS[0]!;
}
