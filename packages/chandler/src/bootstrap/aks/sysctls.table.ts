/**
 * Kernel parameters: what every node gets, and what the fields of `spec.linuxOSConfig.sysctls` are called in the kernel
 * and on the wire of AKS.
 * Source: AKS' sysctl file for nodes and its ARM model (SysctlConfig), read 2026-08-21.
 */
import type { Sysctls } from '../../api/index.ts';

export const BASE_SYSCTLS: Readonly<Record<string, string>> = {
  'net.ipv4.tcp_retries2': '8',
  'net.core.message_burst': '80',
  'net.core.message_cost': '40',
  'net.core.somaxconn': '16384',
  'net.ipv4.tcp_max_syn_backlog': '16384',
  'net.ipv4.neigh.default.gc_thresh1': '4096',
  'net.ipv4.neigh.default.gc_thresh2': '8192',
  'net.ipv4.neigh.default.gc_thresh3': '16384',
};

export interface SysctlName {
  readonly kernel: string;
  /** The field of SysctlConfig. */
  readonly arm: string;
}

export const SYSCTL_NAMES: Readonly<Record<keyof Sysctls, SysctlName>> = {
  fsAioMaxNr: { kernel: 'fs.aio-max-nr', arm: 'fsAioMaxNr' },
  fsFileMax: { kernel: 'fs.file-max', arm: 'fsFileMax' },
  fsInotifyMaxUserWatches: { kernel: 'fs.inotify.max_user_watches', arm: 'fsInotifyMaxUserWatches' },
  fsNrOpen: { kernel: 'fs.nr_open', arm: 'fsNrOpen' },
  kernelThreadsMax: { kernel: 'kernel.threads-max', arm: 'kernelThreadsMax' },
  netCoreNetdevMaxBacklog: { kernel: 'net.core.netdev_max_backlog', arm: 'netCoreNetdevMaxBacklog' },
  netCoreOptmemMax: { kernel: 'net.core.optmem_max', arm: 'netCoreOptmemMax' },
  netCoreRmemDefault: { kernel: 'net.core.rmem_default', arm: 'netCoreRmemDefault' },
  netCoreRmemMax: { kernel: 'net.core.rmem_max', arm: 'netCoreRmemMax' },
  netCoreSomaxconn: { kernel: 'net.core.somaxconn', arm: 'netCoreSomaxconn' },
  netCoreWmemDefault: { kernel: 'net.core.wmem_default', arm: 'netCoreWmemDefault' },
  netCoreWmemMax: { kernel: 'net.core.wmem_max', arm: 'netCoreWmemMax' },
  netIPv4IPLocalPortRange: { kernel: 'net.ipv4.ip_local_port_range', arm: 'netIpv4IpLocalPortRange' },
  netIPv4NeighDefaultGcThresh1: {
    kernel: 'net.ipv4.neigh.default.gc_thresh1',
    arm: 'netIpv4NeighDefaultGcThresh1',
  },
  netIPv4NeighDefaultGcThresh2: {
    kernel: 'net.ipv4.neigh.default.gc_thresh2',
    arm: 'netIpv4NeighDefaultGcThresh2',
  },
  netIPv4NeighDefaultGcThresh3: {
    kernel: 'net.ipv4.neigh.default.gc_thresh3',
    arm: 'netIpv4NeighDefaultGcThresh3',
  },
  netIPv4TCPFinTimeout: { kernel: 'net.ipv4.tcp_fin_timeout', arm: 'netIpv4TcpFinTimeout' },
  // QUIRK, kept for the wire: a small k.
  netIPv4TCPKeepaliveIntvl: { kernel: 'net.ipv4.tcp_keepalive_intvl', arm: 'netIpv4TcpkeepaliveIntvl' },
  netIPv4TCPKeepaliveProbes: { kernel: 'net.ipv4.tcp_keepalive_probes', arm: 'netIpv4TcpKeepaliveProbes' },
  netIPv4TCPKeepaliveTime: { kernel: 'net.ipv4.tcp_keepalive_time', arm: 'netIpv4TcpKeepaliveTime' },
  netIPv4TCPMaxSynBacklog: { kernel: 'net.ipv4.tcp_max_syn_backlog', arm: 'netIpv4TcpMaxSynBacklog' },
  netIPv4TCPMaxTwBuckets: { kernel: 'net.ipv4.tcp_max_tw_buckets', arm: 'netIpv4TcpMaxTwBuckets' },
  netIPv4TCPTwReuse: { kernel: 'net.ipv4.tcp_tw_reuse', arm: 'netIpv4TcpTwReuse' },
  netNetfilterNfConntrackBuckets: {
    kernel: 'net.netfilter.nf_conntrack_buckets',
    arm: 'netNetfilterNfConntrackBuckets',
  },
  netNetfilterNfConntrackMax: {
    kernel: 'net.netfilter.nf_conntrack_max',
    arm: 'netNetfilterNfConntrackMax',
  },
  vmMaxMapCount: { kernel: 'vm.max_map_count', arm: 'vmMaxMapCount' },
  vmSwappiness: { kernel: 'vm.swappiness', arm: 'vmSwappiness' },
  vmVfsCachePressure: { kernel: 'vm.vfs_cache_pressure', arm: 'vmVfsCachePressure' },
};
