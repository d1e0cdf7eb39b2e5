/**
 * Chooses a machine for the claim, offline: from the built-in catalogue of sizes, by the rules by which the controller
 * would choose from Azure's.
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

/** A region that the catalogue does not know is given the sizes of this one. */
const HOME_REGION = 'eastus';

/** @throws {Failure} when no size fits. */
export function chooseMachine(
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
      ? 'no size of the built-in catalogue fits the requirements of the claim; name one with --instance-type'
      : `${wanted} does not fit the requirements of the claim (${requirementText(manifests)})`,
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
  const hint = guess === undefined ? 'sizes look like Standard_D4s_v5' : `did you mean ${guess}?`;
  throw new Failure(`--instance-type: no size "${name}" in the built-in catalogue; ${hint}`);
}

function requirementText({ claim }: Manifests): string {
  return claim.spec.requirements
    .filter(({ key }) => key !== KubernetesLabel.instanceType)
    .map(({ key, operator, values }) => `${key} ${operator} ${(values ?? []).join(', ')}`.trim())
    .join('; ');
}
