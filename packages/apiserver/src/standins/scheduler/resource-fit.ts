/** Resource fit: the number of pods, and every requested resource. */
import { podRequests } from '../resources.ts';
import type { NodeInfo } from './cluster-snapshot.ts';
import type { Filter, Refusal } from './filter.ts';

export const resourceFilter: Filter = (pod) => {
  const requests = [...podRequests(pod.spec)].filter(([, amount]) => amount > 0);
  return (node) => {
    if (
      node.pods.size < (node.allocatable.get('pods') ?? 0) &&
      requests.every(([name, amount]) => amount <= free(node, name))
    ) {
      return undefined;
    }
    return shortage(node, requests);
  };
};

// ---------------------------------------------------------------------------------------------------

function free(node: NodeInfo, resource: string): number {
  return (node.allocatable.get(resource) ?? 0) - (node.used.get(resource) ?? 0);
}

function shortage(node: NodeInfo, requests: readonly (readonly [string, number])[]): Refusal {
  const reasons: string[] = [];
  let canBeResolved = true;
  if (node.pods.size + 1 > (node.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [name, amount] of requests) {
    if (amount <= free(node, name)) continue;
    reasons.push(`Insufficient ${name}`);
    // The empty node would be too small as well.
    if (amount > (node.allocatable.get(name) ?? 0)) canBeResolved = false;
  }
  return { reasons, resolvable: canBeResolved };
}
