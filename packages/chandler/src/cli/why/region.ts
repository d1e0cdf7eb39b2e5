/** The region of a cluster, from what it shows of itself. */
import { CONFIG_MAPS, DEPLOYMENTS, NODES, type ResourceRef } from '@chandler/kube';
import { KubernetesLabel, NODE_CLAIMS, type NodeClaim } from '../../api/index.ts';
import { isFound, listFailure, listOr, type ObjectReader, type ReadObject } from '../../causes/index.ts';
import type { CloudDiagnosis } from '../../cloud/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { CONTROLLER_LABELS, cloudOfClass, cloudOfNode, type NodeMarks } from '../../diagnose/index.ts';
import { envNames, GLOBAL_SETTINGS_NAME, type OptionRow } from '../../settings/index.ts';
import { isRegion, ownerOf, type RegionSign, regionOfSigns } from './region-signs.ts';

type Regions = Pick<CloudDiagnosis, 'name'> & {
  readonly options: Pick<CloudDiagnosis['options'], 'table'>;
  readonly catalogue: Pick<CloudDiagnosis['catalogue'], 'regionOfZone' | 'regionVariables'>;
};

/**
 * That of the nodes of this cloud; without such nodes, of its NodeClaims, of objects of which the cloud is not known, or of
 * the controller. Undefined: nothing shows it.
 */
export async function regionOfCluster(reader: ObjectReader, cloud: Regions): Promise<string | undefined> {
  const { name, catalogue } = cloud;
  const signs: RegionSign[] = [];
  for (const resource of [NODES, NODE_CLAIMS]) {
    signs.push(...(await signsOf(reader, resource, name)));
    const own = signs.filter(({ owner }) => owner === 'own');
    const region = regionOfSigns(own, catalogue);
    if (region !== undefined) return region;
  }
  return regionOfSigns(signs, catalogue) ?? regionOfController(reader, cloud);
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

/** As its options have it: a flag comes before a variable, and that before the ConfigMap. */
async function regionOfController(reader: ObjectReader, cloud: Regions): Promise<string | undefined> {
  const { regionVariables } = cloud.catalogue;
  const rows = Object.values(cloud.options.table).filter((row) =>
    envNames(row).some((name) => regionVariables.includes(name)),
  );
  const deployments: ReadObject[] = [];
  for (const labels of CONTROLLER_LABELS)
    deployments.push(...listOr(await reader.list(DEPLOYMENTS, { labels })));
  for (const deployment of deployments) {
    const given = [
      ...containersOf(deployment).flatMap(({ args = [], env = [] }) => [
        ...rows.flatMap(({ flag }) => valuesOfFlag(args, `--${flag}`)),
        ...regionVariables.flatMap((name) => env.flatMap((each) => (each.name === name ? [each.value] : []))),
      ]),
      ...(await settingsOf(reader, deployment, rows)),
    ];
    const region = given.find((value) => value !== undefined && isRegion(value));
    if (region !== undefined) return region;
  }
  return undefined;
}

interface ControllerContainer {
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
}

function containersOf(deployment: ReadObject): readonly ControllerContainer[] {
  const { template } = (deployment as DeploymentSpec).spec ?? {};
  return template?.spec?.containers ?? [];
}

interface DeploymentSpec {
  readonly spec?: {
    readonly template?: { readonly spec?: { readonly containers?: readonly ControllerContainer[] } };
  };
}

/** `--aws-region eu-west-1` and `--aws-region=eu-west-1`. */
function valuesOfFlag(args: readonly string[], flag: string): readonly (string | undefined)[] {
  return args.flatMap((arg, index) => {
    if (arg === flag) return [args[index + 1]];
    return arg.startsWith(`${flag}=`) ? [arg.slice(flag.length + 1)] : [];
  });
}

async function settingsOf(
  reader: ObjectReader,
  { metadata: { namespace = 'kube-system' } }: ReadObject,
  rows: readonly OptionRow[],
): Promise<readonly (string | undefined)[]> {
  const looked = await reader.get(CONFIG_MAPS, { namespace, name: GLOBAL_SETTINGS_NAME });
  const data = isFound(looked) ? ((looked.found['data'] ?? {}) as Readonly<Record<string, string>>) : {};
  return rows.map(({ settingsKey = '' }) => data[settingsKey]);
}
