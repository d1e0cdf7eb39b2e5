/**
 * What upstream's EC2NodeClass hash covers: the Go types under `spec`, with their names and order.
 * Version v5 (release 1.14.1) has the kubelet settings as a struct among them; v6 leaves them out here
 * and hashes them as a text beside.
 */
import {
  bool,
  duration,
  field,
  type GoField,
  ignored,
  int32,
  int64,
  list,
  map,
  pointer,
  quantityText,
  string,
  struct,
} from './structure.ts';

const blockDevice = struct('BlockDevice', [
  pointer('DeleteOnTermination', 'deleteOnTermination', bool),
  pointer('Encrypted', 'encrypted', bool),
  pointer('IOPS', 'iops', int64),
  pointer('KMSKeyID', 'kmsKeyID', string),
  pointer('SnapshotID', 'snapshotID', string),
  pointer('Throughput', 'throughput', int64),
  pointer('VolumeInitializationRate', 'volumeInitializationRate', int32),
  pointer('VolumeSize', 'volumeSize', quantityText),
  pointer('VolumeType', 'volumeType', string),
]);

const blockDeviceMapping = struct('BlockDeviceMapping', [
  pointer('DeviceName', 'deviceName', string),
  pointer('EBS', 'ebs', blockDevice),
  field('RootVolume', 'rootVolume', bool),
]);

const networkInterface = struct('NetworkInterface', [
  field('NetworkCardIndex', 'networkCardIndex', int32),
  field('DeviceIndex', 'deviceIndex', int32),
  field('InterfaceType', 'interfaceType', string),
]);

const metadataOptions = struct('MetadataOptions', [
  pointer('HTTPEndpoint', 'httpEndpoint', string),
  pointer('HTTPProtocolIPv6', 'httpProtocolIPv6', string),
  pointer('HTTPPutResponseHopLimit', 'httpPutResponseHopLimit', int64),
  pointer('HTTPTokens', 'httpTokens', string),
]);

const connectionTracking = struct('ConnectionTracking', [
  pointer('TCPEstablishedTimeout', 'tcpEstablishedTimeout', int32),
  pointer('UDPStreamTimeout', 'udpStreamTimeout', int32),
  pointer('UDPTimeout', 'udpTimeout', int32),
]);

const kubelet = struct('KubeletConfiguration', [
  field('ClusterDNS', 'clusterDNS', list(string)),
  pointer('MaxPods', 'maxPods', int32),
  pointer('PodsPerCore', 'podsPerCore', int32),
  field('SystemReserved', 'systemReserved', map(string)),
  field('KubeReserved', 'kubeReserved', map(string)),
  field('EvictionHard', 'evictionHard', map(string)),
  field('EvictionSoft', 'evictionSoft', map(string)),
  field('EvictionSoftGracePeriod', 'evictionSoftGracePeriod', map(duration)),
  pointer('EvictionMaxPodGracePeriod', 'evictionMaxPodGracePeriod', int32),
  pointer('ImageGCHighThresholdPercent', 'imageGCHighThresholdPercent', int32),
  pointer('ImageGCLowThresholdPercent', 'imageGCLowThresholdPercent', int32),
  pointer('CPUCFSQuota', 'cpuCFSQuota', bool),
]);

const specFields = (kubeletField: GoField): readonly GoField[] => [
  ignored('subnetSelectorTerms'),
  ignored('securityGroupSelectorTerms'),
  ignored('capacityReservationSelectorTerms'),
  pointer(
    'PlacementGroupSelector',
    'placementGroupSelector',
    struct('PlacementGroupSelector', [pointer('Name', 'name', string), pointer('ID', 'id', string)]),
  ),
  pointer('AssociatePublicIPAddress', 'associatePublicIPAddress', bool),
  ignored('ipPrefixCount'),
  ignored('amiSelectorTerms'),
  ignored('amiFamily'),
  pointer('UserData', 'userData', string),
  field('Role', 'role', string),
  pointer('InstanceProfile', 'instanceProfile', string),
  field('Tags', 'tags', map(string)),
  kubeletField,
  field('BlockDeviceMappings', 'blockDeviceMappings', list(blockDeviceMapping)),
  pointer('InstanceStorePolicy', 'instanceStorePolicy', string),
  field('NetworkInterfaces', 'networkInterfaces', list(networkInterface)),
  pointer('DetailedMonitoring', 'detailedMonitoring', bool),
  pointer('MetadataOptions', 'metadataOptions', metadataOptions),
  pointer('ConnectionTracking', 'connectionTracking', connectionTracking),
  pointer('Context', 'context', string),
  pointer(
    'CPUOptions',
    'cpuOptions',
    struct('CPUOptions', [pointer('NestedVirtualization', 'nestedVirtualization', string)]),
  ),
];

export const ec2NodeClassSpecV5 = struct(
  'EC2NodeClassSpec',
  specFields(pointer('Kubelet', 'kubelet', kubelet)),
);
export const ec2NodeClassSpecV6 = struct('EC2NodeClassSpec', specFields(ignored('kubelet')));
