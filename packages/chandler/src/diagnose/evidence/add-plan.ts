/** Adds the plan for a pod to the evidence. */
import type { PlanEvidence } from '../../causes/index.ts';

import type { GatherContext } from './gather-context.ts';
import { fullName, type PodShape } from './shapes.ts';

export function addPlan(
  { recorder }: GatherContext,
  pod: PodShape,
  plan: Pick<PlanEvidence, 'outcome' | 'target' | 'refusals' | 'others' | 'missing'>,
  source: string,
): void {
  const name = fullName(pod);
  recorder.add({
    kind: 'plan',
    reading: recorder.reading(`plan for Pod ${name} (${source})`),
    pod: name,
    ...plan,
  });
}
