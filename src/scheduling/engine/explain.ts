/**
 * Why pods went nowhere: pods of one class share their reasons.
 */
import type { PodRefusal } from '../refusal.ts';
import { podKey } from './bound-pods.ts';
import type { PodClass } from './pod-classes.ts';
import type { Run } from './run.ts';

export function explain(run: Run): PodRefusal[] {
  const byClass = new Map<PodClass, string[]>();
  for (const index of run.unplaced) {
    const { pod, podClass } = run.queue[index]!;
    const pods = byClass.get(podClass);
    if (pods === undefined) byClass.set(podClass, [podKey(pod)]);
    else pods.push(podKey(pod));
  }
  return [...byClass].map(([podClass, pods]) => ({
    pods,
    problem: podClass.problem,
    pools: [],
    nodes: [],
    claims: [],
  }));
}
