/**
 * The images that AWS publishes for each family: which SSM parameter holds the id, and which nodes an image is for. And the
 * disks of nodes whose class names none.
 * Source: the public parameters of Amazon EKS, Bottlerocket and Windows, as karpenter-provider-aws v1.14.1 reads them.
 */
import { AwsLabel, type BlockDeviceMapping, KubernetesLabel } from '../../../api/index.ts';
import type { AmiFamily } from '../../../bootstrap/index.ts';
import { LATEST } from './alias.ts';

/** Which nodes an image is for: those without accelerators, with NVIDIA GPUs, with Neuron devices. */
export type ImageVariant = 'standard' | 'nvidia' | 'neuron';

export interface ImageRequirement {
  readonly key: string;
  readonly operator: 'In' | 'Exists' | 'DoesNotExist';
  readonly values?: readonly string[];
}

export const VARIANT_REQUIREMENTS: Readonly<Record<ImageVariant, readonly ImageRequirement[]>> = {
  standard: [
    { key: AwsLabel.acceleratorCount, operator: 'DoesNotExist' },
    { key: AwsLabel.gpuCount, operator: 'DoesNotExist' },
  ],
  nvidia: [{ key: AwsLabel.gpuCount, operator: 'Exists' }],
  neuron: [{ key: AwsLabel.acceleratorCount, operator: 'Exists' }],
};

export interface PublishedImage {
  /** One list of requirements for each kind of node it is for. */
  readonly requirements: readonly (readonly ImageRequirement[])[];
  /** @param kubernetes `1.33` @param version as in the alias. */
  parameter(kubernetes: string, version: string): string;
}

export interface ImageFamilyRow {
  readonly images: readonly PublishedImage[];
  /** The disks of a node whose class has no `blockDeviceMappings`; none: those of the image. */
  readonly disks: readonly BlockDeviceMapping[];
}

const forVariants = (...variants: readonly ImageVariant[]) =>
  variants.map((variant) => VARIANT_REQUIREMENTS[variant]);

const EKS = '/aws/service/eks/optimized-ami';

const al2 = (folder: string, image: string, ...variants: readonly ImageVariant[]): PublishedImage => ({
  requirements: forVariants(...variants),
  parameter: (kubernetes, version) => {
    const name = version === LATEST ? 'recommended' : `${image}-${kubernetes}-${version}`;
    return `${EKS}/${kubernetes}/${folder}/${name}/image_id`;
  },
});

const al2023 = (architecture: string, variant: ImageVariant): PublishedImage => ({
  requirements: forVariants(variant),
  parameter: (kubernetes, version) => {
    const pinned = `amazon-eks-node-al2023-${architecture}-${variant}-${kubernetes}-${version}`;
    const name = version === LATEST ? 'recommended' : pinned;
    return `${EKS}/${kubernetes}/amazon-linux-2023/${architecture}/${variant}/${name}/image_id`;
  },
});

const bottlerocket = (
  suffix: string,
  architecture: string,
  ...variants: readonly ImageVariant[]
): PublishedImage => ({
  requirements: forVariants(...variants),
  // Releases are called v1.46.0, their parameters 1.46.0.
  parameter: (kubernetes, version) =>
    `/aws/service/bottlerocket/aws-k8s-${kubernetes}${suffix}/${architecture}/${version.replace(/^v+/, '')}/image_id`,
});

const disk = (deviceName: string, volumeSize: string): BlockDeviceMapping => ({
  deviceName,
  ebs: { encrypted: true, volumeType: 'gp3', volumeSize },
});

const windows = (year: string, build: string): ImageFamilyRow => ({
  images: [
    {
      requirements: [
        [
          { key: KubernetesLabel.os, operator: 'In', values: ['windows'] },
          { key: KubernetesLabel.windowsBuild, operator: 'In', values: [build] },
        ],
      ],
      parameter: (kubernetes) =>
        `/aws/service/ami-windows-latest/Windows_Server-${year}-English-Core-EKS_Optimized-${kubernetes}/image_id`,
    },
  ],
  disks: [disk('/dev/sda1', '50Gi')],
});

export const IMAGE_FAMILIES: Readonly<Record<AmiFamily, ImageFamilyRow>> = {
  AL2: {
    images: [
      al2('amazon-linux-2', 'amazon-eks-node', 'standard'),
      al2('amazon-linux-2-arm64', 'amazon-eks-arm64-node', 'standard'),
      al2('amazon-linux-2-gpu', 'amazon-eks-gpu-node', 'neuron', 'nvidia'),
    ],
    disks: [disk('/dev/xvda', '20Gi')],
  },
  AL2023: {
    images: [
      al2023('x86_64', 'standard'),
      al2023('x86_64', 'nvidia'),
      al2023('x86_64', 'neuron'),
      al2023('arm64', 'standard'),
      al2023('arm64', 'nvidia'),
    ],
    disks: [disk('/dev/xvda', '20Gi')],
  },
  Bottlerocket: {
    images: [
      bottlerocket('', 'x86_64', 'standard', 'neuron'),
      bottlerocket('', 'arm64', 'standard'),
      bottlerocket('-nvidia', 'x86_64', 'nvidia'),
      bottlerocket('-nvidia', 'arm64', 'nvidia'),
    ],
    disks: [disk('/dev/xvda', '4Gi'), disk('/dev/xvdb', '20Gi')],
  },
  Windows2019: windows('2019', '10.0.17763'),
  Windows2022: windows('2022', '10.0.20348'),
  Windows2025: windows('2025', '10.0.26100'),
  Custom: { images: [], disks: [] },
};

/** The disks of a node: those of its class replace those of its family, all of them. */
export function blockDeviceMappings(
  family: AmiFamily,
  own: readonly BlockDeviceMapping[] | undefined,
): readonly BlockDeviceMapping[] {
  return own === undefined || own.length === 0 ? IMAGE_FAMILIES[family].disks : own;
}
