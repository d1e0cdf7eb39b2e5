/**
 * The node images that AKS publishes: gallery, definition, generation, architecture, size of the OS disk in GB, whether
 * it is made for Trusted Launch, and whether the community gallery has it too (FIPS and confidential ones are only in the
 * shared gallery). `others` are in the list of node image versions and nowhere else.
 * Source: answers of the node image versions API (Microsoft.ContainerService, 2025-12) and of the community galleries.
 */
export type GalleryName = 'AKSUbuntu' | 'AKSAzureLinux';

export type ImageDefinitionRow = readonly [
  gallery: GalleryName,
  definition: string,
  generation: 'V1' | 'V2',
  architecture: 'x64' | 'Arm64',
  osDiskSizeGB: number,
  trustedLaunch: boolean,
  community: boolean,
];

export const IMAGE_DEFINITIONS: readonly ImageDefinitionRow[] = [
  ['AKSUbuntu', '2004gen2fipscontainerd', 'V2', 'x64', 30, false, false],
  ['AKSUbuntu', '2004fipscontainerd', 'V1', 'x64', 30, false, false],
  ['AKSUbuntu', '2204gen2containerd', 'V2', 'x64', 30, false, true],
  ['AKSUbuntu', '2204containerd', 'V1', 'x64', 30, false, true],
  ['AKSUbuntu', '2204gen2arm64containerd', 'V2', 'Arm64', 30, false, true],
  ['AKSUbuntu', '2204gen2TLcontainerd', 'V2', 'x64', 30, true, true],
  ['AKSUbuntu', '2204gen2fipsTLcontainerd', 'V2', 'x64', 30, true, false],
  ['AKSUbuntu', '2204gen2fipscontainerd', 'V2', 'x64', 30, false, false],
  ['AKSUbuntu', '2404gen2containerd', 'V2', 'x64', 30, false, true],
  ['AKSUbuntu', '2404containerd', 'V1', 'x64', 30, false, true],
  ['AKSUbuntu', '2404gen2arm64containerd', 'V2', 'Arm64', 30, false, true],
  ['AKSUbuntu', '2404gen2TLcontainerd', 'V2', 'x64', 30, true, true],
  ['AKSUbuntu', '2404gen2CVMcontainerd', 'V2', 'x64', 30, true, false],
  ['AKSAzureLinux', 'V2gen2', 'V2', 'x64', 30, false, true],
  ['AKSAzureLinux', 'V2', 'V1', 'x64', 30, false, true],
  ['AKSAzureLinux', 'V2gen2arm64', 'V2', 'Arm64', 30, false, true],
  ['AKSAzureLinux', 'V2gen2TL', 'V2', 'x64', 30, true, true],
  ['AKSAzureLinux', 'V2gen2fips', 'V2', 'x64', 30, false, false],
  ['AKSAzureLinux', 'V2fips', 'V1', 'x64', 30, false, false],
  ['AKSAzureLinux', 'V3gen2', 'V2', 'x64', 30, false, true],
  ['AKSAzureLinux', 'V3', 'V1', 'x64', 30, false, true],
  ['AKSAzureLinux', 'V3gen2arm64', 'V2', 'Arm64', 30, false, true],
  ['AKSAzureLinux', 'V3gen2TL', 'V2', 'x64', 30, true, true],
  ['AKSAzureLinux', 'V3gen2fips', 'V2', 'x64', 30, false, false],
  ['AKSAzureLinux', 'V3fips', 'V1', 'x64', 30, false, false],
  ['AKSAzureLinux', 'V3gen2arm64fips', 'V2', 'Arm64', 30, false, false],
];

/** Versions that every definition has from the start, oldest first: version and day of publication. */
export const FIRST_VERSIONS: readonly (readonly [version: string, publishedDate: string])[] = [
  ['202509.05.0', '2025-09-09T00:00:00Z'],
  ['202510.29.0', '2025-11-03T00:00:00Z'],
  ['202511.20.0', '2025-11-25T00:00:00Z'],
  ['202512.06.0', '2025-12-10T00:00:00Z'],
  ['202512.18.0', '2025-12-21T00:00:00Z'],
];

/** What else the list of node image versions holds: os, sku, version. */
export const OTHER_NODE_IMAGES: readonly (readonly [os: string, sku: string, version: string])[] = [
  ['AKSUbuntu', '2204gen2containerd', '2022.10.03'],
  ['AKSUbuntu', '2204minimalcontainerd', '202401.12.0'],
  ['AKSUbuntuEdgeZone', '2204gen2containerd', '202512.18.0'],
  ['AKSCBLMariner', 'V2gen2', '202512.18.0'],
  ['AKSCBLMariner', 'V1', '202308.28.0'],
  ['AKSFlatcar', 'flatcargen2', '202512.18.0'],
  ['AKSAzureLinux', 'V3katagen2', '202512.18.0'],
  ['AKSWindows', 'windows-2022-containerd', '20348.4529.251212'],
  ['AKSWindows', 'windows-2025-gen2', '26100.7462.251212'],
];
