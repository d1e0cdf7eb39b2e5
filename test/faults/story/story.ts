/**
 * A workload drawn from a seed: which pools, node classes and deployments exist, the order of their creation,
 * and the actions in the following minutes. It is independent of the faults.
 */
import { DAEMON_SETS, DEPLOYMENTS, POD_DISRUPTION_BUDGETS, type ResourceRef } from '@chandler/kube';
import { NODE_POOLS } from '../../../packages/chandler/src/api/index.ts';
import { Chance } from '../../scheduling/chance.ts';
import type { Personality } from '../personality.ts';
import { type Action, type Cast, weighted } from './action.ts';
import { ACTIONS, ignoringErrors } from './actions.ts';
import { drawDisruption } from './disruption.ts';
import { LATER_ACTIONS } from './later-actions.ts';
import { aBudget, aDaemonSet, aDeployment, aPool } from './objects.ts';
import { drawOthers } from './others.ts';
import type { Step } from './step.ts';

export interface Story {
  readonly steps: readonly Step[];
  /** When the faults and the actions end. */
  readonly endMs: number;
  /** NodeOverlays are enabled. Default false. */
  readonly overlays?: boolean;
  /** Workloads that ask for it are rolled. Default false. */
  readonly surge?: boolean;
  /** When the faults begin. Default 0. */
  readonly faultsFromMs?: number;
}

export function drawStory(personality: Personality, seed: number): Story {
  const chance = new Chance(seed ^ 0x5707);
  const classes = ['one', ...(chance.happens(0.3) ? ['two'] : [])];
  const pools = ['a', 'b', 'c'].slice(0, chance.one([1, 1, 2, 3]));
  const workloads = Array.from({ length: chance.between(1, 4) }, (_, at) => `d${at}`);
  const { name: cloud, nodeClasses, story, actions: happenings } = personality;
  const cast: Cast = { cloud, nodeClasses, story, pools, classes, workloads };
  const endMs = chance.between(120, 330) * 1000;
  const first = [...opening(chance, cast), ...actions(chance, cast, endMs)];
  const later = laterActions(new Chance(seed ^ 0x1a7e), cast, endMs);
  const own = cloudActions(new Chance(seed ^ 0xc10d), happenings, cast, endMs);
  const steps = [...first, ...later, ...drawOthers(personality, seed, endMs), ...own];
  const disruption = drawDisruption(seed, cast, endMs);
  if (disruption === undefined) return { endMs, steps };
  const { longerMs, faultsFromMs } = disruption;
  return { endMs: endMs + longerMs, steps: [...steps, ...disruption.steps], overlays: true, faultsFromMs };
}

// ---------------------------------------------------------------------------------------------------

/** Everything is created in the first seconds, in any order. */
function opening(chance: Chance, { story, nodeClasses, pools, classes, workloads }: Cast): readonly Step[] {
  const create = (what: string, resource: Parameters<typeof step>[1], object: object) =>
    step(chance.between(0, 25_000), resource, what, object);
  const steps = [
    ...classes.map((name) => create(`class ${name}`, nodeClasses, story.nodeClass(name))),
    ...pools.map((name) =>
      create(`pool ${name}`, NODE_POOLS, aPool(chance, story, name, chance.one(classes))),
    ),
    ...workloads.map((name) =>
      create(`deployment ${name}`, DEPLOYMENTS, aDeployment(chance, story, name, pools).object),
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
    run: ({ servers }) => ignoringErrors(() => servers.apply(resource, object)),
  };
}

function actions(chance: Chance, cast: Cast, endMs: number): readonly Step[] {
  const count = chance.between(1, 9);
  return Array.from({ length: count }, () => {
    const action = weighted(chance, ACTIONS);
    const run = action.prepare(chance, cast);
    return { atMs: chance.between(20_000, endMs - 10_000), name: action.name, run };
  });
}

/** Actions that were added later use a random source of their own, so that older seeds stay the same. */
function laterActions(chance: Chance, cast: Cast, endMs: number): readonly Step[] {
  if (!chance.happens(0.35)) return [];
  return Array.from({ length: chance.between(1, 2) }, () => {
    const action = chance.one(LATER_ACTIONS);
    const run = action.prepare(chance, cast);
    return { atMs: chance.between(5_000, Math.floor(endMs / 2)), name: action.name, run };
  });
}

/** What happens in the cloud, besides. */
function cloudActions(chance: Chance, all: readonly Action[], cast: Cast, endMs: number): readonly Step[] {
  if (all.length === 0) return [];
  return Array.from({ length: chance.between(0, 4) }, () => {
    const action = weighted(chance, all);
    const run = action.prepare(chance, cast);
    return { atMs: chance.between(20_000, endMs - 10_000), name: action.name, run };
  });
}
