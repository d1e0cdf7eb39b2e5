/** Puts nodes together that look the same to a reader: same kind of machine, same workloads on it. */
import type { ReportedNode } from './report.ts';

export interface NodeGroup {
  readonly nodes: readonly ReportedNode[];
  /** Pods by workload, most first. */
  readonly workloads: readonly { readonly name: string; readonly pods: number }[];
}

export function groupNodes(nodes: readonly ReportedNode[]): NodeGroup[] {
  const groups = new Map<string, { nodes: ReportedNode[]; workloads: NodeGroup['workloads'] }>();
  for (const node of nodes) {
    const workloads = workloadsOn(node);
    const key = JSON.stringify([
      node.nodePool,
      node.instanceType,
      node.zone,
      node.capacityType,
      node.pricePerHour,
      node.packing,
      workloads,
    ]);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { nodes: [node], workloads });
    else group.nodes.push(node);
  }
  return [...groups.values()];
}

/** `default-3`, or `default-3 and 4 more`. */
export function groupName({ nodes }: NodeGroup): string {
  const [first] = nodes;
  return nodes.length === 1 ? first!.name : `${first!.name} and ${nodes.length - 1} more`;
}

// ---------------------------------------------------------------------------------------------------------------

function workloadsOn({ pods }: ReportedNode): NodeGroup['workloads'] {
  const counts = new Map<string, number>();
  for (const { workload } of pods) counts.set(workload, (counts.get(workload) ?? 0) + 1);
  return [...counts]
    .map(([name, count]) => ({ name, pods: count }))
    .sort((first, second) => second.pods - first.pods || (first.name < second.name ? -1 : 1));
}
