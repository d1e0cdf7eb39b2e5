/** Addresses of the test cluster, which exist in a network namespace of the suite alone. */

export const BRIDGE = 'nodes';
/** Of the control plane and of the simulated cloud. */
export const GATEWAY = '10.77.0.1';

export interface NodePlace {
  readonly name: string;
  readonly zone: string;
  readonly address: string;
  readonly podRange: string;
}

export const NODES_OF_CLUSTER: readonly NodePlace[] = [
  { name: 'system-1', zone: 'zone-1', address: '10.77.0.11', podRange: '10.78.1.0/24' },
  { name: 'system-2', zone: 'zone-2', address: '10.77.0.12', podRange: '10.78.2.0/24' },
];
