/**
 * Random NodePools, AKSNodeClasses and EC2NodeClasses from a seed: every hashed field, and the edges
 * where Go's idea of "zero" shows: absent, null-free empties, zeros behind pointers, `Never`, duplicates.
 * They need not pass the schemas; the hash must agree on anything Go can decode.
 */
import { Seeded } from './seeded.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
type Make = () => Json;

export class RandomObjects extends Seeded {
  nodePool(): Json {
    return { metadata: { name: 'random' }, spec: { template: this.#template(), weight: 10 } };
  }

  aksNodeClass(): Json {
    const zone = () => this.object(ZONE_FIELDS(this));
    return { spec: this.object(AKS_FIELDS(this, zone)) };
  }

  ec2NodeClass(): Json {
    return { spec: this.object(EC2_FIELDS(this)) };
  }

  readonly text = (): Json => this.pick(TEXTS);
  readonly flag = (): Json => this.next() < 0.5;
  readonly int32 = (): Json =>
    this.pick([0, 1, -1, 30, 128, 2 ** 31 - 1, -(2 ** 31), Math.floor(this.next() * 1e6)]);
  readonly int64 = (): Json =>
    this.pick([0, 1, -1, 2 ** 40, Number.MAX_SAFE_INTEGER, Math.floor(this.next() * 1e12)]);
  readonly duration = (): Json =>
    this.pick(['0s', '30s', '1h30m', '100ms', '1.5h', '720h', '-5m', '1us', '1h0m0s']);
  readonly nillable = (): Json => this.pick(['Never', 'Never', '0s', '720h', '30m', '1h30m', '168h']);
  readonly quantity = (): Json =>
    this.pick(['20Gi', '100G', '1.5Ti', '1024Gi', '2000M', '0', '59000Gi', '1e3', 40]);
  readonly oneOf =
    (choices: readonly Json[]): Make =>
    () =>
      this.pick(choices);

  /** Up to three items, sometimes the same one twice. */
  readonly list =
    (item: Make): Make =>
    () => {
      const items = Array.from({ length: Math.floor(this.next() * 4) }, item);
      return items.length > 0 && this.next() < 0.2 ? [...items, items[0]!] : items;
    };

  readonly map =
    (item: Make): Make =>
    () =>
      Object.fromEntries(
        Array.from({ length: Math.floor(this.next() * 4) }, () => [String(this.text()), item()]),
      );

  /** Each field is there half of the time; now and then nearly all or none of them are. */
  object(fields: Record<string, Make>): Json {
    const share = this.pick([0, 0.2, 0.5, 0.5, 0.9, 1]);
    const present = Object.entries(fields).filter(() => this.next() < share);
    return Object.fromEntries(present.map(([name, make]) => [name, make()]));
  }

  readonly some =
    (fields: Record<string, Make>): Make =>
    () =>
      this.object(fields);

  #template(): Json {
    const taint = this.some({
      key: this.text,
      value: this.text,
      effect: this.oneOf(['NoSchedule', 'NoExecute', 'PreferNoSchedule', '']),
      timeAdded: this.oneOf([
        '2026-08-21T10:00:00Z',
        '1999-12-31T23:59:59Z',
        '2026-08-21T10:00:00.123456789Z',
      ]),
    });
    return this.object({
      metadata: this.some({ labels: this.map(this.text), annotations: this.map(this.text) }),
      spec: this.some({
        taints: this.list(taint),
        startupTaints: this.list(taint),
        requirements: this.oneOf([[], [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }]]),
        nodeClassRef: this.some({ kind: this.text, name: this.text, group: this.text }),
        terminationGracePeriod: this.duration,
        expireAfter: this.nillable,
      }),
    });
  }
}

// ---------------------------------------------------------------------------------------------

const TEXTS = ['', 'a', 'b', 'k', 'default', 'karpenter.sh/x', 'Ünïcode-日本-🚢', '<&>"\\\n', 'x'.repeat(70)];

const ZONE_FIELDS = (random: RandomObjects): Record<string, Make> => ({
  zone: random.oneOf(['.', 'cluster.local', 'example.com', '']),
  queryLogging: random.oneOf(['Error', 'Log']),
  protocol: random.oneOf(['PreferUDP', 'ForceTCP']),
  forwardDestination: random.oneOf(['ClusterCoreDNS', 'VnetDNS']),
  forwardPolicy: random.oneOf(['Sequential', 'RoundRobin', 'Random']),
  maxConcurrent: random.int32,
  cacheDuration: random.nillable,
  serveStaleDuration: random.nillable,
  serveStale: random.oneOf(['Verify', 'Immediate', 'Disable']),
});

const SYSCTLS = [
  'fsAioMaxNr fsFileMax fsInotifyMaxUserWatches fsNrOpen kernelThreadsMax netCoreNetdevMaxBacklog',
  'netCoreOptmemMax netCoreRmemDefault netCoreRmemMax netCoreSomaxconn netCoreWmemDefault netCoreWmemMax',
  'netIPv4NeighDefaultGcThresh1 netIPv4NeighDefaultGcThresh2 netIPv4NeighDefaultGcThresh3',
  'netIPv4TCPFinTimeout netIPv4TCPKeepaliveProbes netIPv4TCPKeepaliveTime netIPv4TCPMaxSynBacklog',
  'netIPv4TCPMaxTwBuckets netIPv4TCPKeepaliveIntvl netNetfilterNfConntrackBuckets',
  'netNetfilterNfConntrackMax vmMaxMapCount vmSwappiness vmVfsCachePressure',
].flatMap((line) => line.split(' '));

