/**
 * Chooses a VM size for the NodeClaim offline, from the built-in catalogue, by the rules of the controller.
 */
import type { World } from '@chandler/kube';
import { type AKSNodeClass, KubernetesLabel } from '../../api/index.ts';
import {
  type AzureInstanceType,
  type InstanceTypeProvider,
  offlineInstanceTypes,
  type RankedOffering,
  type ResourceSku,
  rankOfferings,
  skuRefusalText,
} from '../../cloud/azure/index.ts';
import { offlineSizes } from '../../playground/offline-catalogue.ts';
import { closestName } from '../../settings/index.ts';

import { Failure } from '../verb.ts';
import type { Manifests } from './manifests.ts';
import type { BootstrapVerbValues } from './options.ts';

/** The sizes of this region are used for a region that is not in the catalogue. */
const HOME_REGION = 'eastus';

/** @throws {Failure} when no size fits. */
export function chooseVmSize(
  world: World,
  options: BootstrapVerbValues,
  manifests: Manifests,
): RankedOffering {
  const { claim, nodeClass } = manifests;
  const region = options.location.value;
  const skus = offlineSizes('azure', region, HOME_REGION) as readonly ResourceSku[];
  const provider = offlineInstanceTypes({ world, region, options, skus });
  const types = provider.forNodeClass(nodeClass);
  const wanted = options.instanceType.value;
  const [best] = rankOfferings({
    types: wanted === undefined ? types : typesNamed(types, wanted, provider, nodeClass),
    requirements: claim.spec.requirements,
    requests: claim.spec.resources?.requests ?? {},
    claimName: claim.metadata.name ?? '',
  });
  if (best !== undefined) return best;
  throw new Failure(
    wanted === undefined
      ? 'no VM size of the built-in catalogue meets the requirements of the NodeClaim; set one with --instance-type'
      : `${wanted} does not meet the requirements of the NodeClaim (${requirementText(manifests)})`,
  );
}

// ---------------------------------------------------------------------------------------------------

function typesNamed(
  types: readonly AzureInstanceType[],
  name: string,
  provider: InstanceTypeProvider,
  nodeClass: AKSNodeClass,
): readonly AzureInstanceType[] {
  const found = types.filter((type) => type.name.toLowerCase() === name.toLowerCase());
  if (found.length > 0) return found;
  const why = provider.whyNot(name, nodeClass);
  if (why !== undefined && why !== 'unknown') {
    throw new Failure(`--instance-type: ${name} cannot be used: ${skuRefusalText(why)}`);
  }
  const guess = closestName(
    name,
    types.map((type) => type.name),
  );
  const hint = guess === undefined ? 'a VM size has the form Standard_D4s_v5' : `did you mean ${guess}?`;
  throw new Failure(`--instance-type: the built-in catalogue has no VM size "${name}"; ${hint}`);
}

function requirementText({ claim }: Manifests): string {
  return claim.spec.requirements
    .filter(({ key }) => key !== KubernetesLabel.instanceType)
    .map(({ key, operator, values }) => `${key} ${operator} ${(values ?? []).join(', ')}`.trim())
    .join('; ');
}
