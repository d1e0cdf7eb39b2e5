/** Rejects nodes on which a placed pod has taken a port that the pod asks for. */
import type { Pod, Stored } from '@chandler/kube';
import { type Filter, resolvable } from './filter.ts';
import { hostPortsOf, portsConflict } from './host-ports.ts';

export const hostPortFilter: Filter = (pod: Stored<Pod>) => {
  const wanted = hostPortsOf(pod.spec);
  if (wanted.length === 0) return undefined;
  return (node) => {
    for (const placed of node.pods.values()) {
      if (
        placed.ports.length > 0 &&
        wanted.some((port) => placed.ports.some((used) => portsConflict(port, used)))
      ) {
        return TAKEN;
      }
    }
    return undefined;
  };
};

// ---------------------------------------------------------------------------------------------------

const TAKEN = resolvable("node(s) didn't have free ports for the requested pod ports");
