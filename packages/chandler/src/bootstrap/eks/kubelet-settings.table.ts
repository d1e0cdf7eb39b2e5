/**
 * The kubelet settings that every image family of EKS knows, in the order of the kubelet's command line: the field of the
 * configuration file, the flag, and the setting of Bottlerocket.
 */
export type KubeletValueType = 'integer' | 'boolean' | 'list' | 'quantities' | 'thresholds' | 'durations';

export interface KubeletSettingRow {
  readonly field: string;
  readonly type: KubeletValueType;
  /** Without the dashes; absent where the bootstrap script has an argument of its own. */
  readonly flag?: string;
  /** Between key and value of a map on the command line. */
  readonly separator?: '=' | '<';
  /** The key under `settings.kubernetes`; absent where Bottlerocket has none. */
  readonly bottlerocket?: string;
  /** Bottlerocket wants the number as a string. */
  readonly bottlerocketText?: true;
}

export const KUBELET_SETTINGS: readonly KubeletSettingRow[] = [
  { field: 'clusterDNS', type: 'list', bottlerocket: 'cluster-dns-ip' },
  { field: 'maxPods', type: 'integer', flag: 'max-pods', bottlerocket: 'max-pods' },
  { field: 'podsPerCore', type: 'integer', flag: 'pods-per-core' },
  {
    field: 'systemReserved',
    type: 'quantities',
    flag: 'system-reserved',
    separator: '=',
    bottlerocket: 'system-reserved',
  },
  {
    field: 'kubeReserved',
    type: 'quantities',
    flag: 'kube-reserved',
    separator: '=',
    bottlerocket: 'kube-reserved',
  },
  {
    field: 'evictionHard',
    type: 'thresholds',
    flag: 'eviction-hard',
    separator: '<',
    bottlerocket: 'eviction-hard',
  },
  {
    field: 'evictionSoft',
    type: 'thresholds',
    flag: 'eviction-soft',
    separator: '<',
    bottlerocket: 'eviction-soft',
  },
  {
    field: 'evictionSoftGracePeriod',
    type: 'durations',
    flag: 'eviction-soft-grace-period',
    separator: '=',
    bottlerocket: 'eviction-soft-grace-period',
  },
  {
    field: 'evictionMaxPodGracePeriod',
    type: 'integer',
    flag: 'eviction-max-pod-grace-period',
    bottlerocket: 'eviction-max-pod-grace-period',
  },
  {
    field: 'imageGCHighThresholdPercent',
    type: 'integer',
    flag: 'image-gc-high-threshold',
    bottlerocket: 'image-gc-high-threshold-percent',
    bottlerocketText: true,
  },
  {
    field: 'imageGCLowThresholdPercent',
    type: 'integer',
    flag: 'image-gc-low-threshold',
    bottlerocket: 'image-gc-low-threshold-percent',
    bottlerocketText: true,
  },
  { field: 'cpuCFSQuota', type: 'boolean', flag: 'cpu-cfs-quota', bottlerocket: 'cpu-cfs-quota-enforced' },
];
