/** One type as the scheduler sees it, for one set of parameters: labels, offerings, capacity and overhead. */
import type { InstanceType } from '../../../scheduling/index.ts';

import type { AwsOffering } from '../offerings/index.ts';
import type { FittedType } from './fitted-type.ts';

export interface AwsInstanceType
  extends InstanceType,
    Pick<FittedType, 'info' | 'capacity' | 'overhead' | 'allocatable' | 'kubelet'> {
  readonly capacity: FittedType['capacity'];
  readonly overhead: FittedType['overhead'];
  readonly offerings: readonly AwsOffering[];
}

export function instanceType(fitted: FittedType, offerings: readonly AwsOffering[]): AwsInstanceType {
  const { name, info, requirements, capacity, overhead, allocatable, kubelet } = fitted;
  const own = kubelet === undefined ? {} : { kubelet };
  return { name, info, requirements, offerings, capacity, overhead, allocatable, ...own };
}
