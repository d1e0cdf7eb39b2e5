/** What the image families of EKS read, and which kubelet settings they honour: one row each. */
import type { AmiFamily } from './input.ts';

export type UserDataFormat = 'nodeadm' | 'bootstrapScript' | 'bottlerocket' | 'powershell' | 'verbatim';

export interface BootstrapFamilyRow {
  readonly format: UserDataFormat;
  /** `any` field of the kubelet's configuration, those of the table `KUBELET_SETTINGS`, or none at all. */
  readonly kubelet: 'any' | 'listed' | 'none';
  /** Listed settings that it does not honour all the same. */
  readonly refuses: readonly string[];
  readonly maxDnsServers: number;
  /** Whether it can combine the local disks of the instance. */
  readonly instanceStore: boolean;
}

const windows: BootstrapFamilyRow = {
  format: 'powershell',
  kubelet: 'listed',
  refuses: [],
  maxDnsServers: 1,
  instanceStore: false,
};

export const BOOTSTRAP_FAMILIES: Readonly<Record<AmiFamily, BootstrapFamilyRow>> = {
  AL2: { format: 'bootstrapScript', kubelet: 'listed', refuses: [], maxDnsServers: 1, instanceStore: true },
  AL2023: {
    format: 'nodeadm',
    kubelet: 'any',
    refuses: [],
    maxDnsServers: Number.POSITIVE_INFINITY,
    instanceStore: true,
  },
  Bottlerocket: {
    format: 'bottlerocket',
    kubelet: 'listed',
    refuses: ['podsPerCore'],
    maxDnsServers: 1,
    instanceStore: true,
  },
  Windows2019: windows,
  Windows2022: windows,
  Windows2025: windows,
  Custom: {
    format: 'verbatim',
    kubelet: 'none',
    refuses: [],
    maxDnsServers: Number.POSITIVE_INFINITY,
    instanceStore: false,
  },
};
