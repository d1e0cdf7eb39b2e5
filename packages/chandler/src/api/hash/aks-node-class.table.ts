/** What upstream's AKSNodeClass hash covers: the Go types under `spec`, with their names and order. */
import {
  bool,
  duration,
  field,
  ignored,
  int32,
  int64,
  list,
  nillableDuration,
  pointer,
  string,
  struct,
} from './structure.ts';

const kubelet = struct('KubeletConfiguration', [
  pointer('CPUManagerPolicy', 'cpuManagerPolicy', string),
  pointer('CPUCFSQuota', 'cpuCFSQuota', bool),
  field('CPUCFSQuotaPeriod', 'cpuCFSQuotaPeriod', duration),
  pointer('ImageGCHighThresholdPercent', 'imageGCHighThresholdPercent', int32),
  pointer('ImageGCLowThresholdPercent', 'imageGCLowThresholdPercent', int32),
  pointer('TopologyManagerPolicy', 'topologyManagerPolicy', string),
  field('AllowedUnsafeSysctls', 'allowedUnsafeSysctls', list(string)),
  pointer('ContainerLogMaxSize', 'containerLogMaxSize', string),
  pointer('ContainerLogMaxFiles', 'containerLogMaxFiles', int32),
  pointer('PodPidsLimit', 'podPidsLimit', int64),
  pointer('FailSwapOn', 'failSwapOn', bool),
]);

const security = struct('Security', [
  pointer('EncryptionAtHost', 'encryptionAtHost', bool),
  pointer(
    'TrustedLaunch',
    'trustedLaunch',
    struct('TrustedLaunch', [pointer('VTPM', 'vtpm', bool), pointer('SecureBoot', 'secureBoot', bool)]),
  ),
]);

const zoneOverride = struct('LocalDNSZoneOverride', [
  field('Zone', 'zone', string),
  field('QueryLogging', 'queryLogging', string),
  field('Protocol', 'protocol', string),
  field('ForwardDestination', 'forwardDestination', string),
  field('ForwardPolicy', 'forwardPolicy', string),
  pointer('MaxConcurrent', 'maxConcurrent', int32),
  field('CacheDuration', 'cacheDuration', nillableDuration),
  field('ServeStaleDuration', 'serveStaleDuration', nillableDuration),
  field('ServeStale', 'serveStale', string),
]);

const localDns = struct('LocalDNS', [
  field('Mode', 'mode', string),
  field('VnetDNSOverrides', 'vnetDNSOverrides', list(zoneOverride)),
  field('KubeDNSOverrides', 'kubeDNSOverrides', list(zoneOverride)),
]);

const sysctls = struct('SysctlConfiguration', [
  pointer('FsAioMaxNr', 'fsAioMaxNr', int32),
  pointer('FsFileMax', 'fsFileMax', int32),
  pointer('FsInotifyMaxUserWatches', 'fsInotifyMaxUserWatches', int32),
  pointer('FsNrOpen', 'fsNrOpen', int32),
  pointer('KernelThreadsMax', 'kernelThreadsMax', int32),
  pointer('NetCoreNetdevMaxBacklog', 'netCoreNetdevMaxBacklog', int32),
  pointer('NetCoreOptmemMax', 'netCoreOptmemMax', int32),
  pointer('NetCoreRmemDefault', 'netCoreRmemDefault', int32),
  pointer('NetCoreRmemMax', 'netCoreRmemMax', int32),
  pointer('NetCoreSomaxconn', 'netCoreSomaxconn', int32),
  pointer('NetCoreWmemDefault', 'netCoreWmemDefault', int32),
  pointer('NetCoreWmemMax', 'netCoreWmemMax', int32),
  pointer('NetIPv4IPLocalPortRange', 'netIPv4IPLocalPortRange', string),
  pointer('NetIPv4NeighDefaultGcThresh1', 'netIPv4NeighDefaultGcThresh1', int32),
  pointer('NetIPv4NeighDefaultGcThresh2', 'netIPv4NeighDefaultGcThresh2', int32),
  pointer('NetIPv4NeighDefaultGcThresh3', 'netIPv4NeighDefaultGcThresh3', int32),
  pointer('NetIPv4TCPFinTimeout', 'netIPv4TCPFinTimeout', int32),
  pointer('NetIPv4TCPKeepaliveProbes', 'netIPv4TCPKeepaliveProbes', int32),
  pointer('NetIPv4TCPKeepaliveTime', 'netIPv4TCPKeepaliveTime', int32),
  pointer('NetIPv4TCPMaxSynBacklog', 'netIPv4TCPMaxSynBacklog', int32),
  pointer('NetIPv4TCPMaxTwBuckets', 'netIPv4TCPMaxTwBuckets', int32),
  pointer('NetIPv4TCPTwReuse', 'netIPv4TCPTwReuse', bool),
  pointer('NetIPv4TCPKeepaliveIntvl', 'netIPv4TCPKeepaliveIntvl', int32),
  pointer('NetNetfilterNfConntrackBuckets', 'netNetfilterNfConntrackBuckets', int32),
  pointer('NetNetfilterNfConntrackMax', 'netNetfilterNfConntrackMax', int32),
  pointer('VMMaxMapCount', 'vmMaxMapCount', int32),
  pointer('VMSwappiness', 'vmSwappiness', int32),
  pointer('VMVfsCachePressure', 'vmVfsCachePressure', int32),
]);

const linuxOsConfig = struct('LinuxOSConfiguration', [
  pointer('SwapFileSize', 'swapFileSize', string),
  pointer('Sysctls', 'sysctls', sysctls),
  pointer('TransparentHugePageDefrag', 'transparentHugePageDefrag', string),
  pointer('TransparentHugePageEnabled', 'transparentHugePageEnabled', string),
]);

/** Go's struct has ImageID between OSDiskSizeGB and ImageFamily; it has no JSON name, so it is never set. */
export const aksNodeClassSpec = struct('AKSNodeClassSpec', [
  pointer('VNETSubnetID', 'vnetSubnetID', string),
  pointer('OSDiskSizeGB', 'osDiskSizeGB', int32),
  pointer('ImageFamily', 'imageFamily', string),
  pointer('FIPSMode', 'fipsMode', string),
  ignored('tags'),
  pointer('Kubelet', 'kubelet', kubelet),
  pointer('MaxPods', 'maxPods', int32),
  pointer('Security', 'security', security),
  pointer('LocalDNS', 'localDNS', localDns),
  pointer('GPU', 'gpu', struct('GPU', [pointer('Mode', 'mode', string)])),
  pointer(
    'ArtifactStreaming',
    'artifactStreaming',
    struct('ArtifactStreaming', [pointer('Enabled', 'enabled', bool)]),
  ),
  pointer('LinuxOSConfig', 'linuxOSConfig', linuxOsConfig),
]);
