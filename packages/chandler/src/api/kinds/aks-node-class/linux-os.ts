/**
 * Settings of the Linux kernel and of swap on a node.
 */
import {
  choice,
  flag,
  integer,
  type Optional,
  object,
  optional,
  type Rule,
  type Static,
  text,
} from '../../schema/schema.ts';
import { SIZE } from '../patterns.ts';

const PORT_RANGE = 'netIPv4IPLocalPortRange';
const port = (index: 0 | 1) => `int(self.${PORT_RANGE}.split(' ')[${index}])`;
const FIRST = port(0);
const LAST = port(1);

const sysctls = object(
  'Kernel parameters.',
  {
    fsAioMaxNr: bounded('fs.aio-max-nr: maximum asynchronous I/O requests of the VM.', 65536, 6553500),
    fsFileMax: bounded('fs.file-max: maximum open files of the VM.', 8192, 12000500),
    fsInotifyMaxUserWatches: bounded('fs.inotify.max_user_watches: watched files per user.', 781250, 2097152),
    fsNrOpen: bounded('fs.nr_open: open files per process.', 8192, 20000500),
    kernelThreadsMax: bounded('kernel.threads-max: maximum threads of the VM.', 20, 513785),
    netCoreNetdevMaxBacklog: bounded(
      'net.core.netdev_max_backlog: maximum received packets in the queue.',
      1000,
      3240000,
    ),
    netCoreOptmemMax: bounded('net.core.optmem_max: bytes of options per socket.', 20480, 4194304),
    netCoreRmemDefault: bounded(
      'net.core.rmem_default: default receive buffer of a socket, in bytes.',
      212992,
      134217728,
    ),
    netCoreRmemMax: bounded(
      'net.core.rmem_max: maximum receive buffer of a socket, in bytes.',
      212992,
      134217728,
    ),
    netCoreSomaxconn: bounded('net.core.somaxconn: connections waiting to be accepted.', 4096, 3240000),
    netCoreWmemDefault: bounded(
      'net.core.wmem_default: default send buffer of a socket, in bytes.',
      212992,
      134217728,
    ),
    netCoreWmemMax: bounded(
      'net.core.wmem_max: maximum send buffer of a socket, in bytes.',
      212992,
      134217728,
    ),
    netIPv4IPLocalPortRange: optional(
      text(
        'net.ipv4.ip_local_port_range: first and last port for outgoing connections, with a space between.',
        {
          pattern: '^\\d{1,5} \\d{1,5}$',
          maxLength: 11,
        },
      ),
    ),
    netIPv4NeighDefaultGcThresh1: bounded(
      'net.ipv4.neigh.default.gc_thresh1: minimum entries in the neighbour cache.',
      128,
      80000,
    ),
    netIPv4NeighDefaultGcThresh2: bounded(
      'net.ipv4.neigh.default.gc_thresh2: soft maximum of entries in the neighbour cache.',
      512,
      90000,
    ),
    netIPv4NeighDefaultGcThresh3: bounded(
      'net.ipv4.neigh.default.gc_thresh3: maximum entries in the neighbour cache.',
      1024,
      100000,
    ),
    netIPv4TCPFinTimeout: bounded('net.ipv4.tcp_fin_timeout: seconds in FIN-WAIT-2.', 5, 120),
    netIPv4TCPKeepaliveIntvl: bounded('net.ipv4.tcp_keepalive_intvl: seconds between probes.', 10, 90),
    netIPv4TCPKeepaliveProbes: bounded('net.ipv4.tcp_keepalive_probes: probes before giving up.', 1, 15),
    netIPv4TCPKeepaliveTime: bounded('net.ipv4.tcp_keepalive_time: idle seconds before probing.', 30, 432000),
    netIPv4TCPMaxSynBacklog: bounded('net.ipv4.tcp_max_syn_backlog: half-open connections.', 128, 3240000),
    netIPv4TCPMaxTwBuckets: bounded('net.ipv4.tcp_max_tw_buckets: sockets in TIME-WAIT.', 8000, 1440000),
    netIPv4TCPTwReuse: optional(flag('net.ipv4.tcp_tw_reuse: whether sockets in TIME-WAIT are reused.')),
    netNetfilterNfConntrackBuckets: bounded(
      'net.netfilter.nf_conntrack_buckets: size of the hash table of connections.',
      65536,
      524288,
    ),
    netNetfilterNfConntrackMax: bounded(
      'net.netfilter.nf_conntrack_max: tracked connections.',
      131072,
      2097152,
    ),
    vmMaxMapCount: bounded('vm.max_map_count: memory maps per process.', 65530, 262144),
    vmSwappiness: bounded('vm.swappiness: how eagerly memory is swapped out.', 0, 100),
    vmVfsCachePressure: bounded('vm.vfs_cache_pressure: how eagerly cached directories are dropped.', 0, 100),
  },
  {
    rules: [
      atMost('netCoreRmemDefault', 'netCoreRmemMax'),
      atMost('netCoreWmemDefault', 'netCoreWmemMax'),
      atMost('netIPv4NeighDefaultGcThresh1', 'netIPv4NeighDefaultGcThresh2'),
      atMost('netIPv4NeighDefaultGcThresh2', 'netIPv4NeighDefaultGcThresh3'),
      ports('first port must be in [1024, 60999]', `${FIRST} >= 1024 && ${FIRST} <= 60999`),
      ports('last port must be in [32768, 65535]', `${LAST} >= 32768 && ${LAST} <= 65535`),
      ports('first port must be <= last port', `${FIRST} <= ${LAST}`),
    ],
  },
);
export type Sysctls = Static<typeof sysctls>;

export const linuxOSConfig = object('Settings of the operating system.', {
  swapFileSize: optional(
    text('The size of the swap file; it requires kubelet.failSwapOn: false.', { pattern: SIZE }),
  ),
  transparentHugePageEnabled: optional(
    choice('When the kernel backs memory with huge pages.', ['always', 'madvise', 'never']),
  ),
  transparentHugePageDefrag: optional(
    choice('How aggressively the kernel defragments memory for huge pages.', [
      'always',
      'defer',
      'defer+madvise',
      'madvise',
      'never',
    ]),
  ),
  sysctls: optional(sysctls),
});
export type LinuxOSConfig = Static<typeof linuxOSConfig>;

// ---------------------------------------------------------------------------------------------------------------

function bounded(description: string, minimum: number, maximum: number): Optional<number> {
  return optional(integer(description, { minimum, maximum }));
}

function atMost(lower: string, upper: string): Rule {
  return {
    message: `${lower} must be <= ${upper}`,
    rule: `!has(self.${lower}) || !has(self.${upper}) || self.${lower} <= self.${upper}`,
  };
}

function ports(demand: string, test: string): Rule {
  return { message: `${PORT_RANGE} ${demand}`, rule: `!has(self.${PORT_RANGE}) || (${test})` };
}
