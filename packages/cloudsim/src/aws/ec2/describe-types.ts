/** DescribeInstanceTypes, DescribeInstanceTypeOfferings, DescribeSpotPriceHistory, DescribeImages, DescribeCapacityReservations. */
import type { OfferedType } from '../catalogue/catalogue.ts';
import type { AwsContext } from '../context.ts';
import type { CapacityReservation, Image } from '../store/records.ts';
import type { AwsRequest, Operation } from '../wire/aws-request.ts';
import { invalidParameter } from '../wire/errors.ts';
import { type DescribeRow, describeOperation } from './describe.ts';

export function typeOperations(context: AwsContext): readonly Operation[] {
  return [
    describeOperation(context, INSTANCE_TYPES),
    describeOperation(context, OFFERINGS),
    describeOperation(context, SPOT_PRICES),
    describeOperation(context, IMAGES),
    describeOperation(context, CAPACITY_RESERVATIONS),
  ];
}

// ---------------------------------------------------------------------------------------------------

const INSTANCE_TYPES: DescribeRow<OfferedType> = {
  action: 'DescribeInstanceTypes',
  member: 'InstanceTypes',
  items: ({ catalogue }, { params }) => {
    const names = (params['InstanceTypes'] ?? []) as readonly string[];
    if (names.length > 100)
      throw invalidParameter(
        `The maximum number of instance types is 100, and the request has ${names.length}`,
      );
    return catalogue.all();
  },
  key: ({ name }) => name,
  selectors: [
    {
      param: 'InstanceTypes',
      of: ({ name }) => name,
      code: 'InvalidInstanceType',
      message: (names) => `The following supplied instance types do not exist: [${names}]`,
    },
  ],
  filters: {
    'instance-type': ({ name }) => name,
    'bare-metal': ({ info }) => info.BareMetal,
    'burstable-performance-supported': ({ info }) => info.BurstablePerformanceSupported,
    'current-generation': ({ info }) => info.CurrentGeneration,
    'free-tier-eligible': ({ info }) => info.FreeTierEligible,
    hypervisor: ({ info }) => info.Hypervisor,
    'instance-storage-supported': ({ info }) => info.InstanceStorageSupported,
    'memory-info.size-in-mib': ({ info }) => info.MemoryInfo?.SizeInMiB,
    'network-info.efa-supported': ({ info }) => info.NetworkInfo?.EfaSupported,
    'network-info.ena-support': ({ info }) => info.NetworkInfo?.EnaSupport,
    'processor-info.supported-architecture': ({ info }) => info.ProcessorInfo?.SupportedArchitectures ?? [],
    'supported-boot-mode': ({ info }) => info.SupportedBootModes ?? [],
    'supported-root-device-type': ({ info }) => info.SupportedRootDeviceTypes ?? [],
    'supported-usage-class': ({ info }) => info.SupportedUsageClasses ?? [],
    'supported-virtualization-type': ({ info }) => info.SupportedVirtualizationTypes ?? [],
    'vcpu-info.default-cores': ({ info }) => info.VCpuInfo?.DefaultCores,
    'vcpu-info.default-vcpus': ({ info }) => info.VCpuInfo?.DefaultVCpus,
  },
  page: { min: 5, max: 100, usual: 100 },
  shown: ({ info }) => info,
};

interface Offering {
  readonly type: string;
  readonly location: string;
}

const OFFERINGS: DescribeRow<Offering & { readonly locationType: string }> = {
  action: 'DescribeInstanceTypeOfferings',
  member: 'InstanceTypeOfferings',
  items: ({ catalogue, settings }, { params }) => {
    const locationType = (params['LocationType'] as string | undefined) ?? 'region';
    const idOf = new Map(settings.zones.map(({ name, id }) => [name, id]));
    const locations: Readonly<Record<string, (type: OfferedType) => readonly string[]>> = {
      region: ({ zones }) => (zones.length > 0 ? [settings.region] : []),
      'availability-zone': ({ zones }) => zones,
      'availability-zone-id': ({ zones }) => zones.map((zone) => idOf.get(zone)!),
    };
    const read = locations[locationType];
    if (read === undefined)
      throw invalidParameter(`Value (${locationType}) for parameter locationType is invalid.`);
    return catalogue
      .all()
      .flatMap((type) => read(type).map((location) => ({ type: type.name, location, locationType })));
  },
  key: ({ type, location }) => `${type} ${location}`,
  filters: { 'instance-type': ({ type }) => type, location: ({ location }) => location },
  page: { min: 5, max: 1000, usual: 1000 },
  shown: ({ type, location, locationType }) => ({
    InstanceType: type,
    Location: location,
    LocationType: locationType,
  }),
};

interface SpotPrice extends Offering {
  readonly product: string;
  readonly usdPerHour: number;
  readonly timestamp: Date;
}

const PRODUCTS = ['Linux/UNIX', 'Linux/UNIX (Amazon VPC)', 'Windows', 'Windows (Amazon VPC)'];

const SPOT_PRICES: DescribeRow<SpotPrice> = {
  action: 'DescribeSpotPriceHistory',
  member: 'SpotPriceHistory',
  items: (context, request) => spotPrices(context, request),
  key: ({ type, location, product }) => `${type} ${location} ${product}`,
  filters: {
    'availability-zone': ({ location }) => location,
    'instance-type': ({ type }) => type,
    'product-description': ({ product }) => product,
    'spot-price': ({ usdPerHour }) => usdPerHour.toFixed(6),
    timestamp: ({ timestamp }) => timestamp,
  },
  page: { min: 1, max: 1000, usual: 1000 },
  shown: ({ type, location, product, usdPerHour, timestamp }, { settings }) => ({
    InstanceType: type,
    AvailabilityZone: location,
    AvailabilityZoneId: settings.zones.find(({ name }) => name === location)?.id,
    ProductDescription: product,
    SpotPrice: usdPerHour.toFixed(6),
    Timestamp: timestamp,
  }),
};

