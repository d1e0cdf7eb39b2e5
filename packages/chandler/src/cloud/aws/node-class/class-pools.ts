/** The NodePools of a node class, as far as they say what is launched with it. */
import type { Stored } from '@chandler/kube';
import { EC2_NODE_CLASSES, type NodePool } from '../../../api/index.ts';
import type { LabelRequirement } from '../../../scheduling/index.ts';

export interface ClassPool {
  readonly name: string;
  /** Of its template, labels included. */
  readonly requirements: readonly LabelRequirement[];
}

export function classPools(pools: Iterable<Stored<NodePool>>, className: string): readonly ClassPool[] {
  return [...pools].flatMap(({ metadata, spec: { template } }) => {
    const { group, kind, name } = template.spec.nodeClassRef;
    if (group !== EC2_NODE_CLASSES.group || kind !== EC2_NODE_CLASSES.kind || name !== className) return [];
    const labels = Object.entries(template.metadata?.labels ?? {});
    const requirements = [
      ...(template.spec.requirements ?? []),
      ...labels.map(([key, value]): LabelRequirement => ({ key, operator: 'In', values: [value] })),
    ];
    return [{ name: metadata.name, requirements }];
  });
}
