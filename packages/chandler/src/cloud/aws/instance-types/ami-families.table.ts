/**
 * What an AMI family decides about capacity: which disk holds the pods, how many pods a node may have, and what the
 * kubelet reserves. Which images a family has, and their user data, others know.
 */
export interface AmiFamilyTraits {
  /** The name in an alias such as `al2023@latest`; Custom has none. */
  readonly alias?: string;
  /** The sizes of its default disks, by device. Custom has those of the image. */
  readonly defaultDisks: Readonly<Record<string, string>>;
  /** The device that holds what pods write. Absent: the last one of the list. */
  readonly ephemeralDevice?: string;
  /** The kubelet reserves memory for as many pods as the interfaces have addresses for, not for maxPods. */
  readonly reservesMemoryForEniPods: boolean;
  /** Whether its kubelet reads podsPerCore. */
  readonly podsPerCore: boolean;
  /** Whether pods get addresses from the interfaces, so that these limit their number. */
  readonly eniLimitedPods: boolean;
  /** `node.kubernetes.io/windows-build` of Windows. */
  readonly windowsBuild?: string;
}

const AMAZON_LINUX = {
  defaultDisks: { '/dev/xvda': '20Gi' },
  ephemeralDevice: '/dev/xvda',
  reservesMemoryForEniPods: true,
  podsPerCore: true,
  eniLimitedPods: true,
} as const;

const WINDOWS = {
  defaultDisks: { '/dev/sda1': '50Gi' },
  ephemeralDevice: '/dev/sda1',
  reservesMemoryForEniPods: false,
  podsPerCore: true,
  eniLimitedPods: false,
} as const;

export const AMI_FAMILY_TRAITS = {
  AL2: { ...AMAZON_LINUX, alias: 'al2' },
  AL2023: { ...AMAZON_LINUX, alias: 'al2023' },
  Bottlerocket: {
    alias: 'bottlerocket',
    defaultDisks: { '/dev/xvda': '4Gi', '/dev/xvdb': '20Gi' },
    ephemeralDevice: '/dev/xvdb',
    reservesMemoryForEniPods: false,
    podsPerCore: false,
    eniLimitedPods: true,
  },
  Custom: { defaultDisks: {}, reservesMemoryForEniPods: true, podsPerCore: true, eniLimitedPods: true },
  Windows2019: { ...WINDOWS, alias: 'windows2019', windowsBuild: '10.0.17763' },
  Windows2022: { ...WINDOWS, alias: 'windows2022', windowsBuild: '10.0.20348' },
  Windows2025: { ...WINDOWS, alias: 'windows2025', windowsBuild: '10.0.26100' },
} as const satisfies Readonly<Record<string, AmiFamilyTraits>>;

export type AmiFamily = keyof typeof AMI_FAMILY_TRAITS;

/** Where nothing says how large the disk is. */
export const DEFAULT_DISK = '20Gi';
