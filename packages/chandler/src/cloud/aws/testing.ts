/** What only tests, benchmarks and scripts need of AWS. */
import type { EC2NodeClass } from '../../api/index.ts';
import { type FittedType, typeFitter } from './instance-types/fitted-type.ts';
import { type InstanceTypeInfo, isUsable } from './instance-types/instance-type-info.ts';
import { type InstanceTypeOptions, parametersOf } from './instance-types/parameters.ts';

export { awsCallsOf } from './aws-calls.fixture.ts';
export { awsReader } from './evidence/aws-reader.ts';
export { decodeType, encodeType, offlineOfferings, offlineTypes } from './instance-types/offline-types.ts';
export { conditionOf, Scene, type SceneOptions } from './node-class/node-class.fixture.ts';

export { CONFIGURE_PERMISSIONS } from './permissions/configure-permissions.table.ts';
export { renderIamDoc } from './permissions/permissions-doc.ts';
export { configurePolicy, ownPolicy, type PolicyPlace, whyPolicy } from './permissions/policies.ts';

export interface FitTypesRequest {
  readonly types: readonly InstanceTypeInfo[];
  readonly nodeClass: EC2NodeClass;
  readonly region: string;
  /** That sell every type. */
  readonly zones: readonly string[];
  readonly options: InstanceTypeOptions;
}

/** Types without offerings, for one node class. */
export function fitTypes({ types, nodeClass, region, zones, options }: FitTypesRequest): FittedType[] {
  const sold = new Set(zones);
  const fit = typeFitter({
    parameters: parametersOf(nodeClass, undefined, options),
    region,
    zonesOf: () => sold,
    observedMemory: () => undefined,
  });
  return types.filter(isUsable).map(fit);
}