const AKS_FIELDS = (random: RandomObjects, zone: Make): Record<string, Make> => ({
  vnetSubnetID: random.text,
  osDiskSizeGB: random.int32,
  imageFamily: random.oneOf(['Ubuntu', 'Ubuntu2204', 'AzureLinux', '']),
  fipsMode: random.oneOf(['FIPS', 'Disabled']),
  tags: random.map(random.text),
  kubelet: random.some({
    cpuManagerPolicy: random.text,
    cpuCFSQuota: random.flag,
    cpuCFSQuotaPeriod: random.duration,
    imageGCHighThresholdPercent: random.int32,
    imageGCLowThresholdPercent: random.int32,
    topologyManagerPolicy: random.text,
    allowedUnsafeSysctls: random.list(random.text),
    containerLogMaxSize: random.oneOf(['50Mi', '10Mi', '']),
    containerLogMaxFiles: random.int32,
    podPidsLimit: random.int64,
    failSwapOn: random.flag,
  }),
  maxPods: random.int32,
  security: random.some({
    encryptionAtHost: random.flag,
    trustedLaunch: random.some({ vtpm: random.flag, secureBoot: random.flag }),
  }),
  localDNS: random.some({
    mode: random.oneOf(['Preferred', 'Required', 'Disabled']),
    vnetDNSOverrides: random.list(zone),
    kubeDNSOverrides: random.list(zone),
  }),
  gpu: random.some({ mode: random.oneOf(['Driver', 'None']) }),
  artifactStreaming: random.some({ enabled: random.flag }),
  linuxOSConfig: random.some({
    swapFileSize: random.oneOf(['1Gi', '']),
    transparentHugePageDefrag: random.oneOf(['always', 'never']),
    transparentHugePageEnabled: random.oneOf(['always', 'never']),
    sysctls: random.some({
      ...Object.fromEntries(SYSCTLS.map((name) => [name, random.int32])),
      netIPv4IPLocalPortRange: random.oneOf(['32768 60999', '']),
      netIPv4TCPTwReuse: random.flag,
    }),
  }),
  notAFieldOfUpstream: random.text,
});

const EC2_FIELDS = (random: RandomObjects): Record<string, Make> => ({
  subnetSelectorTerms: random.list(random.some({ id: random.text, tags: random.map(random.text) })),
  securityGroupSelectorTerms: random.list(random.some({ name: random.text })),
  capacityReservationSelectorTerms: random.list(random.some({ id: random.text })),
  placementGroupSelector: random.some({ name: random.text, id: random.text }),
  associatePublicIPAddress: random.flag,
  ipPrefixCount: random.int32,
  amiSelectorTerms: random.list(
    random.some({
      alias: random.oneOf(['al2023@latest', 'bottlerocket@v1', 'windows2022@latest']),
      id: random.text,
    }),
  ),
  amiFamily: random.oneOf(['AL2', 'AL2023', 'Bottlerocket', 'Custom', 'Windows2025']),
  userData: random.text,
  role: random.text,
  instanceProfile: random.text,
  tags: random.map(random.text),
  kubelet: random.some({
    clusterDNS: random.list(random.oneOf(['10.0.0.10', '172.20.0.10'])),
    maxPods: random.int32,
    podsPerCore: random.int32,
    systemReserved: random.map(random.oneOf(['100m', '1Gi', ''])),
    kubeReserved: random.map(random.oneOf(['200m', '2Gi'])),
    evictionHard: random.map(random.oneOf(['5%', '100Mi'])),
    evictionSoft: random.map(random.text),
    evictionSoftGracePeriod: random.map(random.oneOf(['0s', '1m0s', '1h30m', '90s'])),
    evictionMaxPodGracePeriod: random.int32,
    imageGCHighThresholdPercent: random.int32,
    imageGCLowThresholdPercent: random.int32,
    cpuCFSQuota: random.flag,
  }),
  blockDeviceMappings: random.list(
    random.some({
      deviceName: random.text,
      rootVolume: random.flag,
      ebs: random.some({
        deleteOnTermination: random.flag,
        encrypted: random.flag,
        iops: random.int64,
        kmsKeyID: random.text,
        snapshotID: random.text,
        throughput: random.int64,
        volumeInitializationRate: random.int32,
        volumeSize: random.quantity,
        volumeType: random.oneOf(['gp3', 'io2', '']),
      }),
    }),
  ),
  instanceStorePolicy: random.oneOf(['RAID0', '']),
  networkInterfaces: random.list(
    random.some({
      networkCardIndex: random.int32,
      deviceIndex: random.int32,
      interfaceType: random.oneOf(['interface', 'efa-only']),
    }),
  ),
  detailedMonitoring: random.flag,
  metadataOptions: random.some({
    httpEndpoint: random.oneOf(['enabled', 'disabled']),
    httpProtocolIPv6: random.oneOf(['enabled', 'disabled']),
    httpPutResponseHopLimit: random.int64,
    httpTokens: random.oneOf(['required', 'optional']),
  }),
  connectionTracking: random.some({
    tcpEstablishedTimeout: random.int32,
    udpStreamTimeout: random.int32,
    udpTimeout: random.int32,
  }),
  context: random.text,
  cpuOptions: random.some({ nestedVirtualization: random.oneOf(['enabled', 'disabled']) }),
  notAFieldOfUpstream: random.text,
});
