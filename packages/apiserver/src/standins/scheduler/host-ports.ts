/** Ports of the host that a pod takes, and whether two of them conflict. The filter is in `host-port-filter.ts`. */
import type { PodSpec } from '@chandler/kube';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

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

/** Do the two exclude each other on one node? */
export function portsConflict(left: HostPort, right: HostPort): boolean {
  if (left.port !== right.port || left.protocol !== right.protocol) return false;
  return left.ip === right.ip || left.ip === ANY_ADDRESS || right.ip === ANY_ADDRESS;
}

// ---------------------------------------------------------------------------------------------------

const ANY_ADDRESS = '0.0.0.0';
const NONE: readonly HostPort[] = [];
