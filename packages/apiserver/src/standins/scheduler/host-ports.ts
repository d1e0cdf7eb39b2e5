/** Ports of the host that a pod takes, and whether two pods can have theirs on the same node. */
import type { Pod, PodSpec } from '../kinds.ts';
import { type Filter, resolvable } from './filter.ts';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

export const hostPortFilter: Filter = (pod: Pod) => {
  const wanted = hostPortsOf(pod.spec);
  if (wanted.length === 0) return undefined;
  return (node) => {
    for (const placed of node.pods.values()) {
      if (
        placed.ports.length > 0 &&
        wanted.some((port) => placed.ports.some((used) => collide(port, used)))
      ) {
        return TAKEN;
      }
    }
    return undefined;
  };
};

export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  for (const container of [...spec.containers, ...sidecars]) {
    for (const { hostPort = 0, hostIP = ANY_ADDRESS, protocol = 'TCP' } of container.ports ?? []) {
      if (hostPort <= 0) continue;
      ports ??= [];
      ports.push({ ip: hostIP === '' ? ANY_ADDRESS : hostIP, protocol, port: hostPort });
    }
  }
  return ports ?? NONE;
}

// ---------------------------------------------------------------------------------------------------

const ANY_ADDRESS = '0.0.0.0';
const NONE: readonly HostPort[] = [];
const TAKEN = resolvable("node(s) didn't have free ports for the requested pod ports");

function collide(left: HostPort, right: HostPort): boolean {
  if (left.port !== right.port || left.protocol !== right.protocol) return false;
  return left.ip === right.ip || left.ip === ANY_ADDRESS || right.ip === ANY_ADDRESS;
}
