/** The region of a cluster, from what it shows of itself. */
import { CONFIG_MAPS, DEPLOYMENTS, NODES, type ResourceRef } from '@chandler/kube';
import { KubernetesLabel, NODE_CLAIMS, type NodeClaim } from '../../api/index.ts';
import { isFound, listOr, type ObjectReader, type ReadObject } from '../../causes/index.ts';
import type { CloudDiagnosis, EnvVar } from '../../cloud/index.ts';
import { DIAGNOSES } from '../../cloud/registry.ts';
import { CONTROLLER_LABELS, cloudOfClass, cloudOfNode, type NodeMarks } from '../../diagnose/index.ts';
import { envNames, GLOBAL_SETTINGS_NAME, type OptionRow } from '../../settings/index.ts';
import { isRegion, ownerOf, type RegionSign, regionOfSigns } from './region-signs.ts';

type Regions = Pick<CloudDiagnosis, 'name' | 'nodeClasses'> & {
  readonly options: Pick<CloudDiagnosis['options'], 'table'>;
  readonly catalogue: Pick<
    CloudDiagnosis['catalogue'],
    'regionOfZone' | 'regionVariables' | 'regionInVariable' | 'zonesOfClass'
  >;
};

/**
 * That of the nodes of this cloud; without such nodes, of its NodeClaims, of its node classes, of objects of which the cloud is
 * not known, or of the controller. Undefined: nothing that could be read shows it.
 */
export async function regionOfCluster(reader: ObjectReader, cloud: Regions): Promise<string | undefined> {
  const { catalogue } = cloud;
  const signs: RegionSign[] = [];
  for (const resource of [NODES, NODE_CLAIMS]) {
    signs.push(...(await signsOf(reader, resource, cloud)));
    const own = signs.filter(({ owner }) => owner === 'own');
    const region = regionOfSigns(own, catalogue);
    if (region !== undefined) return region;
  }
  return (
    (await regionOfClasses(reader, cloud)) ??
    regionOfSigns(signs, catalogue) ??
    regionOfController(reader, cloud)
  );
}

// ---------------------------------------------------------------------------------------------------------------

/** Where the first few objects are all of another cloud, or show no region of it, many are read. */
const LIMITS = [5, 500];

async function signsOf(
  reader: ObjectReader,
  resource: ResourceRef,
  { name, catalogue }: Regions,
): Promise<readonly RegionSign[]> {
  let signs: readonly RegionSign[] = [];
  for (const atMost of LIMITS) {
    const looked = await reader.list(resource, { atMost });
    if (!isFound(looked)) break;
    const objects = looked.found;
    signs = objects.map((object) => signOf(object, name)).filter(({ owner }) => owner !== 'other');
    const own = signs.filter(({ owner }) => owner === 'own');
    if (regionOfSigns(own, catalogue) !== undefined || objects.length < atMost) break;
  }
  return signs;
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

async function regionOfClasses(
  reader: ObjectReader,
  { nodeClasses, catalogue }: Regions,
): Promise<string | undefined> {
  const { zonesOfClass } = catalogue;
  if (zonesOfClass === undefined) return undefined;
  const zones: string[] = [];
  for (const resource of nodeClasses)
    zones.push(...listOr(await reader.list(resource, { atMost: LIMITS[0]! })).flatMap(zonesOfClass));
  return regionOfSigns([{ owner: 'own', regions: [], zones }], catalogue);
}

async function regionOfController(
  reader: ObjectReader,
  { options, catalogue: { regionVariables, regionInVariable } }: Regions,
): Promise<string | undefined> {
  const deployments: ReadObject[] = [];
  for (const labels of CONTROLLER_LABELS)
    deployments.push(...listOr(await reader.list(DEPLOYMENTS, { labels })));
  for (const deployment of deployments) {
    const region = await givenValue(reader, deployment, options, regionVariables);
    if (region !== undefined && isRegion(region)) return region;
    if (regionInVariable === undefined) continue;
    const { name, regionOf } = regionInVariable;
    const shown = regionOf((await givenValue(reader, deployment, options, [name])) ?? '');
    if (shown !== undefined) return shown;
  }
  return undefined;
}

/**
 * As its options have it: a flag comes before a variable, and that before the ConfigMap. Undefined also where the first of
 * these that has it, or may have it, is a variable whose value cannot be seen: what comes after it does not count.
 */
async function givenValue(
  reader: ObjectReader,
  deployment: ReadObject,
  { table }: Regions['options'],
  names: readonly string[],
): Promise<string | undefined> {
  const rows = Object.values(table).filter((row) => envNames(row).some((name) => names.includes(name)));
  const { template } = (deployment as DeploymentSpec).spec ?? {};
  const { args = [], env = [], envFrom = [] } = template?.spec?.containers?.[0] ?? {};
  const [flag] = rows.flatMap((row) => valuesOfFlag(args, `--${row.flag}`));
  if (flag !== undefined) return flag;
  const variables = names.flatMap((name) => env.filter((each) => each.name === name));
  const variable = variables.find(({ value, valueFrom }) => valueFrom !== undefined || isGiven(value));
  if (variable !== undefined) return variable.value;
  return envFrom.length > 0 ? undefined : settingOf(reader, deployment, rows);
}

interface DeploymentSpec {
  readonly spec?: {
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly {
          readonly args?: readonly string[];
          readonly env?: readonly EnvVar[];
          readonly envFrom?: readonly object[];
        }[];
      };
    };
  };
}

/** `--aws-region eu-west-1` and `--aws-region=eu-west-1`. */
function valuesOfFlag(args: readonly string[], flag: string): readonly string[] {
  const values = args.map((arg, index) => {
    if (arg === flag) return args[index + 1];
    return arg.startsWith(`${flag}=`) ? arg.slice(flag.length + 1) : undefined;
  });
  return values.filter(isGiven);
}

async function settingOf(
  reader: ObjectReader,
  { metadata: { namespace = 'kube-system' } }: ReadObject,
  rows: readonly OptionRow[],
): Promise<string | undefined> {
  const looked = await reader.get(CONFIG_MAPS, { namespace, name: GLOBAL_SETTINGS_NAME });
  const data = isFound(looked) ? ((looked.found['data'] ?? {}) as Readonly<Record<string, string>>) : {};
  return rows.map(({ settingsKey = '' }) => data[settingsKey]).find(isGiven);
}

function isGiven(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}
