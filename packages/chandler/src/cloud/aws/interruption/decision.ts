/**
 * What to do about an interruption: for each instance that is ours an action, an event, and what becomes unavailable. The
 * message may be deleted when every action is done; one about foreign instances at once, since a queue serves one cluster.
 */
import { CapacityType } from '../../../api/index.ts';
import { UNAVAILABLE_TTL_MS } from '../errors/index.ts';
import type { CapacityTypeName, Unavailable } from '../launch/index.ts';

import type { Interruption, InterruptionKind } from './message.ts';

/** An instance of a claim of this cluster. */
export interface OwnedInstance {
  readonly claim: string;
  readonly instanceType: string | undefined;
  readonly zone: string | undefined;
  readonly capacityType: CapacityTypeName | undefined;
  readonly reservationId?: string | undefined;
}

export type InterruptionAction =
  /** Delete the claim: its node is drained. */
  | 'drain'
  /** Delete the claim and end its drain now: the instance is broken, and pods on it cannot end in order. */
  | 'terminate'
  /** Launch a replacement first, then drain. */
  | 'replace'
  /** Only the event. */
  | 'none';

export interface InterruptionDecision {
  readonly instanceId: string;
  readonly owner: OwnedInstance;
  readonly action: InterruptionAction;
  readonly event: { readonly reason: string; readonly message: string };
  readonly unavailable: readonly Unavailable[];
}

export interface DecisionOptions {
  /** The owner of an instance; undefined for one that is not ours. */
  readonly ownerOf: (instanceId: string) => OwnedInstance | undefined;
  /** Whether an instance is replaced when EC2 only recommends it. Karpenter does not. */
  readonly replaceOnRebalance: boolean;
}

export function decideInterruption(
  interruption: Interruption,
  { ownerOf, replaceOnRebalance }: DecisionOptions,
): readonly InterruptionDecision[] {
  const { kind, instanceIds, detail } = interruption;
  const row = ROWS[kind];
  const isReplaced = kind === 'rebalance_recommendation' && replaceOnRebalance;
  return instanceIds.flatMap((instanceId) => {
    const owner = ownerOf(instanceId);
    if (owner === undefined) return [];
    const message = `${row.message(instanceId)}${detail === undefined ? '' : ` (${detail})`}.`;
    return {
      instanceId,
      owner,
      action: isReplaced ? 'replace' : row.action,
      event: { reason: row.reason, message },
      unavailable: row.unavailable?.(owner) ?? [],
    };
  });
}

/** Of several about one instance the strongest action counts. */
export function strongestAction(actions: readonly InterruptionAction[]): InterruptionAction {
  return STRENGTH.find((action) => actions.includes(action)) ?? 'none';
}

// ---------------------------------------------------------------------------------------------------------------

const STRENGTH: readonly InterruptionAction[] = ['terminate', 'drain', 'replace', 'none'];

interface KindRow {
  readonly action: InterruptionAction;
  /** Of the event: Karpenter's. */
  readonly reason: string;
  message(instanceId: string): string;
  unavailable?(owner: OwnedInstance): readonly Unavailable[];
}

const unhealthy = (action: InterruptionAction, what: string): KindRow => ({
  action,
  reason: 'InstanceUnhealthy',
  message: (id) => `EC2 ${what} instance ${id}`,
});

const ROWS: Readonly<Record<InterruptionKind, KindRow>> = {
  spot_interrupted: {
    action: 'drain',
    reason: 'SpotInterrupted',
    message: (id) => `EC2 reclaims spot instance ${id} in two minutes`,
    unavailable: ({ instanceType, zone }) =>
      instanceType === undefined || zone === undefined
        ? []
        : [
            {
              kind: 'offering',
              instanceType,
              zone,
              capacityType: CapacityType.spot,
              ttlMs: UNAVAILABLE_TTL_MS,
              reason: 'SpotInterrupted',
            },
          ],
  },
  rebalance_recommendation: {
    action: 'none',
    reason: 'SpotRebalanceRecommendation',
    message: (id) => `Spot instance ${id} has an elevated risk of interruption`,
  },
  instance_stopped: {
    action: 'drain',
    reason: 'InstanceStopping',
    message: (id) => `Instance ${id} stops`,
  },
  instance_terminated: {
    action: 'drain',
    reason: 'InstanceTerminating',
    message: (id) => `Instance ${id} terminates`,
  },
  scheduled_change: unhealthy('drain', 'has scheduled maintenance of'),
  capacity_reservation_interrupted: {
    action: 'drain',
    reason: 'CapacityReservationInstanceInterrupted',
    message: (id) => `EC2 reclaims the reserved capacity of instance ${id}`,
    unavailable: ({ reservationId }) =>
      reservationId === undefined
        ? []
        : [
            {
              kind: 'reservation',
              id: reservationId,
              ttlMs: UNAVAILABLE_TTL_MS,
              reason: 'CapacityReservationInstanceInterrupted',
            },
          ],
  },
  instance_status: unhealthy('terminate', 'reports failed status checks of'),
  system_status: unhealthy('terminate', 'reports failed system checks of the host of'),
  event_status: unhealthy('drain', 'has scheduled an event for'),
};
