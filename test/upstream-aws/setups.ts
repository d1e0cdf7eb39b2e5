/** Node classes and options for which types are compared, in the form that the Go program reads. */
export interface Setup {
  readonly name: string;
  readonly amiFamily: string;
  readonly kubelet?: Readonly<Record<string, unknown>>;
  readonly disks?: readonly {
    readonly device: string;
    readonly rootVolume?: boolean;
    readonly volumeSize?: string;
  }[];
  readonly raid0?: boolean;
  readonly interfaces?: readonly {
    readonly networkCardIndex: number;
    readonly deviceIndex: number;
    readonly interfaceType: 'interface' | 'efa-only';
  }[];
  readonly options: { readonly reservedEnis: number; readonly memoryOverhead: number };
}

const DEFAULTS = { reservedEnis: 0, memoryOverhead: 0.075 };

export const SETUPS: readonly Setup[] = [
  { name: 'AL2023', amiFamily: 'AL2023', options: DEFAULTS },
  { name: 'AL2', amiFamily: 'AL2', options: DEFAULTS },
  { name: 'Bottlerocket', amiFamily: 'Bottlerocket', options: DEFAULTS },
  { name: 'Custom', amiFamily: 'Custom', options: DEFAULTS },
  { name: 'Windows2019', amiFamily: 'Windows2019', options: DEFAULTS },
  { name: 'Windows2022', amiFamily: 'Windows2022', options: DEFAULTS },
  { name: 'Windows2025', amiFamily: 'Windows2025', options: DEFAULTS },
  {
    name: 'maxPods and podsPerCore',
    amiFamily: 'AL2023',
    kubelet: { maxPods: 110, podsPerCore: 10 },
    options: DEFAULTS,
  },
  {
    name: 'maxPods on Bottlerocket',
    amiFamily: 'Bottlerocket',
    kubelet: { maxPods: 50, podsPerCore: 3 },
    options: DEFAULTS,
  },
  {
    name: 'own reservations',
    amiFamily: 'AL2023',
    kubelet: {
      kubeReserved: { cpu: '250m', 'ephemeral-storage': '3Gi', pid: '1000' },
      systemReserved: { cpu: '100m', memory: '120Mi', 'ephemeral-storage': '2G' },
    },
    options: DEFAULTS,
  },
  {
    name: 'evictionHard as quantities',
    amiFamily: 'AL2023',
    kubelet: {
      evictionHard: { 'memory.available': '750Mi', 'nodefs.available': '5Gi', 'imagefs.available': '9%' },
      evictionSoft: { 'memory.available': '9Gi' },
    },
    options: DEFAULTS,
  },
  {
    name: 'evictionHard in percent',
    amiFamily: 'AL2',
    kubelet: { evictionHard: { 'memory.available': '5.5%', 'nodefs.available': '100%' } },
    options: DEFAULTS,
  },
  {
    name: 'RAID0, reserved interfaces, other memory overhead',
    amiFamily: 'AL2023',
    raid0: true,
    options: { reservedEnis: 1, memoryOverhead: 0.0123 },
  },
  {
    name: 'all interfaces reserved',
    amiFamily: 'Bottlerocket',
    options: { reservedEnis: 20, memoryOverhead: 0 },
  },
  {
    name: 'a root volume',
    amiFamily: 'Bottlerocket',
    disks: [
      { device: '/dev/xvda', volumeSize: '40Gi' },
      { device: '/dev/xvdc', rootVolume: true, volumeSize: '1T' },
      { device: '/dev/xvdb', volumeSize: '60Gi' },
    ],
    options: DEFAULTS,
  },
  {
    name: 'the device of the family',
    amiFamily: 'Bottlerocket',
    disks: [
      { device: '/dev/xvdb', volumeSize: '77G' },
      { device: '/dev/xvda', volumeSize: '4Gi' },
    ],
    options: DEFAULTS,
  },
  {
    name: 'disks without a size, and another device',
    amiFamily: 'AL2023',
    disks: [{ device: '/dev/xvda' }, { device: '/dev/xvdb', volumeSize: '500Gi' }],
    options: DEFAULTS,
  },
  {
    name: 'the last disk of a custom image',
    amiFamily: 'Custom',
    disks: [
      { device: '/dev/xvda', volumeSize: '4Gi' },
      { device: '/dev/xvdb', volumeSize: '33Gi' },
    ],
    options: DEFAULTS,
  },
  {
    name: 'EFA interfaces',
    amiFamily: 'AL2023',
    interfaces: [
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
      { networkCardIndex: 0, deviceIndex: 1, interfaceType: 'efa-only' },
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
    ],
    options: DEFAULTS,
  },
];
