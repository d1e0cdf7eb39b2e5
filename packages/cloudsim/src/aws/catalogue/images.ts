/**
 * The images that AWS publishes for nodes of EKS, and the parameters of Parameter Store that name them. A release adds new
 * images and moves the parameters that name the latest.
 */
import { createHash } from 'node:crypto';
import type { AwsContext } from '../context.ts';
import type { Image } from '../store/records.ts';

/** Publishes the images of a day, for the cluster's version and its neighbours. */
export function publishImages(
  { account, settings }: Pick<AwsContext, 'account' | 'settings'>,
  dayMs: number,
): void {
  const minor = Number(settings.kubernetesMinor.split('.')[1]);
  const version = `v${new Date(dayMs).toISOString().slice(0, 10).replaceAll('-', '')}`;
  for (const kubernetes of [minor - 1, minor, minor + 1].map((each) => `1.${each}`))
    for (const row of rowsFor(kubernetes, version, dayMs)) {
      const image = imageOf(row, dayMs);
      account.images.set(image.ImageId, image);
      for (const name of row.parameters) putParameter(account, name, image.ImageId, dayMs);
    }
}

export function putParameter(
  { parameters }: AwsContext['account'],
  name: string,
  value: string,
  atMs: number,
): void {
  const version = (parameters.get(name)?.version ?? 0) + 1;
  parameters.set(name, { name, value, version, modifiedMs: atMs });
}

// ---------------------------------------------------------------------------------------------------

interface ImageRow {
  readonly name: string;
  readonly owner: string;
  readonly architecture: 'x86_64' | 'arm64';
  readonly platform?: 'windows';
  readonly device: string;
  readonly sizeGiB: number;
  readonly parameters: readonly string[];
}

const EKS_OWNER = '602401143452';
const BOTTLEROCKET_OWNER = '092701018921';
const WINDOWS_OWNER = '801119661308';
const DEPRECATED_AFTER_MS = 2 * 365 * 86_400_000;

function rowsFor(kubernetes: string, version: string, dayMs: number): readonly ImageRow[] {
  const isOld = Number(kubernetes.split('.')[1]) <= 32;
  return [
    ...al2023Rows(kubernetes, version),
    ...(isOld ? al2Rows(kubernetes, version) : []),
    ...bottlerocketRows(kubernetes, dayMs),
    ...windowsRows(kubernetes, version),
  ];
}

function al2023Rows(kubernetes: string, version: string): readonly ImageRow[] {
  const variants = [
    ['x86_64', 'standard'],
    ['x86_64', 'nvidia'],
    ['x86_64', 'neuron'],
    ['arm64', 'standard'],
    ['arm64', 'nvidia'],
  ] as const;
  return variants.map(([architecture, variant]) => {
    const name = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-${version}`;
    const folder = `/aws/service/eks/optimized-ami/${kubernetes}/amazon-linux-2023/${architecture}/${variant}`;
    return {
      name,
      owner: EKS_OWNER,
      architecture,
      device: '/dev/xvda',
      sizeGiB: 20,
      parameters: [`${folder}/recommended/image_id`, `${folder}/${name}/image_id`],
    };
  });
}

function al2Rows(kubernetes: string, version: string): readonly ImageRow[] {
  const variants = [
    ['x86_64', 'amazon-linux-2', 'amazon-eks-node'],
    ['arm64', 'amazon-linux-2-arm64', 'amazon-eks-arm64-node'],
    ['x86_64', 'amazon-linux-2-gpu', 'amazon-eks-gpu-node'],
  ] as const;
  return variants.map(([architecture, folder, prefix]) => {
    const name = `${prefix}-${kubernetes}-${version}`;
    const path = `/aws/service/eks/optimized-ami/${kubernetes}/${folder}`;
    return {
      name,
      owner: EKS_OWNER,
      architecture,
      device: '/dev/xvda',
      sizeGiB: 20,
      parameters: [`${path}/recommended/image_id`, `${path}/${name}/image_id`],
    };
  });
}

/** Its versions are numbers: one minor version for each day. */
function bottlerocketRows(kubernetes: string, dayMs: number): readonly ImageRow[] {
  const release = `1.${Math.floor(dayMs / 86_400_000) - 20_400}.0`;
  const variants = ['', '-nvidia'].flatMap((variant) => [
    ['x86_64', variant] as const,
    ['arm64', variant] as const,
  ]);
  return variants.map(([architecture, variant]) => {
    const folder = `/aws/service/bottlerocket/aws-k8s-${kubernetes}${variant}/${architecture}`;
    return {
      name: `bottlerocket-aws-k8s-${kubernetes}${variant}-${architecture === 'arm64' ? 'aarch64' : architecture}-v${release}`,
      owner: BOTTLEROCKET_OWNER,
      architecture,
      device: '/dev/xvda',
      sizeGiB: 2,
      parameters: [`${folder}/latest/image_id`, `${folder}/${release}/image_id`],
    };
  });
}

function windowsRows(kubernetes: string, version: string): readonly ImageRow[] {
  const years = Number(kubernetes.split('.')[1]) >= 35 ? ['2019', '2022', '2025'] : ['2019', '2022'];
  return years.map((year) => {
    const name = `Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}`;
    return {
      name: `${name}-${version.slice(1, 5)}.${version.slice(5, 7)}.${version.slice(7)}`,
      owner: WINDOWS_OWNER,
      architecture: 'x86_64' as const,
      platform: 'windows' as const,
      device: '/dev/sda1',
      sizeGiB: 50,
      parameters: [`/aws/service/ami-windows-latest/${name}/image_id`],
    };
  });
}

function imageOf(row: ImageRow, dayMs: number): Image & { ImageId: string } {
  return {
    ImageId: `ami-0${createHash('sha256').update(row.name).digest('hex').slice(0, 16)}`,
    Name: row.name,
    Description: row.name,
    OwnerId: row.owner,
    ImageOwnerAlias: 'amazon',
    ImageLocation: `amazon/${row.name}`,
    Architecture: row.architecture,
    State: 'available',
    Public: true,
    ImageType: 'machine',
    VirtualizationType: 'hvm',
    Hypervisor: 'xen',
    EnaSupport: true,
    SriovNetSupport: 'simple',
    RootDeviceType: 'ebs',
    RootDeviceName: row.device,
    PlatformDetails: row.platform === 'windows' ? 'Windows' : 'Linux/UNIX',
    // On the wire it is lower case, unlike in the model of the SDKs.
    ...(row.platform === 'windows' ? { Platform: 'windows' as 'Windows' } : {}),
    CreationDate: new Date(dayMs).toISOString(),
    DeprecationTime: new Date(dayMs + DEPRECATED_AFTER_MS).toISOString(),
    BlockDeviceMappings: [
      {
        DeviceName: row.device,
        Ebs: {
          DeleteOnTermination: true,
          Encrypted: false,
          SnapshotId: `snap-0${createHash('sha256').update(`snapshot ${row.name}`).digest('hex').slice(0, 16)}`,
          VolumeSize: row.sizeGiB,
          VolumeType: 'gp3',
        },
      },
    ],
    Tags: [],
  };
}
