/** A market over answers of a test's choice, in pages, that can fail or be held back. */
import { type VirtualWorld, virtualWorld } from '@chandler/kube/testing';
import { UnavailableOfferings } from '../../index.ts';
import { OPTIONS, REGION } from '../aws.fixture.ts';
import { ObservedMemory, type PlacementGroup } from '../instance-types/index.ts';
import { NO_ZONAL_SHIFT } from '../offerings/index.ts';
import { PriceList } from '../prices/index.ts';
import type { Call, CallOptions } from '../wire/index.ts';
import { AwsMarket } from './market.ts';

export interface Answers<Item> {
  items: readonly Item[];
  pageSize: number;
  /** Thrown instead of the answer to a request of this number, from 0. */
  failures: Map<number, unknown>;
  /** The answer waits for it. */
  gate: Promise<void> | undefined;
  readonly requests: unknown[];
}

export function answers<Item>(items: readonly Item[], pageSize = 1000): Answers<Item> {
  return { items, pageSize, failures: new Map(), gate: undefined, requests: [] };
}

/** A list of AWS in pages, with the token that AWS would give. */
// biome-ignore lint/suspicious/noExplicitAny: stands for a call of any service
export function pagedCall<Item>(list: Answers<Item>, member: string): Call<any, any> {
  return async (input: { NextToken?: string }, { signal }: CallOptions) => {
    signal.throwIfAborted();
    const failure = list.failures.get(list.requests.length);
    list.requests.push(input);
    await list.gate;
    signal.throwIfAborted();
    if (failure !== undefined) throw failure;
    const from = Number(input.NextToken ?? 0);
    const next = from + list.pageSize;
    return {
      [member]: list.items.slice(from, next),
      ...(next < list.items.length ? { NextToken: String(next) } : {}),
    };
  };
}

type Types = Parameters<typeof answers<{ readonly InstanceType?: string | undefined }>>[0];

export interface TestMarket {
  readonly market: AwsMarket;
  readonly world: VirtualWorld;
  readonly types: Answers<Types[number]>;
  readonly offered: Answers<{ readonly InstanceType?: string; readonly Location?: string }>;
  readonly prices: PriceList;
  readonly unavailable: UnavailableOfferings;
  readonly observedMemory: ObservedMemory;
  group: PlacementGroup | undefined;
}

export function testMarket(
  types: Types,
  zones: readonly string[] = ['us-east-1a', 'us-east-1b'],
): TestMarket {
  const world = virtualWorld();
  const lists = {
    types: answers(types, 2),
    offered: answers(
      types.flatMap(({ InstanceType = '' }) => zones.map((Location) => ({ InstanceType, Location }))),
      3,
    ),
  };
  const prices = new PriceList(REGION);
  const unavailable = new UnavailableOfferings({ clock: world.clock });
  const observedMemory = new ObservedMemory();
  const test: { group: PlacementGroup | undefined } = { group: undefined };
  const market = new AwsMarket({
    world,
    region: REGION,
    options: OPTIONS,
    reservedCapacity: true,
    prices,
    unavailable,
    observedMemory,
    reservations: { sequence: 0, freeInstances: () => 0 },
    zonalShift: NO_ZONAL_SHIFT,
    placementGroups: { placementGroupOf: () => test.group },
    ec2: {
      describeInstanceTypes: pagedCall(lists.types, 'InstanceTypes'),
      describeInstanceTypeOfferings: pagedCall(lists.offered, 'InstanceTypeOfferings'),
    },
  });
  return Object.assign(test, { market, world, prices, unavailable, observedMemory, ...lists });
}
