/** Something that users or the environment do to a running cluster. */
import type { ResourceRef } from '@chandler/kube';
import type { Chance } from '../../scheduling/chance.ts';
import type { CloudStory } from '../cloud-story.ts';
import type { Scene } from './step.ts';

/** Whom it may be done to. */
export interface Cast {
  /** Its name. */
  readonly cloud: string;
  readonly nodeClasses: ResourceRef;
  readonly story: CloudStory;
  readonly pools: readonly string[];
  readonly classes: readonly string[];
  readonly workloads: readonly string[];
}

export interface Action {
  readonly name: string;
  readonly weight: number;
  /** Random choices are made here, before the run. */
  prepare(chance: Chance, cast: Cast): (scene: Scene) => Promise<void>;
}

/** One of them, by weight. */
export function weighted(chance: Chance, actions: readonly Action[]): Action {
  const all = actions.reduce((sum, { weight }) => sum + weight, 0);
  let rest = chance.next() * all;
  for (const action of actions) {
    rest -= action.weight;
    if (rest < 0) return action;
  }
  return actions[0]!;
}
