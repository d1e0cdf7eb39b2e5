/**
 * The pod network of this machine until the network plugin of the cluster is installed: a bridge with local IP address
 * management. Two machines with the same range have pods with the same IP address: use a different range on each machine
 * (`cni.bridge.podCidr`), or do not write the file (`cni.bridge.write: false`).
 */
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';

/** Sorted last, so that every CNI configuration of the cluster takes precedence. */
export const BRIDGE_FILE = '99-bridge.conf';
export const BRIDGE_NAME = 'cni0';
/** The network's name, also in comments of the firewall rules that the plugin makes. */
export const NETWORK_NAME = 'chandler-bridge';
export const DEFAULT_POD_CIDR = '10.244.0.0/16';

export function bridgeNetwork(config: FlexConfig): string {
  const { subnet, gateway } = podRange(config);
  const network = {
    cniVersion: '0.3.1',
    name: NETWORK_NAME,
    type: 'bridge',
    bridge: BRIDGE_NAME,
    isGateway: true,
    ipMasq: true,
    ipam: {
      type: 'host-local',
      dataDir: `${config.paths.cni.libDir}/networks`,
      ranges: [[{ subnet, gateway }]],
      routes: [{ dst: '0.0.0.0/0' }],
    },
  };
  return `${JSON.stringify(network, null, 2)}\n`;
}

/** The range and its first address, which is the bridge's own. */
export function podRange(config: FlexConfig): { readonly subnet: string; readonly gateway: string } {
  const cidr = config.cni.bridge?.podCidr ?? DEFAULT_POD_CIDR;
  const match = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})\/(\d{1,2})$/.exec(cidr);
  const octets = match?.slice(1, 5).map(Number) ?? [];
  const bits = Number(match?.[5]);
  if (match === null || octets.some((octet) => octet > 255) || bits < 8 || bits > 29) throw notARange(cidr);
  const address = octets.reduce((total, octet) => total * 256 + octet, 0);
  const size = 2 ** (32 - bits);
  const base = Math.floor(address / size) * size;
  return { subnet: `${dotted(base)}/${bits}`, gateway: dotted(base + 1) };
}

// ---------------------------------------------------------------------------------------------------

function dotted(address: number): string {
  return [2 ** 24, 2 ** 16, 2 ** 8, 1].map((unit) => Math.floor(address / unit) % 256).join('.');
}

function notARange(cidr: string): FlexError {
  return new FlexError({
    class: 'config',
    code: 'cni.pod-cidr',
    where: 'cni.bridge.podCidr',
    message: `cni.bridge.podCidr is ${cidr}; it must be an IPv4 CIDR range between /8 and /29`,
    remedy: 'Use a range such as 10.244.7.0/24, and a different one on every machine.',
  });
}
