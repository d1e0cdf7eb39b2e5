/**
 * Whether a NodePool could ever take a pod, by its taints and labels alone: for where no plan is possible. A NodePool that
 * cannot is for other pods, and what fails there says nothing about this one.
 */
import { KarpenterLabel } from '../../api/index.ts';
import { toleratesTaint } from '../../scheduling/index.ts';

import type { PodShape, PoolShape } from './shapes.ts';

export function mayTake({ metadata, spec }: PoolShape, pod: PodShape): boolean {
  const { template } = spec;
  const { taints = [], requirements = [] } = template.spec;
  const { tolerations = [], nodeSelector = {} } = pod.spec;
  const isTolerated = taints
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .every((taint) => tolerations.some((each) => toleratesTaint(each, taint)));
  const labels: Readonly<Record<string, string>> = {
    ...template.metadata?.labels,
    [KarpenterLabel.nodePool]: metadata.name,
  };
  const isSelected = Object.entries(nodeSelector).every(([key, value]) => {
    if (Object.hasOwn(labels, key)) return labels[key] === value;
    return requirements
      .filter((each) => each.key === key && each.operator === 'In')
      .every(({ values = [] }) => values.includes(value));
  });
  return isTolerated && isSelected;
}
