/** AMIs of classes: those that they name, and those that their alias leads to in this region. */
import type { Image } from '@aws-sdk/client-ec2';
import type { EC2NodeClassSpec } from '../../../api/index.ts';
import { imageParameters } from '../../../cloud/aws/account.ts';
import { itemsAt, textAt, toValue } from '../../model/tree.ts';
import type { Inputs, Manifest } from '../inputs.ts';
import type { AccountReading } from './account-reading.ts';
import type { SeenCluster } from './cluster.ts';

const MAX_PARAMETERS = 8;
const MAX_IMAGES = 50;

export async function readImages(
  reading: AccountReading,
  { manifests }: Inputs,
  { version, missing }: SeenCluster,
): Promise<void> {
  const classes = manifests.filter(({ kind }) => kind === 'EC2NodeClass');
  const named = classes.flatMap(({ tree }) =>
    itemsAt(tree, 'spec', 'amiSelectorTerms').flatMap((term) => textAt(term, 'id') ?? []),
  );
  const parameters = new Map<string, string[]>();
  for (const own of classes)
    for (const name of parametersOf(own, version))
      parameters.set(name, [...(parameters.get(name) ?? []), own.name]);
  if (version === undefined) reading.skip(['ssm:GetParameter'], missing ?? 'the version is not known');
  const found = await Promise.all(
    [...parameters].slice(0, MAX_PARAMETERS).map(([Name, names]) => readParameter(reading, Name, names)),
  );
  const ids = [...new Set([...named, ...found.flat()])].filter((id) => /^ami-[0-9a-f]+$/.test(id)).sort();
  if (ids.length > 0) await readByIds(reading, ids.slice(0, MAX_IMAGES));
}

// ---------------------------------------------------------------------------------------------------------------

/** Names of parameters. An alias that the version does not have is judged from the files (S-34). */
function parametersOf({ tree }: Manifest, version: string | undefined): readonly string[] {
  const hasTerms = itemsAt(tree, 'spec', 'amiSelectorTerms').some(
    (term) => textAt(term, 'alias') !== undefined || textAt(term, 'ssmParameter') !== undefined,
  );
  if (version === undefined || !hasTerms) return [];
  const { spec } = toValue(tree) as { readonly spec: EC2NodeClassSpec };
  const wanted = imageParameters(spec, version);
  return 'problem' in wanted ? [] : wanted.parameters.map(({ Name }) => Name);
}

/** @param classes that lead to it. Without a value it does not exist. */
async function readParameter(
  reading: AccountReading,
  Name: string,
  classes: readonly string[],
): Promise<readonly string[]> {
  const answer = await reading.ask('ssm:GetParameter', (aws, options) =>
    aws.ssm.getParameter({ Name }, options),
  );
  if ('unread' in answer) return [];
  const value = 'found' in answer ? answer.found.Parameter?.Value : undefined;
  reading.add('ssm:GetParameter', 'aws_ssm_parameter', Name, { name: Name, value, node_classes: classes });
  return value === undefined ? [] : [value];
}

async function readByIds(reading: AccountReading, ids: string[]): Promise<void> {
  const answer = await reading.ask('ec2:DescribeImages', (aws, options) =>
    // A filter, because an id that does not exist would refuse the whole call.
    aws.ec2.describeImages(
      { Filters: [{ Name: 'image-id', Values: ids }], IncludeDeprecated: true },
      options,
    ),
  );
  if (!('found' in answer)) return;
  const images = answer.found.Images ?? [];
  for (const image of images)
    reading.add('ec2:DescribeImages', 'aws_ami', image.ImageId ?? '', imageValues(image));
  for (const id of ids)
    if (!images.some(({ ImageId }) => ImageId === id)) reading.addAbsent('ec2:DescribeImages', 'aws_ami', id);
}

function imageValues(image: Image): object {
  const root = image.BlockDeviceMappings?.find(({ DeviceName }) => DeviceName === image.RootDeviceName);
  return {
    id: image.ImageId,
    name: image.Name,
    state: image.State,
    architecture: image.Architecture,
    creation_date: image.CreationDate,
    deprecation_time: image.DeprecationTime,
    root_device_name: image.RootDeviceName,
    root_volume_size: root?.Ebs?.VolumeSize,
  };
}