/** The price that holds now: of a start time in the past, too, since prices here have no history. */
function spotPrices({ catalogue, world }: AwsContext, { params }: AwsRequest): readonly SpotPrice[] {
  const types = params['InstanceTypes'] as readonly string[] | undefined;
  const products = (params['ProductDescriptions'] ?? PRODUCTS) as readonly string[];
  const zone = params['AvailabilityZone'] as string | undefined;
  // Prices change a few times a day.
  const timestamp = new Date(Math.floor(world.clock.now() / 21_600_000) * 21_600_000);
  return catalogue
    .all()
    .filter(
      ({ name, info }) => (types?.includes(name) ?? true) && info.SupportedUsageClasses?.includes('spot'),
    )
    .flatMap((type) =>
      type.zones
        .filter((each) => zone === undefined || zone === each)
        .flatMap((location) =>
          products
            .filter((product) => PRODUCTS.includes(product))
            .map((product) => ({
              type: type.name,
              location,
              product,
              usdPerHour: catalogue.spotPrice(type, location) * (product.startsWith('Windows') ? 1.9 : 1),
              timestamp,
            })),
        ),
    );
}

const IMAGES: DescribeRow<Image> = {
  action: 'DescribeImages',
  member: 'Images',
  items: ({ account, settings, world }, { params }) => {
    const owners = params['Owners'] as readonly string[] | undefined;
    const ids = params['ImageIds'] as readonly string[] | undefined;
    const owned = ({ OwnerId, ImageOwnerAlias, Public }: Image) =>
      owners === undefined
        ? Public || OwnerId === settings.accountId
        : owners.some((owner) => owner === OwnerId || owner === ImageOwnerAlias) ||
          (owners.includes('self') && OwnerId === settings.accountId);
    // Owners see their own deprecated images, and an id is enough to see any.
    const shown = ({ DeprecationTime, OwnerId, ImageId }: Image) =>
      params['IncludeDeprecated'] === true ||
      DeprecationTime === undefined ||
      Date.parse(DeprecationTime) > world.clock.now() ||
      OwnerId === settings.accountId ||
      ids?.includes(ImageId ?? '') === true;
    return [...account.images.values()].filter((image) => owned(image) && shown(image));
  },
  key: ({ ImageId }) => ImageId ?? '',
  selectors: [
    {
      param: 'ImageIds',
      of: ({ ImageId }) => ImageId,
      code: 'InvalidAMIID.NotFound',
      message: (id) => `The image id '[${id}]' does not exist`,
      form: {
        pattern: /^ami-[0-9a-f]+$/,
        code: 'InvalidAMIID.Malformed',
        message: (id) => `Invalid id: "${id}" (expecting "ami-...")`,
      },
    },
  ],
  filters: {
    'image-id': ({ ImageId }) => ImageId,
    name: ({ Name }) => Name,
    description: ({ Description }) => Description,
    architecture: ({ Architecture }) => Architecture,
    state: ({ State }) => State,
    'owner-id': ({ OwnerId }) => OwnerId,
    'owner-alias': ({ ImageOwnerAlias }) => ImageOwnerAlias,
    'image-type': ({ ImageType }) => ImageType,
    'is-public': ({ Public }) => Public,
    platform: ({ Platform }) => Platform,
    'root-device-type': ({ RootDeviceType }) => RootDeviceType,
    'virtualization-type': ({ VirtualizationType }) => VirtualizationType,
    'creation-date': ({ CreationDate }) => CreationDate,
  },
  tags: ({ Tags }) => Tags ?? [],
  page: { min: 1, max: 1000 },
};

const CAPACITY_RESERVATIONS: DescribeRow<CapacityReservation> = {
  action: 'DescribeCapacityReservations',
  member: 'CapacityReservations',
  items: ({ account }) => [...account.capacityReservations.values()],
  key: ({ CapacityReservationId }) => CapacityReservationId ?? '',
  selectors: [
    {
      param: 'CapacityReservationIds',
      of: ({ CapacityReservationId }) => CapacityReservationId,
      code: 'InvalidCapacityReservationId.NotFound',
      message: (id) => `The capacity reservation '${id}' could not be found`,
      form: {
        pattern: /^cr-[0-9a-z]+$/,
        code: 'InvalidCapacityReservationId.Malformed',
        message: (id) => `Invalid id: "${id}" (expecting "cr-...")`,
      },
    },
  ],
  filters: {
    'instance-type': ({ InstanceType }) => InstanceType,
    'owner-id': ({ OwnerId }) => OwnerId,
    'instance-platform': ({ InstancePlatform }) => InstancePlatform,
    'availability-zone': ({ AvailabilityZone }) => AvailabilityZone,
    tenancy: ({ Tenancy }) => Tenancy,
    state: ({ State }) => State,
    'end-date-type': ({ EndDateType }) => EndDateType,
    'instance-match-criteria': ({ InstanceMatchCriteria }) => InstanceMatchCriteria,
  },
  tags: ({ Tags }) => Tags ?? [],
  page: { min: 1, max: 1000 },
};
