/** How much a simulation may be, in a process that has other things to do. It is counted before anything is made of it. */
import type { SchedulingInput } from '../../scheduling/index.ts';
import { Failure } from '../verb.ts';
import { longestYamlDocument } from './documents.ts';

export interface SimulationLimits {
  /** Objects of the manifests. */
  readonly maxObjects: number;
  /** Pods to place: those of the manifests, and those of the cluster that are pending. */
  readonly maxPods: number;
  /** Preferences of these pods together: each may be given up, one after the other. */
  readonly maxPreferences: number;
  /** Characters of a document in YAML, which takes far longer to read than JSON. */
  readonly maxYaml: number;
}

/** The input is valid, and too much for here. */
export class LimitFailure extends Failure {}

/** @throws {LimitFailure} */
export function checkYaml(text: string, maxYaml: number): void {
  if (longestYamlDocument(text) > maxYaml)
    throw new LimitFailure(
      `here has a document in YAML at most ${maxYaml / 1024} KiB; separate the objects with lines of ---, or write them in JSON`,
    );
}

/** @throws {LimitFailure} */
export function checkToPlace(
  pods: SchedulingInput['pods'],
  { maxPods, maxPreferences }: Pick<SimulationLimits, 'maxPods' | 'maxPreferences'>,
): void {
  checkCount(pods.length, maxPods);
  const preferences = pods.reduce((sum, pod) => sum + preferencesOf(pod), 0);
  if (preferences > maxPreferences)
    throw new LimitFailure(
      `here are pods with at most ${maxPreferences} preferences planned at once; these have ${preferences} (preferred affinities and soft spreads, of all pods together)`,
    );
}

/** @throws {LimitFailure} */
export function checkCount(pods: number, maxPods: number): void {
  if (pods > maxPods)
    throw new LimitFailure(
      `here are at most ${maxPods} pods planned at once; the manifests, with the pods of the cluster that are pending, have ${pods}`,
    );
}

// ---------------------------------------------------------------------------------------------------------------

function preferencesOf({ spec }: SchedulingInput['pods'][number]): number {
  const { nodeAffinity, podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const preferred = [nodeAffinity, podAffinity, podAntiAffinity].map(
    (affinity) => affinity?.preferredDuringSchedulingIgnoredDuringExecution?.length ?? 0,
  );
  const soft = (spec.topologySpreadConstraints ?? []).filter(
    ({ whenUnsatisfiable }) => whenUnsatisfiable === 'ScheduleAnyway',
  );
  return preferred.reduce((sum, count) => sum + count, soft.length);
}
