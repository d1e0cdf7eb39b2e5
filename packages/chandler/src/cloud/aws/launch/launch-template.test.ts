import { describe, expect, test } from 'vitest';
import type { BlockDeviceMapping } from '../../../api/index.ts';

import { launchTemplate, type TemplateInput } from './launch-template.ts';
import { launchTags } from './tags.ts';

const ebs = (volumeSize: string): NonNullable<BlockDeviceMapping['ebs']> => ({
  volumeSize,
  volumeType: 'gp3',
  encrypted: true,
});
const METADATA = {
  httpEndpoint: 'enabled',
  httpProtocolIPv6: 'disabled',
  httpPutResponseHopLimit: 1,
  httpTokens: 'required',
} as const;

const BASE: TemplateInput = {
  region: 'us-west-2',
  ipFamily: 'ipv4',
  spec: { metadataOptions: METADATA },
  blockDeviceMappings: [
    { deviceName: '/dev/xvda', ebs: ebs('4Gi') },
    { deviceName: '/dev/xvdb', ebs: ebs('20Gi') },
  ],
  imageId: 'ami-1',
  userData: 'dXNlciBkYXRh',
  instanceProfile: 'dev_1234',
  securityGroupIds: ['sg-1', 'sg-2'],
  tags: launchTags({
    clusterName: 'dev',
    nodePool: 'general',
    nodeClass: 'default',
    own: { team: 'a', cost: 'b' },
  }),
  efaCount: 0,
  enclaves: false,
  capacityType: 'on-demand',
  tenancy: 'default',
  reservedCapacity: true,
};

const template = (change: Partial<TemplateInput> = {}) => launchTemplate({ ...BASE, ...change });
const data = (change: Partial<TemplateInput> = {}) => template(change).LaunchTemplateData;
const nameOf = (change: Partial<TemplateInput> = {}) => template(change).LaunchTemplateName;
const withSpec = (spec: TemplateInput['spec']) => ({ spec: { ...BASE.spec, ...spec } });

describe('a launch template', () => {
  test('has everything of an ordinary instance', () => {
    const tags = [
      { Key: 'cost', Value: 'b' },
      { Key: 'eks:eks-cluster-name', Value: 'dev' },
      { Key: 'karpenter.k8s.aws/ec2nodeclass', Value: 'default' },
      { Key: 'karpenter.sh/nodepool', Value: 'general' },
      { Key: 'kubernetes.io/cluster/dev', Value: 'owned' },
      { Key: 'team', Value: 'a' },
    ];
    expect(template()).toEqual({
      LaunchTemplateName: expect.stringMatching(/^karpenter\.k8s\.aws\/[0-9a-f]{32}$/),
      TagSpecifications: [{ ResourceType: 'launch-template', Tags: tags }],
      LaunchTemplateData: {
        BlockDeviceMappings: [
          { DeviceName: '/dev/xvda', Ebs: { VolumeSize: 4, VolumeType: 'gp3', Encrypted: true } },
          { DeviceName: '/dev/xvdb', Ebs: { VolumeSize: 20, VolumeType: 'gp3', Encrypted: true } },
        ],
        CapacityReservationSpecification: { CapacityReservationPreference: 'none' },
        EnclaveOptions: { Enabled: false },
        IamInstanceProfile: { Name: 'dev_1234' },
        ImageId: 'ami-1',
        MetadataOptions: {
          HttpEndpoint: 'enabled',
          HttpProtocolIpv6: 'disabled',
          HttpPutResponseHopLimit: 1,
          HttpTokens: 'required',
          InstanceMetadataTags: 'disabled',
        },
        Monitoring: { Enabled: false },
        NetworkInterfaces: [{ DeviceIndex: 0, Groups: ['sg-1', 'sg-2'] }],
        Placement: { Tenancy: 'default' },
        TagSpecifications: [{ ResourceType: 'network-interface', Tags: tags }],
        UserData: 'dXNlciBkYXRh',
      },
    });
  });

  test('of a spot instance tags its request, too', () => {
    expect(data({ capacityType: 'spot' }).TagSpecifications.map(({ ResourceType }) => ResourceType)).toEqual([
      'network-interface',
      'spot-instances-request',
    ]);
  });

  test.each([
    [{ type: 'default', interruptible: false }, undefined],
    [{ type: 'capacity-block', interruptible: false }, { MarketType: 'capacity-block' }],
    [{ type: 'default', interruptible: true }, { MarketType: 'interruptible-capacity-reservation' }],
  ] as const)('of the reservation %j targets it, with the market type %j', (kind, market) => {
    const found = data({ capacityType: 'reserved', reservation: { ...kind, id: 'cr-1' } });
    expect(found.CapacityReservationSpecification).toEqual({
      CapacityReservationPreference: 'capacity-reservations-only',
      CapacityReservationTarget: { CapacityReservationId: 'cr-1' },
    });
    expect(found.InstanceMarketOptions).toEqual(market);
  });

  test('says nothing of reservations while their gate is closed', () => {
    expect(data({ reservedCapacity: false })).not.toHaveProperty('CapacityReservationSpecification');
  });

  test('has the placement, CPU, monitoring and enclave settings that are asked for', () => {
    expect(
      data({
        ...withSpec({ cpuOptions: { nestedVirtualization: 'enabled' }, detailedMonitoring: true }),
        tenancy: 'dedicated',
        placementGroupId: 'pg-1',
        partition: '3',
        enclaves: true,
      }),
    ).toMatchObject({
      Placement: { Tenancy: 'dedicated', GroupId: 'pg-1', PartitionNumber: 3 },
      CpuOptions: { NestedVirtualization: 'enabled' },
      Monitoring: { Enabled: true },
      EnclaveOptions: { Enabled: true },
    });
  });

  test('without disks leaves them to the image', () => {
    expect(data({ blockDeviceMappings: [] })).not.toHaveProperty('BlockDeviceMappings');
  });

  test.each([
    ['2G', 2],
    ['20Gi', 20],
    ['1T', 932],
    ['1Ti', 1024],
  ])('rounds a disk of %s up to %i GiB', (volumeSize, size) => {
    expect(data({ blockDeviceMappings: [{ ebs: { volumeSize } }] }).BlockDeviceMappings).toEqual([
      { Ebs: { VolumeSize: size } },
    ]);
  });

  test('has every setting of a disk, but no zero that EC2 would refuse', () => {
    const disk = {
      deleteOnTermination: false,
      encrypted: false,
      iops: 0,
      throughput: 250,
      kmsKeyID: 'key',
      snapshotID: 'snap-1',
      volumeInitializationRate: 200,
    };
    expect(
      data({ blockDeviceMappings: [{ deviceName: '/dev/a', ebs: disk }, {}] }).BlockDeviceMappings,
    ).toEqual([
      {},
      {
        DeviceName: '/dev/a',
        Ebs: {
          DeleteOnTermination: false,
          Encrypted: false,
          Throughput: 250,
          KmsKeyId: 'key',
          SnapshotId: 'snap-1',
          VolumeInitializationRate: 200,
        },
      },
    ]);
  });
});

