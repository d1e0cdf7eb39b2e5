/**
 * Host ports that pods use on their node. Two pods conflict when port and protocol are equal and one of them
 * listens on every address or both on the same one. Regular containers and sidecars count, as for kube-scheduler; upstream
 * leaves sidecars out.
 */
import type { PodSpec } from './model.ts';

export interface HostPort {
  readonly ip: string;
  readonly port: number;
  readonly protocol: string;
}

export const NO_PORTS: readonly HostPort[] = [];

export function hostPortsOf(spec: PodSpec): readonly HostPort[] {
  let ports: HostPort[] | undefined;
  const sidecars = spec.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always') ?? [];
  for (const container of [...(spec.containers ?? []), ...sidecars]) {
    if (container.ports === undefined) continue;
    for (const { hostPort, hostIP, protocol } of container.ports) {
      if (hostPort === undefined || hostPort === 0) continue;
      ports ??= [];
      ports.push({ ip: hostIP || ANY_IPV4, port: hostPort, protocol: protocol || 'TCP' });
    }
  }
  return ports ?? NO_PORTS;
}

/** The first port of the pod that is already in use. */
export function takenPort(wanted: readonly HostPort[], used: readonly HostPort[]): HostPort | undefined {
  return wanted.find((port) => used.some((other) => conflicts(port, other)));
}

// ---------------------------------------------------------------------------------------------------------------

const ANY_IPV4 = '0.0.0.0';

function conflicts(first: HostPort, second: HostPort): boolean {
  if (first.port !== second.port || first.protocol !== second.protocol) return false;
  return first.ip === second.ip || unspecified(first.ip) || unspecified(second.ip);
}

function unspecified(ip: string): boolean {
  return ip === ANY_IPV4 || ip === '::';
}
