/** The controllers that follow what happens in EC2: types, prices, interruptions, reservations, tags and garbage. */
import type { Controller } from '@chandler/kube';
import { type CloudControllerContext, refreshes } from '../../index.ts';
import type { ObservedMemory } from '../instance-types/index.ts';
import { QueueReader } from '../interruption/index.ts';
import {
  type AwsMarket,
  marketMetrics,
  markUnavailable,
  type PriceRefresh,
  type UnavailableMarks,
} from '../market/index.ts';
import type { ZonalShiftReader } from '../offerings/index.ts';
import type { AwsCalls } from '../wire/index.ts';
import { type GarbageFunctions, garbageCollectors } from './garbage-collectors.ts';
import { instanceStatus } from './instance-status.ts';
import { interruption } from './interruption.ts';
import { InterruptionActions } from './interruption-actions.ts';
import { observedMemoryReports } from './observed-memory.ts';
import { reservedClaims } from './reserved-claims.ts';
import { tagging } from './tagging.ts';

export interface MarketParts {
  readonly calls: Pick<AwsCalls, 'ec2' | 'sqs'>;
  readonly market: AwsMarket;
  readonly prices: PriceRefresh;
  readonly observedMemory: ObservedMemory;
  readonly marks: UnavailableMarks;
  readonly settings: MarketSettings;
  readonly garbage: GarbageFunctions;
}

export interface MarketSettings {
  readonly clusterName: () => string;
  /** Empty: no messages of a queue are read. It does not change at runtime. */
  readonly interruptionQueue: string;
  readonly replaceOnRebalance: () => boolean;
  /** `account 123456789012 in us-west-2` */
  readonly place: () => string;
  readonly zonalShift: ZonalShiftReader;
}

export function marketControllers(
  context: CloudControllerContext,
  { calls, market, prices, observedMemory, marks, settings, garbage }: MarketParts,
): readonly Controller[] {
  const { world } = context;
  const { ec2, sqs } = calls;
  const { interruptionQueue: queueName, replaceOnRebalance, place, clusterName, zonalShift } = settings;
  const actions = new InterruptionActions({
    context,
    mark: (things) => markUnavailable(marks, things),
    replaceOnRebalance,
  });
  marketMetrics(world.metrics, () => market.currentLists());
  return [
    ...refreshes(context, { 'providers.instancetype': market, 'providers.pricing': prices }),
    ...(queueName === ''
      ? []
      : [interruption({ world, actions, queue: new QueueReader({ sqs, queueName, place }) })]),
    instanceStatus({ world, ec2, actions }),
    observedMemoryReports(context, observedMemory),
    ...reservedClaims({ context, ec2 }),
    tagging({ context, ec2, clusterName, zonalShift }),
    ...garbageCollectors(context, garbage),
  ];
}
