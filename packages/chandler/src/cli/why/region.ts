/** The region of a cluster, from what it shows of itself. */
import { DEPLOYMENTS, NODES, type ResourceRef } from '@chandler/kube';
import { KubernetesLabel, NODE_CLAIMS, type NodeClaim } from '../../api/index.ts';
import { isFound, listFailure, listOr, type ObjectReader, type ReadObject } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { CONTROLLER_LABELS, cloudOfClass, cloudOfNode, type NodeMarks } from '../../diagnose/index.ts';
import { isRegion, ownerOf, type RegionSign, regionOfSigns } from './region-signs.ts';

type Regions = Pick<CloudDiagnosis, 'name'> & {
  readonly catalogue: Pick<CloudDiagnosis['catalogue'], 'regionOfZone' | 'regionVariables'>;
};

/**
 * That of the nodes of this cloud; without such nodes, of its NodeClaims, of objects of which the cloud is not known, or of
 * the controller. Undefined: nothing shows it.
 */
export async function regionOfCluster(
  reader: ObjectReader,
  { name, catalogue }: Regions,
): Promise<string | undefined> {
  const signs: RegionSign[] = [];
  for (const resource of [NODES, NODE_CLAIMS]) {
    signs.push(...(await signsOf(reader, resource, name)));
    const own = signs.filter(({ owner }) => owner === 'own');
    const region = regionOfSigns(own, catalogue);
    if (region !== undefined) return region;
  }
  return regionOfSigns(signs, catalogue) ?? regionOfController(reader, catalogue.regionVariables);
}

/** Nodes or NodeClaims, which show it, could not be read: then it may be any. */
export async function isRegionHidden(reader: ObjectReader): Promise<boolean> {
  for (const resource of [NODES, NODE_CLAIMS])
    if (listFailure(await reader.list(resource, { atMost: LIMITS[0]! })) !== undefined) return true;
  return false;
}

// ---------------------------------------------------------------------------------------------------------------

/** Where the first few objects are all of another cloud, many are read. */
const LIMITS = [5, 500];

async function signsOf(
  reader: ObjectReader,
  resource: ResourceRef,
  cloud: string,
): Promise<readonly RegionSign[]> {
  for (const atMost of LIMITS) {
    const looked = await reader.list(resource, { atMost });
    const objects = isFound(looked) ? looked.found : [];
    const signs = objects.map((object) => signOf(object, cloud)).filter(({ owner }) => owner !== 'other');
    if (signs.length > 0 || objects.length < atMost) return signs;
  }
  return [];
}

function signOf(object: ReadObject, cloud: string): RegionSign {
  const { [KubernetesLabel.region]: region = '', [KubernetesLabel.zone]: zone = '' } =
    object.metadata.labels ?? {};
  const { nodeClassRef } = (object as Partial<NodeClaim>).spec ?? {};
  const row =
    nodeClassRef === undefined
      ? cloudOfNode(DIAGNOSES, object as NodeMarks)
      : cloudOfClass(DIAGNOSES, nodeClassRef);
  return { owner: ownerOf(row, cloud), regions: [region], zones: [zone] };
}

async function regionOfController(
  reader: ObjectReader,
  variables: readonly string[],
): Promise<string | undefined> {
  const deployments: ReadObject[] = [];
  for (const labels of CONTROLLER_LABELS)
    deployments.push(...listOr(await reader.list(DEPLOYMENTS, { labels })));
  const text = JSON.stringify(deployments);
  for (const name of variables) {
    const [, value = ''] = new RegExp(`"name":"${name}","value":"([^"]*)"`).exec(text) ?? [];
    if (isRegion(value)) return value;
  }
  return undefined;
}
