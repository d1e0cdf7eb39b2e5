/**
 * What EC2's API does not tell about the network of a type: its bandwidth as a number, and how many branch interfaces its
 * trunk interface takes. From a table that is as old as its header says; a newer type has neither label nor pod-eni.
 */
import { NETWORK_LIMITS } from './network-limits.table.ts';

export interface NetworkLimits {
  /** Absent where AWS publishes words such as "Moderate" only. */
  readonly bandwidthMbps?: number;
  /** Pods with security groups of their own. Absent where the type has no trunk interface. */
  readonly branchInterfaces?: number;
  /** IPv4 addresses of an interface, as the VPC resource controller counts them. */
  readonly addressesPerInterface?: number;
}

export function networkLimits(instanceType: string): NetworkLimits | undefined {
  limits ??= readLimits(NETWORK_LIMITS);
  return limits.get(instanceType);
}

// ---------------------------------------------------------------------------------------------------------------

let limits: ReadonlyMap<string, NetworkLimits> | undefined;

/** One line per family: `family size:bandwidth/branch/addresses …`, each number may be missing. */
function readLimits(text: string): ReadonlyMap<string, NetworkLimits> {
  const result = new Map<string, NetworkLimits>();
  for (const line of text.trim().split('\n')) {
    const [family, ...sizes] = line.split(' ');
    for (const entry of sizes) {
      const [size, numbers] = entry.split(':') as [string, string];
      const [bandwidth = '', branch = '', addresses = ''] = numbers.split('/');
      result.set(`${family}.${size}`, {
        ...(bandwidth === '' ? {} : { bandwidthMbps: Number(bandwidth) }),
        ...(branch === '' ? {} : { branchInterfaces: Number(branch) }),
        ...(addresses === '' ? {} : { addressesPerInterface: Number(addresses) }),
      });
    }
  }
  return result;
}
