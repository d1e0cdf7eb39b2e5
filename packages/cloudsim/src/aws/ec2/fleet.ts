/**
 * CreateFleet of type instant: tries its overrides in the order of the allocation strategy until the target is reached, and
 * reports the overrides that failed beside the instances that were launched.
 */
import type {
  CreateFleetRequest,
  FleetLaunchTemplateConfigRequest,
  FleetLaunchTemplateOverridesRequest,
} from '@aws-sdk/client-ec2';
import { type AwsContext, ec2Arn } from '../context.ts';
import { requestTags, resourceTags } from '../iam/rights.ts';
import type { InstanceRecord, LaunchTemplateRecord } from '../store/records.ts';
import type { AwsRequest, Operation, Principal } from '../wire/aws-request.ts';
import { AwsError, dryRun, ec2Error, invalidParameter, missing } from '../wire/errors.ts';
import type { Idempotency } from './idempotency.ts';
import type { InstanceStates } from './instance-states.ts';
import { type LaunchData, launchRights, mergedInterfaces, planLaunch } from './launch-plan.ts';
import { templateOf } from './launch-templates.ts';
import type { Launching } from './launching.ts';
import { templateTags } from './run-instances.ts';
import { checkTags, taggingRights, tagsFor } from './tags.ts';

export interface FleetParts {
  readonly context: AwsContext;
  readonly tokens: Idempotency;
  readonly launching: Launching;
  readonly states: InstanceStates;
}

export function createFleetOperation(parts: FleetParts): Operation {
  const { context, tokens } = parts;
  return {
    service: 'ec2',
    action: 'CreateFleet',
    rights: (request) => fleetRights(context, request),
    subject: ({ params }) => ({ capacity: isSpot(params as Params) ? 'spot' : 'on-demand' }),
    handle(request) {
      const params = request.params as Params;
      const pools = poolsOf(context, params);
      for (const { Tags = [] } of params.TagSpecifications ?? []) checkTags(Tags);
      if (params.DryRun) throw dryRun();
      return tokens.once('CreateFleet', request.params, () =>
        launchFleet(parts, params, pools, request.principal),
      );
    },
  };
}

// ---------------------------------------------------------------------------------------------------

type Params = CreateFleetRequest & Readonly<Record<string, unknown>>;
type Override = FleetLaunchTemplateOverridesRequest;

/** One template with one override: what a fleet can launch from. */
interface Pool {
  readonly template: LaunchTemplateRecord;
  readonly override: Override;
  readonly index: number;
}

const MAX_OVERRIDES = 300;

function isSpot({ TargetCapacitySpecification }: Params): boolean {
  return TargetCapacitySpecification?.DefaultTargetCapacityType === 'spot';
}

function fleetRights(context: AwsContext, request: AwsRequest) {
  const { TagSpecifications, LaunchTemplateConfigs = [] } = request.params as Params;
  return [
    {
      action: 'ec2:CreateFleet',
      resource: ec2Arn(context.settings, 'fleet', '*'),
      context: requestTags(tagsFor(TagSpecifications, 'fleet')),
    },
    ...LaunchTemplateConfigs.map(({ LaunchTemplateSpecification }) => {
      const { template } = templateOf(context, LaunchTemplateSpecification);
      return {
        action: 'ec2:CreateFleet',
        resource: ec2Arn(context.settings, 'launch-template', template.LaunchTemplateId!),
        context: resourceTags(template.Tags ?? [], 'ec2'),
      };
    }),
    ...taggingRights(
      context,
      'CreateFleet',
      (TagSpecifications ?? []).filter(({ ResourceType }) => ResourceType === 'fleet'),
    ),
  ];
}

