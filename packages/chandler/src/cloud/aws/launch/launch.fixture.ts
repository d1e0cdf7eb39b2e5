/** Instance types and offerings for the tests of a launch. */
import type { LabelRequirement } from '../../../scheduling/index.ts';

import type { CapacityTypeName, LaunchOffering, LaunchType } from './launch-types.ts';

export const ZONE_A = 'us-west-2a';
export const ZONE_B = 'us-west-2b';

export function oneOf(key: string, ...values: string[]): LabelRequirement {
  return { key, operator: 'In', values };
}

export const capacityTypes = (...values: string[]) => oneOf('karpenter.sh/capacity-type', ...values);

export function offering(
  capacityType: CapacityTypeName,
  zone: string,
  price: number,
  more: Partial<LaunchOffering> = {},
): LaunchOffering {
  const partition = more.partition === undefined ? [] : [oneOf(PARTITION, more.partition)];
  return {
    requirements: [capacityTypes(capacityType), oneOf('topology.kubernetes.io/zone', zone), ...partition],
    price,
    zone,
    capacityType,
    ...more,
  };
}

export const PARTITION = 'karpenter.k8s.aws/placement-group-partition';

export interface ReservedFields {
  readonly id: string;
  readonly free?: number;
  readonly type?: 'default' | 'capacity-block';
  readonly interruptible?: boolean;
}

export function reserved(zone: string, price: number, fields: ReservedFields): LaunchOffering {
  const { id, free = 1, type = 'default', interruptible = false } = fields;
  return offering('reserved', zone, price, {
    reservation: { id, capacity: free },
    capacityReservation: { id, type, interruptible },
  });
}

/** A type with 2 CPUs, 8 GiB and 29 pods, on demand in one zone, unless told otherwise. */
export function aType(name: string, more: Partial<LaunchType> = {}): LaunchType {
  const [family = '', size = ''] = name.split('.');
  return {
    name,
    requirements: [
      oneOf('node.kubernetes.io/instance-type', name),
      oneOf('karpenter.k8s.aws/instance-family', family),
      oneOf('karpenter.k8s.aws/instance-size', size),
    ],
    offerings: [offering('on-demand', ZONE_A, 0.1)],
    capacity: { cpu: '2', memory: '8Gi', pods: '29' },
    ...more,
  };
}

export const names = (types: readonly LaunchType[]) => types.map(({ name }) => name);
