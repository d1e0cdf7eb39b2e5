/**
 * The instance types of the region, with their offerings for a node class. What EC2 sells is read every twelve hours; a list for a
 * node class is built from it and kept until something it depends on has changed (`TypeLists`). An answer that cannot be used
 * changes nothing: what was known stays.
 */
import type { World } from '@chandler/kube';
import type { EC2NodeClass } from '../../../api/index.ts';
import { CloudError } from '../../index.ts';
import { asCloudError } from '../errors/index.ts';
import {
  type AwsInstanceType,
  type InstanceTypeInfo,
  type ObservedMemory,
  type PlacementGroup,
  TypeLists,
  type TypeListsInput,
  type TypeOffering,
  type UsableInstanceType,
} from '../instance-types/index.ts';
import { allPages, type Ec2Calls } from '../wire/index.ts';
import { ConfirmedItems } from './confirmed-items.ts';
import { DueRead } from './due-read.ts';

export interface AwsMarketInput extends Omit<TypeListsInput, 'observedMemory'> {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly ec2: Pick<Ec2Calls, 'describeInstanceTypes' | 'describeInstanceTypeOfferings'>;
  readonly observedMemory: ObservedMemory;
  readonly placementGroups: PlacementGroupReader;
}

/** The groups that selectors of node classes lead to. */
export interface PlacementGroupReader {
  /** Undefined where the class selects none, and while its group is not known. */
  placementGroupOf(nodeClass: EC2NodeClass): PlacementGroup | undefined;
}

export const TYPES_REFRESH_MS: number = 12 * 60 * 60_000;
/** After a failed read, and after an answer that lacks what an earlier one had. */
export const TYPES_RETRY_MS: number = 60_000;

export class AwsMarket {
  readonly #input: AwsMarketInput;
  readonly #lists: TypeLists;
  readonly #types = new ConfirmedItems<InstanceTypeInfo>();
  readonly #offered = new ConfirmedItems<TypeOffering>();
  readonly #read: DueRead;

  constructor(input: AwsMarketInput) {
    this.#input = input;
    this.#lists = new TypeLists(input);
    this.#read = new DueRead({
      clock: input.world.clock,
      everyMs: TYPES_REFRESH_MS,
      retryMs: TYPES_RETRY_MS,
      read: (signal) => this.#readTypes(signal),
    });
  }

  /** Whether types were read at least once; before that there are none. */
  get loaded(): boolean {
    return this.#lists.loaded;
  }

  /** On the monotonic clock. */
  get dueAtMs(): number {
    return this.#read.dueAtMs;
  }

  /** Grows when types, or the zones that sell them, are others than before. */
  get sequence(): number {
    return this.#lists.sequence;
  }

  /**
   * Asks EC2 what it sells when it is time, once however many ask. Whether it did.
   * @throws {CloudError} when EC2 does not answer, or with nothing that can be used; what was known stays.
   */
  refreshIfDue(signal: AbortSignal): Promise<boolean> {
    return this.#read.refreshIfDue(signal);
  }

  /**
   * By name. The list and everything in it is shared: it must not be changed.
   * @throws {CloudError} before the first read, and for a class whose subnets or placement group are not known.
   */
  typesFor(nodeClass: EC2NodeClass): readonly AwsInstanceType[] {
    const group = this.#input.placementGroups.placementGroupOf(nodeClass);
    if (group === undefined && nodeClass.spec?.placementGroupSelector !== undefined)
      throw groupUnknown(nodeClass.metadata.name ?? '');
    return this.#lists.forNodeClass(nodeClass, group);
  }

  /** Why expressions in `kubelet` of the class cannot be used for all types. @throws {CloudError} before the first read. */
  expressionProblem(nodeClass: EC2NodeClass): string | undefined {
    return this.#lists.expressionProblem(nodeClass);
  }

  /** What EC2 says of a type that may become a node. */
  get(name: string): UsableInstanceType | undefined {
    return this.#lists.get(name);
  }

  /** Lists of node classes as they were asked for last, for metrics. */
  currentLists(): Iterable<readonly AwsInstanceType[]> {
    return this.#lists.current();
  }

  /** All or nothing: types without their zones, or zones of other types, are no list. */
  async #readTypes(signal: AbortSignal): Promise<number | undefined> {
    const { world, region, observedMemory } = this.#input;
    observedMemory.expire(world.clock.now());
    const [types, offered] = await this.#ask(signal);
    const usable = types.size > 0 && offered.size > 0;
    if (!usable) throw nothingSold(region, types.size);
    const kept = this.#types.take(types) + this.#offered.take(offered);
    const before = this.#lists.sequence;
    const { refused } = this.#lists.setTypes(this.#types.items.values());
    this.#lists.setZones(this.#offered.items.values());
    if (kept > 0)
      world.log.warn('EC2 left out instance types or zones that it listed before; asking again', { kept });
    if (this.#lists.sequence !== before)
      world.log.debug('discovered instance types', {
        types: this.#types.items.size,
        offerings: this.#offered.items.size,
        refused,
      });
    return kept > 0 ? TYPES_RETRY_MS : undefined;
  }

  async #ask(
    signal: AbortSignal,
  ): Promise<readonly [ReadonlyMap<string, InstanceTypeInfo>, ReadonlyMap<string, TypeOffering>]> {
    const { ec2 } = this.#input;
    try {
      const types = await allPages(
        ec2.describeInstanceTypes,
        { Filters: TYPE_FILTERS.map(({ Name, Values }) => ({ Name, Values: [...Values] })), MaxResults: 100 },
        ({ InstanceTypes }) => InstanceTypes as readonly InstanceTypeInfo[] | undefined,
        { signal },
      );
      const offered = await allPages(
        ec2.describeInstanceTypeOfferings,
        { LocationType: 'availability-zone', MaxResults: 1000 },
        ({ InstanceTypeOfferings }) => InstanceTypeOfferings as readonly TypeOffering[] | undefined,
        { signal },
      );
      return [
        new Map(types.map((type) => [type.InstanceType ?? '', type])),
        new Map(offered.map((each) => [`${each.InstanceType} ${each.Location}`, each])),
      ];
    } catch (error) {
      signal.throwIfAborted();
      throw asCloudError(error);
    }
  }
}

// ---------------------------------------------------------------------------------------------------------------

const TYPE_FILTERS: readonly { readonly Name: string; readonly Values: readonly string[] }[] = [
  { Name: 'supported-virtualization-type', Values: ['hvm'] },
  { Name: 'processor-info.supported-architecture', Values: ['x86_64', 'arm64'] },
];

function nothingSold(region: string, types: number): CloudError {
  return new CloudError(
    'Unreachable',
    types === 0
      ? `EC2 lists no instance types in ${region}; check the region and the endpoint of EC2`
      : `EC2 lists ${types} instance types in ${region}, and no zone that sells one; check the region and the endpoint of EC2`,
    { reason: 'InstanceTypeResolutionFailed' },
  );
}

function groupUnknown(nodeClass: string): CloudError {
  return new CloudError(
    'NodeClassNotReady',
    `the placement group of EC2NodeClass ${nodeClass} is not known; check its placementGroupSelector and its condition PlacementGroupReady`,
    { reason: 'PlacementGroupResolutionFailed' },
  );
}