function poolsOf(context: AwsContext, params: Params): readonly Pool[] {
  const { LaunchTemplateConfigs: configs = [], TargetCapacitySpecification: target, Type } = params;
  if (Type !== 'instant')
    throw invalidParameter(
      `The fleet type '${Type ?? 'maintain'}' is not simulated; the type must be instant.`,
    );
  if (target?.TotalTargetCapacity === undefined)
    throw missing('TargetCapacitySpecification.TotalTargetCapacity');
  if (target.TotalTargetCapacity < 1 || target.TotalTargetCapacity > 10_000)
    throw invalidParameter('The target capacity must be from 1 to 10000.');
  if (configs.length === 0) throw missing('LaunchTemplateConfigs');
  let index = 0;
  const pools = configs.flatMap(
    ({ LaunchTemplateSpecification, Overrides }: FleetLaunchTemplateConfigRequest) => {
      const template = templateOf(context, LaunchTemplateSpecification);
      const overrides: readonly Override[] =
        Overrides === undefined || Overrides.length === 0 ? [{}] : Overrides;
      return overrides.map((override) => {
        if (override.InstanceRequirements !== undefined)
          throw invalidParameter(
            'Instance requirements are not simulated; an override must name its instance type.',
          );
        index += 1;
        return { template, override, index };
      });
    },
  );
  if (pools.length > MAX_OVERRIDES)
    throw invalidParameter(
      `A fleet may have up to ${MAX_OVERRIDES} overrides over all its launch templates.`,
    );
  const keys = pools.map(({ template, override: { InstanceType, SubnetId, AvailabilityZone, ImageId } }) =>
    [template.template.LaunchTemplateId, InstanceType, SubnetId, AvailabilityZone, ImageId].join(' '),
  );
  const twice = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (twice >= 0)
    throw ec2Error(
      'InvalidFleetConfig',
      `The fleet configuration contains duplicate instance pools: (${pools[twice]!.override.InstanceType}, ${pools[twice]!.override.SubnetId})`,
    );
  return pools;
}

function launchFleet(
  { context, launching, states }: FleetParts,
  params: Params,
  pools: readonly Pool[],
  principal: Principal,
) {
  const spot = isSpot(params);
  const { account, access } = context;
  const FleetId = `fleet-${context.world.random.uuid()}`;
  const target = params.TargetCapacitySpecification!.TotalTargetCapacity!;
  const launched: { readonly pool: Pool; readonly instance: InstanceRecord }[] = [];
  const failed = new Map<Pool, AwsError>();
  const reservations = new Map<Pool, string>();
  const order = allocationOrder(context, params, pools, spot);
  for (const pool of diversified(order, params, spot, target)) {
    if (launched.length >= target) break;
    if (failed.has(pool)) continue;
    try {
      const data = dataOf(pool);
      const plan = planLaunch(context, {
        data,
        template: pool.template,
        spot,
        tagSpecifications: params.TagSpecifications,
        httpTokens: data.MetadataOptions?.HttpTokens,
      });
      access.require(principal, launchRights(context, plan), 'ec2');
      const reservationId = reservations.get(pool) ?? account.newId('r');
      reservations.set(pool, reservationId);
      const instance = launching.launch(plan, {
        reservationId,
        clientToken: params.ClientToken,
        systemTags: [...templateTags(plan), { Key: 'aws:ec2:fleet-id', Value: FleetId }],
      });
      launched.push({ pool, instance });
    } catch (error) {
      if (!(error instanceof AwsError)) throw error;
      failed.set(pool, error);
    }
  }
  const min = (spot ? params.SpotOptions : params.OnDemandOptions)?.MinTargetCapacity ?? 0;
  const isUndone = launched.length < min;
  if (isUndone) for (const { instance } of launched) states.discard(instance);
  return {
    FleetId,
    Errors: [...failed].map(([pool, { code, message }]) => ({
      LaunchTemplateAndOverrides: shownPool(pool),
      Lifecycle: spot ? 'spot' : 'on-demand',
      ErrorCode: code,
      ErrorMessage: message,
    })),
    Instances: isUndone ? [] : shownInstances(launched, spot),
  };
}

function shownInstances(
  launched: readonly { readonly pool: Pool; readonly instance: InstanceRecord }[],
  spot: boolean,
) {
  const byPool = new Map<Pool, InstanceRecord[]>();
  for (const { pool, instance } of launched) byPool.set(pool, [...(byPool.get(pool) ?? []), instance]);
  return [...byPool].map(([pool, instances]) => ({
    LaunchTemplateAndOverrides: shownPool(pool),
    Lifecycle: spot ? 'spot' : 'on-demand',
    InstanceIds: instances.map(({ id }) => id),
    InstanceType: instances[0]!.type,
    ...(instances[0]!.launched.Platform === undefined ? {} : { Platform: instances[0]!.launched.Platform }),
  }));
}