describe('metadata options', () => {
  test('of a class that has none hide the service from pods and follow the IP family', () => {
    expect(data({ spec: {} }).MetadataOptions).toEqual({
      HttpEndpoint: 'disabled',
      HttpProtocolIpv6: 'disabled',
      HttpPutResponseHopLimit: 2,
      HttpTokens: 'required',
      InstanceMetadataTags: 'disabled',
    });
    expect(data({ spec: {}, ipFamily: 'ipv6' }).MetadataOptions.HttpProtocolIpv6).toBe('enabled');
  });

  test.each([
    ['us-iso-east-1', false],
    ['us-isob-east-1', false],
    ['us-isof-south-1', false],
    ['us-west-2', true],
    ['eu-isoe-west-1', true],
  ])('in %s name IPv6: %s', (region, named) => {
    expect('HttpProtocolIpv6' in data({ region }).MetadataOptions).toBe(named);
  });
});

describe('network interfaces', () => {
  const tracking = { tcpEstablishedTimeout: 350, udpTimeout: 45 };
  const all = { associatePublicIPAddress: false, ipPrefixCount: 4, connectionTracking: tracking };
  const addressed = {
    AssociatePublicIpAddress: false,
    Ipv4PrefixCount: 4,
    ConnectionTrackingSpecification: { TcpEstablishedTimeout: 350, UdpTimeout: 45 },
  };
  const groups = { Groups: ['sg-1', 'sg-2'] };

  test('one, with public address, prefixes and connection tracking', () => {
    expect(data(withSpec(all)).NetworkInterfaces).toEqual([{ DeviceIndex: 0, ...groups, ...addressed }]);
  });

  test('of an IPv6 cluster have one IPv6 address, and prefixes of IPv6', () => {
    expect(data({ ...withSpec({ ipPrefixCount: 4 }), ipFamily: 'ipv6' }).NetworkInterfaces).toEqual([
      { DeviceIndex: 0, ...groups, PrimaryIpv6: true, Ipv6AddressCount: 1, Ipv6PrefixCount: 4 },
    ]);
  });

  test('one for each card with EFA, device 0 on the first card only', () => {
    const found = data({ ...withSpec(all), efaCount: 3 }).NetworkInterfaces;
    expect(found.map((each) => [each.NetworkCardIndex, each.DeviceIndex])).toEqual([
      [0, 0],
      [1, 1],
      [2, 1],
    ]);
    for (const each of found) expect(each).toMatchObject({ InterfaceType: 'efa', ...groups, ...addressed });
  });

  test('as the class lists them, with nothing but security groups on those for EFA only', () => {
    const own = [
      { networkCardIndex: 1, deviceIndex: 1, interfaceType: 'efa-only' },
      { networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' },
    ] as const;
    const change = withSpec({ ...all, networkInterfaces: [...own] });
    expect(data({ ...change, efaCount: 8, ipFamily: 'ipv6' }).NetworkInterfaces).toEqual([
      {
        NetworkCardIndex: 0,
        DeviceIndex: 0,
        InterfaceType: 'interface',
        ...groups,
        AssociatePublicIpAddress: false,
        Ipv6PrefixCount: 4,
        PrimaryIpv6: true,
        Ipv6AddressCount: 1,
        ConnectionTrackingSpecification: addressed.ConnectionTrackingSpecification,
      },
      { NetworkCardIndex: 1, DeviceIndex: 1, InterfaceType: 'efa-only', ...groups },
    ]);
  });

  test('without timeouts say nothing of connection tracking', () => {
    expect(data(withSpec({ connectionTracking: {} })).NetworkInterfaces).toEqual([
      { DeviceIndex: 0, ...groups },
    ]);
  });
});

describe('the name of a launch template', () => {
  const reservation = { id: 'cr-1', type: 'default', interruptible: false } as const;
  const CHANGES = {
    region: { region: 'us-iso-east-1' },
    ipFamily: { ipFamily: 'ipv6' },
    spec: withSpec({ detailedMonitoring: true }),
    blockDeviceMappings: { blockDeviceMappings: [{ deviceName: '/dev/xvda', ebs: ebs('5Gi') }] },
    imageId: { imageId: 'ami-2' },
    userData: { userData: 'b3RoZXI=' },
    instanceProfile: { instanceProfile: 'other' },
    securityGroupIds: { securityGroupIds: ['sg-1'] },
    tags: { tags: { ...BASE.tags, team: 'z' } },
    efaCount: { efaCount: 1 },
    enclaves: { enclaves: true },
    capacityType: { capacityType: 'spot' },
    reservation: { reservation },
    tenancy: { tenancy: 'dedicated' },
    placementGroupId: { placementGroupId: 'pg-1' },
    partition: { partition: '1' },
    reservedCapacity: { reservedCapacity: false },
  } satisfies Record<keyof TemplateInput, Partial<TemplateInput>>;

  const SPEC_CHANGES = {
    associatePublicIPAddress: true,
    connectionTracking: { udpTimeout: 45 },
    cpuOptions: { nestedVirtualization: 'enabled' },
    detailedMonitoring: true,
    ipPrefixCount: 1,
    metadataOptions: { ...METADATA, httpTokens: 'optional' },
    networkInterfaces: [{ networkCardIndex: 0, deviceIndex: 0, interfaceType: 'interface' }],
  } satisfies Required<TemplateInput['spec']>;

  test.each(Object.entries(CHANGES))('changes with %s', (_, change) => {
    expect(nameOf(change)).not.toBe(nameOf());
  });

  test.each(Object.entries(SPEC_CHANGES))('changes with spec.%s of the class', (field, value) => {
    expect(nameOf(withSpec({ [field]: value }))).not.toBe(nameOf());
  });

  test('is different for every reservation and kind of one', () => {
    const all = [
      reservation,
      { ...reservation, id: 'cr-2' },
      { ...reservation, interruptible: true },
      { ...reservation, type: 'capacity-block' as const },
    ].map((each) => nameOf({ reservation: each }));
    expect(new Set(all).size).toBe(4);
  });

  test('is the same for the same content, however it is written down', () => {
    const reversed = <T extends object>(object: T): T =>
      Object.fromEntries(Object.entries(object).toReversed()) as T;
    expect(nameOf({ tags: reversed(BASE.tags) })).toBe(nameOf());
    expect(nameOf({ securityGroupIds: ['sg-2', 'sg-1'] })).toBe(nameOf());
    expect(nameOf({ blockDeviceMappings: BASE.blockDeviceMappings.toReversed() })).toBe(nameOf());
    expect(nameOf({ spec: { metadataOptions: reversed(METADATA) } })).toBe(nameOf());
    expect(launchTemplate(reversed(BASE)).LaunchTemplateName).toBe(nameOf());
    expect(nameOf({ region: 'eu-central-1' })).toBe(nameOf());
    const two = [0, 1].map((card) => ({
      networkCardIndex: card,
      deviceIndex: card,
      interfaceType: 'interface' as const,
    }));
    expect(nameOf(withSpec({ networkInterfaces: two.toReversed() }))).toBe(
      nameOf(withSpec({ networkInterfaces: two })),
    );
  });

  test('does not change from one release to the next', () => {
    expect(nameOf()).toBe('karpenter.k8s.aws/dec9f19cc5b871ddf9fc23e97cebfe55');
  });
});
