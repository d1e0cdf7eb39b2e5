/** The types that a launch chooses from: those of the node class, with the overlays of the request. */
import type { ResourceList } from '../../../api/index.ts';
import { overlaidTypes } from '../../../scheduling/index.ts';
import type { LaunchRequest } from '../../index.ts';

import { type AzureInstanceType, allocatableOf } from './instance-type.ts';

/** Without a pool there is no template that an overlay could select. */
export function launchTypes(
  types: readonly AzureInstanceType[],
  { nodePool, overlays = [] }: Pick<LaunchRequest, 'nodePool' | 'overlays'>,
): readonly AzureInstanceType[] {
  if (nodePool === undefined || overlays.length === 0) return types;
  return overlaidTypes(types, nodePool, overlays).map((type, index) =>
    type.capacity === types[index]?.capacity
      ? type
      : { ...type, allocatable: allocatableOf(type.capacity as ResourceList, type.overhead) },
  );
}