/** The overrides as sent, and the template by its id with the number of its version. */
function shownPool({ template, override }: Pool) {
  const { BlockDeviceMappings: _, ...overrides } = override;
  return {
    LaunchTemplateSpecification: { LaunchTemplateId: template.template.LaunchTemplateId, Version: '1' },
    Overrides: overrides,
  };
}

function dataOf({ template, override }: Pool): LaunchData {
  const { data } = template;
  const { SubnetId, InstanceType, ImageId, AvailabilityZone, Placement, BlockDeviceMappings } = override;
  const withSubnet = (data.NetworkInterfaces ?? []).length > 0 && SubnetId !== undefined;
  return {
    ...data,
    ...(InstanceType === undefined ? {} : { InstanceType }),
    ...(ImageId === undefined || ImageId === '' ? {} : { ImageId }),
    ...(AvailabilityZone === undefined ? {} : { AvailabilityZone }),
    ...(Placement === undefined ? {} : { Placement: { ...data.Placement, ...Placement } }),
    ...(BlockDeviceMappings === undefined ? {} : { BlockDeviceMappings }),
    ...(withSubnet
      ? {
          NetworkInterfaces: mergedInterfaces(
            data.NetworkInterfaces?.map((each) => ({ ...each, SubnetId })),
            [],
          ),
        }
      : {}),
    ...(SubnetId === undefined || withSubnet ? {} : { SubnetId }),
  };
}

/** Cheapest first, or by priority; the stock counts for the strategies that look at capacity. */
function allocationOrder(
  { catalogue, account }: AwsContext,
  params: Params,
  pools: readonly Pool[],
  spot: boolean,
): readonly Pool[] {
  const strategy = spot
    ? (params.SpotOptions?.AllocationStrategy ?? 'lowest-price')
    : (params.OnDemandOptions?.AllocationStrategy ?? 'lowest-price');
  if (!(spot ? SPOT_STRATEGIES : ON_DEMAND_STRATEGIES).includes(strategy))
    throw invalidParameter(`The allocation strategy '${strategy}' is not valid.`);
  const rank = (pool: Pool) => {
    const type = catalogue.find(pool.override.InstanceType ?? pool.template.data.InstanceType ?? '');
    const zone =
      account.subnets.get(pool.override.SubnetId ?? '')?.zone ?? pool.override.AvailabilityZone ?? '';
    const price =
      type === undefined ? Number.MAX_VALUE : spot ? catalogue.spotPrice(type, zone) : type.usdPerHour;
    const out =
      type !== undefined && !catalogue.inStock(type.name, zone, spot ? 'spot' : 'on-demand') ? 1 : 0;
    return { pool, price, out, priority: pool.override.Priority ?? Number.MAX_VALUE };
  };
  return pools
    .map(rank)
    .sort((one, other) => {
      if (strategy.startsWith('capacity') || strategy.startsWith('price-capacity')) {
        if (one.out !== other.out) return one.out - other.out;
      }
      if (strategy.endsWith('prioritized') && one.priority !== other.priority)
        return one.priority - other.priority;
      return one.price - other.price || one.pool.index - other.pool.index;
    })
    .map(({ pool }) => pool);
}

const ON_DEMAND_STRATEGIES: readonly string[] = ['lowest-price', 'lowestPrice', 'prioritized'];
const SPOT_STRATEGIES: readonly string[] = [
  'lowest-price',
  'lowestPrice',
  'diversified',
  'capacity-optimized',
  'capacity-optimized-prioritized',
  'price-capacity-optimized',
];

/** The pools in the order in which they are tried: each until it fails, or all in turn. */
function* diversified(order: readonly Pool[], params: Params, spot: boolean, target: number): Iterable<Pool> {
  if (spot && params.SpotOptions?.AllocationStrategy === 'diversified') {
    for (let round = 0; round < target; round++) yield* order;
    return;
  }
  for (const pool of order) for (let count = 0; count < target; count++) yield pool;
}
