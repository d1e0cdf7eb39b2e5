/**
 * Chooses a machine for the claim, offline: from the built-in catalogue of sizes, by the rules by which the controller
 * would choose from Azure's.
 */
import type { AKSNodeClass } from '../../api/index.ts';
import { KubernetesLabel } from '../../api/index.ts';
import {
  type AzureInstanceType,
  InstanceTypeProvider,
  type RankedOffering,
  rankOfferings,
} from '../../cloud/azure/instance-types/index.ts';
import { PriceBook } from '../../cloud/azure/prices/index.ts';
import type { ResourceSku } from '../../cloud/azure/sizes/index.ts';
import { skuRefusalText } from '../../cloud/azure/sizes/index.ts';
import { createCatalogue } from '../../playground/azure/catalogue/index.ts';
import { closestName } from '../../settings/closest-name.ts';
import type { World } from '../../world.ts';
import { Failure } from '../verb.ts';
import type { Manifests } from './manifests.ts';
import type { BootstrapVerbValues } from './options.ts';

/** @throws {Failure} when no size fits. */
export function chooseMachine(
  world: World,
  options: BootstrapVerbValues,
  manifests: Manifests,
): RankedOffering {
  const { claim, nodeClass } = manifests;
  const provider = catalogue(world, options);
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

/** The catalogue knows two regions; another one is given the sizes of the first. */
const HOME = 'eastus';

function catalogue(world: World, options: BootstrapVerbValues): InstanceTypeProvider {
  const sizes = createCatalogue().sizes;
  const region = options.location.value;
  const own = sizes.skus(region) as readonly ResourceSku[];
  const skus = own.some((sku) => sku.resourceType === 'virtualMachines')
    ? own
    : moved(sizes.skus(HOME), region);
  const provider = new InstanceTypeProvider({
    clock: world.clock,
    log: world.log,
    region,
    options,
    prices: new PriceBook({ ...world, region, published: false }),
    quota: { sequence: 0, refusal: () => undefined },
    unavailable: { sequence: 0, why: () => undefined },
    listSkus: async () => skus,
  });
  provider.refresh(skus);
  return provider;
}

function moved(skus: readonly unknown[], region: string): ResourceSku[] {
  return (skus as readonly ResourceSku[]).map((sku) => ({
    ...sku,
    locations: [region],
    locationInfo: (sku.locationInfo ?? []).map((info) => ({ ...info, location: region })),
  }));
}

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
