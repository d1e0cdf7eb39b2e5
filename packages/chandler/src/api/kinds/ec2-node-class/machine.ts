/**
 * Disks, network interfaces and other settings of the EC2 instance itself.
 */
import { choice, flag, integer, list, object, optional, type Static, text } from '../../schema/schema.ts';

/** 1 Gi to 59000 Gi, 1 G to 64000 G, 1 Ti to 58 Ti, 1 T to 64 T. */
const VOLUME_SIZE =
  '^((?:[1-9][0-9]{0,3}|[1-4][0-9]{4}|5[0-8][0-9]{3}|59000)Gi|(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-3][0-9]{3}|64000)G|(?:[1-9]|[1-4][0-9]|5[0-8])Ti|(?:[1-9]|[1-5][0-9]|6[0-4])T)$';

const ebs = object(
  'The EBS volume.',
  {
    deleteOnTermination: optional(flag('Whether the volume is deleted with the instance.')),
    encrypted: optional(flag('Whether the volume is encrypted.')),
    iops: optional(integer('The I/O operations per second to provide.', { format: 'int64' })),
    kmsKeyID: optional(
      text('The KMS key: its id, alias, or the ARN of either. The default is the key of the account.'),
    ),
    snapshotID: optional(text('The snapshot of the volume.')),
    throughput: optional(integer('The throughput to provide, in MiB/s.', { format: 'int64' })),
    volumeInitializationRate: optional(
      integer('The rate at which the snapshot is loaded into the volume, in MiB/s.', {
        minimum: 100,
        maximum: 300,
      }),
    ),
    volumeSize: optional(text('The size of the volume, in Gi, G, Ti or T.', { pattern: VOLUME_SIZE })),
    volumeType: optional(
      choice('The type of the volume.', ['standard', 'io1', 'io2', 'gp2', 'sc1', 'st1', 'gp3']),
    ),
  },
  {
    rules: [
      {
        message: 'snapshotID or volumeSize must be defined',
        rule: 'has(self.snapshotID) || has(self.volumeSize)',
      },
      {
        message: 'snapshotID must be set when volumeInitializationRate is set',
        rule: "!has(self.volumeInitializationRate) || (has(self.snapshotID) && self.snapshotID != '')",
      },
    ],
  },
);

const blockDeviceMapping = object('A disk of the instance.', {
  deviceName: optional(text('The device as the instance sees it, such as /dev/xvda.')),
  ebs: optional(ebs),
  rootVolume: optional(flag("Whether this is the disk that the kubelet's storage is on.")),
});
export type BlockDeviceMapping = Static<typeof blockDeviceMapping>;

export const blockDeviceMappings = list(
  'The disks of an instance. The default depends on the image family.',
  blockDeviceMapping,
  {
    maxItems: 50,
    rules: [
      {
        message: 'must have only one blockDeviceMappings with rootVolume',
        rule: 'self.filter(x, has(x.rootVolume) && x.rootVolume).size() <= 1',
      },
    ],
  },
);

const networkInterface = object('A network interface of the instance.', {
  networkCardIndex: integer('The network card that the interface is on.', { minimum: 0 }),
  deviceIndex: integer('The index of the interface on its network card.', { minimum: 0 }),
  interfaceType: choice('The type of the interface: a standard interface, or one for EFA traffic only.', [
    'interface',
    'efa-only',
  ]),
});
export type NetworkInterface = Static<typeof networkInterface>;

export const networkInterfaces = list('The network interfaces of an instance.', networkInterface, {
  maxItems: 150,
  rules: [
    {
      message: "networkInterfaces must include a primary interface with interfaceType='interface'",
      rule: "self.size() == 0 || self.exists(x, x.networkCardIndex == 0 && x.deviceIndex == 0 && x.interfaceType == 'interface')",
    },
    {
      message:
        'networkInterfaces must not have duplicate networkCardIndex and deviceIndex pairs, and can have at most one efa device per network card',
      rule: "self.all(x, self.exists_one(y, x.networkCardIndex == y.networkCardIndex && x.deviceIndex == y.deviceIndex) && (x.interfaceType != 'efa-only' || self.exists_one(y, x.networkCardIndex == y.networkCardIndex && y.interfaceType == 'efa-only')))",
    },
  ],
});

export const metadataOptions = object(
  'How the instance metadata service can be reached.',
  {
    httpEndpoint: optional(
      choice('Whether the service can be reached at all.', ['enabled', 'disabled'], { default: 'enabled' }),
    ),
    httpProtocolIPv6: optional(
      choice('Whether it can be reached over IPv6.', ['enabled', 'disabled'], { default: 'disabled' }),
    ),
    httpPutResponseHopLimit: optional(
      integer('The maximum number of hops of a session token; with 1, pods cannot get a token.', {
        format: 'int64',
        minimum: 1,
        maximum: 64,
        default: 1,
      }),
    ),
    httpTokens: optional(
      choice('Whether a session token is needed.', ['required', 'optional'], { default: 'required' }),
    ),
  },
  {
    default: {
      httpEndpoint: 'enabled',
      httpProtocolIPv6: 'disabled',
      httpPutResponseHopLimit: 1,
      httpTokens: 'required',
    },
  },
);
export type MetadataOptions = Static<typeof metadataOptions>;

export const connectionTracking = object(
  'The timeouts of idle connections.',
  {
    tcpEstablishedTimeout: optional(
      integer('Seconds for an established TCP connection.', { minimum: 60, maximum: 432000 }),
    ),
    udpStreamTimeout: optional(
      integer('Seconds for a UDP flow with more than one request and answer.', { minimum: 60, maximum: 180 }),
    ),
    udpTimeout: optional(integer('Seconds for any other UDP flow.', { minimum: 30, maximum: 60 })),
  },
  {
    rules: [
      {
        message: 'at least one of tcpEstablishedTimeout, udpStreamTimeout, or udpTimeout must be set',
        rule: 'has(self.tcpEstablishedTimeout) || has(self.udpStreamTimeout) || has(self.udpTimeout)',
      },
    ],
  },
);

export const cpuOptions = object('Settings of the CPUs.', {
  nestedVirtualization: optional(
    choice('Whether virtual machines can run on the instance; the instance type must support it.', [
      'enabled',
      'disabled',
    ]),
  ),
});
