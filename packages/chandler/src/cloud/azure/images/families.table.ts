/**
 * The node images of AKS: per family its definitions in order of preference, each with the VMs it is for and the
 * name AKS has for it.
 * Source: karpenter-provider-azure (commit 352646f5) and AgentBaker's list of distributions, read 2026-08-21.
 */
export type FamilyName = 'Ubuntu2004' | 'Ubuntu2204' | 'Ubuntu2404' | 'AzureLinux2' | 'AzureLinux3';

/** Which VMs get an image: plain ones, those with trusted launch, those under FIPS, those with both. */
export type ImageVariant = 'plain' | 'trustedLaunch' | 'fips' | 'fipsTrustedLaunch';

export interface ImageDefinition {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  readonly hyperVGeneration: '1' | '2';
  readonly distro: string;
}

export interface Gallery {
  /** Public name of the community gallery. */
  readonly community: string;
  /** Of the shared gallery. */
  readonly resourceGroup: string;
  readonly name: string;
}

export interface ImageFamily {
  readonly name: FamilyName;
  readonly osSku: 'Ubuntu' | 'AzureLinux';
  /** What the label `os-sku-effective` says. */
  readonly label: string;
  readonly gallery: Gallery;
  readonly definitions: Readonly<Record<ImageVariant, readonly ImageDefinition[]>>;
}

const UBUNTU: Gallery = {
  community: 'AKSUbuntu-38d80f77-467a-481f-a8d4-09b6d4220bd2',
  resourceGroup: 'AKS-Ubuntu',
  name: 'AKSUbuntu',
};
const AZURE_LINUX: Gallery = {
  community: 'AKSAzureLinux-f7c7cda5-1c9a-4bdc-a222-9614c968580b',
  resourceGroup: 'AKS-AzureLinux',
  name: 'AKSAzureLinux',
};

const gen2 = (name: string, distro: string): ImageDefinition => ({
  name,
  architecture: 'amd64',
  hyperVGeneration: '2',
  distro,
});
const gen1 = (name: string, distro: string): ImageDefinition => ({
  ...gen2(name, distro),
  hyperVGeneration: '1',
});
const arm64 = (name: string, distro: string): ImageDefinition => ({
  ...gen2(name, distro),
  architecture: 'arm64',
});

const ubuntu = (release: '22.04' | '24.04') => {
  const short = release.replace('.', '');
  return {
    plain: [
      gen2(`${short}gen2containerd`, `aks-ubuntu-containerd-${release}-gen2`),
      gen1(`${short}containerd`, `aks-ubuntu-containerd-${release}`),
      arm64(`${short}gen2arm64containerd`, `aks-ubuntu-arm64-containerd-${release}-gen2`),
    ],
    trustedLaunch: [gen2(`${short}gen2TLcontainerd`, `aks-ubuntu-containerd-${release}-tl-gen2`)],
    fips: [],
    fipsTrustedLaunch: [],
  };
};

const azureLinux = (release: '2' | '3') => ({
  plain: [
    gen2(`V${release}gen2`, `aks-azurelinux-v${release}-gen2`),
    gen1(`V${release}`, `aks-azurelinux-v${release}`),
    arm64(`V${release}gen2arm64`, `aks-azurelinux-v${release}-arm64-gen2`),
  ],
  trustedLaunch: [gen2(`V${release}gen2TL`, `aks-azurelinux-v${release}-gen2-tl`)],
  fips: [
    gen2(`V${release}gen2fips`, `aks-azurelinux-v${release}-gen2-fips`),
    gen1(`V${release}fips`, `aks-azurelinux-v${release}-fips`),
    ...(release === '3' ? [arm64('V3gen2arm64fips', 'aks-azurelinux-v3-arm64-gen2-fips')] : []),
  ],
  fipsTrustedLaunch: [],
});

export const FAMILIES: Readonly<Record<FamilyName, ImageFamily>> = {
  Ubuntu2004: {
    name: 'Ubuntu2004',
    osSku: 'Ubuntu',
    label: 'Ubuntu',
    gallery: UBUNTU,
    definitions: {
      plain: [],
      trustedLaunch: [],
      fips: [
        gen2('2004gen2fipscontainerd', 'aks-ubuntu-fips-containerd-20.04-gen2'),
        gen1('2004fipscontainerd', 'aks-ubuntu-fips-containerd-20.04'),
      ],
      fipsTrustedLaunch: [],
    },
  },
  Ubuntu2204: {
    name: 'Ubuntu2204',
    osSku: 'Ubuntu',
    label: 'Ubuntu2204',
    gallery: UBUNTU,
    definitions: {
      ...ubuntu('22.04'),
      fipsTrustedLaunch: [gen2('2204gen2fipsTLcontainerd', 'aks-ubuntu-fips-containerd-22.04-tl-gen2')],
    },
  },
  Ubuntu2404: {
    name: 'Ubuntu2404',
    osSku: 'Ubuntu',
    label: 'Ubuntu2404',
    gallery: UBUNTU,
    definitions: ubuntu('24.04'),
  },
  AzureLinux2: {
    name: 'AzureLinux2',
    osSku: 'AzureLinux',
    label: 'AzureLinux2',
    gallery: AZURE_LINUX,
    definitions: azureLinux('2'),
  },
  AzureLinux3: {
    name: 'AzureLinux3',
    osSku: 'AzureLinux',
    label: 'AzureLinux3',
    gallery: AZURE_LINUX,
    definitions: azureLinux('3'),
  },
};
