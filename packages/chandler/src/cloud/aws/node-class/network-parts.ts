/** Subnets, security groups, capacity reservations and the placement group of a node class. `network/` finds them. */
import type { CloudError } from '../../index.ts';
import { asCloudError } from '../errors/index.ts';
import {
  type CapacityReservations,
  nextChangeMs,
  type PlacementGroups,
  reservationsStatus,
  type SecurityGroups,
  type Subnets,
  securityGroupsStatus,
  subnetsStatus,
} from '../network/index.ts';
import {
  Condition,
  type Draft,
  isCurrent,
  MINUTE_MS,
  type Part,
  type PartResult,
  unresolved,
} from './part.ts';

/** EC2's limit for one interface; the quota of an account is 5 at first. */
export const MAX_SECURITY_GROUPS = 16;

export function subnetsPart(subnets: Pick<Subnets, 'list'>): Part {
  return {
    name: 'subnets',
    condition: Condition.subnets,
    reconcile: (draft, signal) =>
      orUnresolved(draft, Condition.subnets, signal, async () => {
        const { conditions, status, nodeClass, found } = draft;
        const list = await subnets.list(nodeClass.spec.subnetSelectorTerms, signal);
        found.subnets = list;
        if (list.length === 0) {
          delete status.subnets;
          conditions.setFalse(
            Condition.subnets,
            'SubnetsNotFound',
            'SubnetSelector did not match any Subnets: check the ids and tags of spec.subnetSelectorTerms, and the region',
          );
        } else {
          status.subnets = subnetsStatus(list);
          conditions.setTrue(Condition.subnets);
        }
        return { requeueAfterMs: MINUTE_MS };
      }),
  };
}

export function securityGroupsPart(groups: Pick<SecurityGroups, 'list'>): Part {
  return {
    name: 'security groups',
    condition: Condition.securityGroups,
    reconcile: (draft, signal) =>
      orUnresolved(draft, Condition.securityGroups, signal, async () => {
        const { conditions, status, nodeClass, found } = draft;
        const list = await groups.list(nodeClass.spec.securityGroupSelectorTerms, signal);
        found.securityGroups = list;
        if (list.length === 0) {
          delete status.securityGroups;
          conditions.setFalse(
            Condition.securityGroups,
            'SecurityGroupsNotFound',
            'SecurityGroupSelector did not match any SecurityGroups: check the ids, names (not the tag Name) and tags of spec.securityGroupSelectorTerms',
          );
          return { requeueAfterMs: MINUTE_MS };
        }
        status.securityGroups = securityGroupsStatus(list);
        if (list.length > MAX_SECURITY_GROUPS) {
          conditions.setFalse(
            Condition.securityGroups,
            'TooManySecurityGroups',
            `spec.securityGroupSelectorTerms matches ${list.length} security groups, and an instance gets all of them; EC2 allows ${MAX_SECURITY_GROUPS} at most, and 5 unless the quota was raised: select fewer`,
          );
          return { requeueAfterMs: MINUTE_MS };
        }
        conditions.setTrue(Condition.securityGroups);
        return { requeueAfterMs: 5 * MINUTE_MS };
      }),
  };
}

/** No reservation at all is a valid answer. */
export function reservationsPart(reservations: Pick<CapacityReservations, 'list'>): Part {
  return {
    name: 'capacity reservations',
    condition: Condition.capacityReservations,
    reconcile: (draft, signal) =>
      orUnresolved(draft, Condition.capacityReservations, signal, async () => {
        const { conditions, status, nodeClass, nowMs } = draft;
        const found = await reservations.list(nodeClass.spec.capacityReservationSelectorTerms, signal);
        if (found.reservations.length === 0) delete status.capacityReservations;
        else status.capacityReservations = reservationsStatus(found.reservations, nowMs);
        const doubts = [
          ...found.missing.map(
            (id) => `the capacity reservation ${id} does not exist or is not shared with this account`,
          ),
          ...found.unknown.map(({ id, message }) => `the capacity reservation ${id} is not used: ${message}`),
        ];
        conditions.setTrue(Condition.capacityReservations, undefined, doubts.join('; '));
        const changeMs = nextChangeMs(found.reservations, nowMs);
        const waitMs = changeMs === undefined ? MINUTE_MS : Math.max(1_000, changeMs - nowMs);
        return { requeueAfterMs: Math.min(MINUTE_MS, waitMs) };
      }),
  };
}

export function placementGroupPart(groups: Pick<PlacementGroups, 'find'>): Part {
  return {
    name: 'placement group',
    condition: Condition.placementGroup,
    async reconcile(draft, signal) {
      const { conditions, nodeClass } = draft;
      const selector = nodeClass.spec.placementGroupSelector;
      if (selector === undefined) {
        conditions.setTrue(Condition.placementGroup);
        return {};
      }
      try {
        const answer = await groups.find(selector, signal);
        if (answer === 'missing') {
          const name = selector.id ?? selector.name ?? '';
          const message = `Placement group "${name}" not found: create it in this region, or correct spec.placementGroupSelector`;
          conditions.setFalse(Condition.placementGroup, 'PlacementGroupNotFound', message);
        } else if ('unusable' in answer) {
          conditions.setFalse(Condition.placementGroup, 'PlacementGroupResolutionFailed', answer.unusable);
        } else {
          conditions.setTrue(Condition.placementGroup);
        }
        return { requeueAfterMs: MINUTE_MS };
      } catch (thrown) {
        signal.throwIfAborted();
        return failedGroup(draft, asCloudError(thrown));
      }
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function orUnresolved(
  draft: Draft,
  type: string,
  signal: AbortSignal,
  resolve: () => Promise<PartResult>,
): Promise<PartResult> {
  try {
    return await resolve();
  } catch (thrown) {
    signal.throwIfAborted();
    return unresolved(draft, type, thrown);
  }
}

/** Throttling or an outage says nothing about a group that was found before. */
function failedGroup({ conditions, nodeClass }: Draft, error: CloudError): PartResult {
  const saysNothing = error.kind === 'Throttled' || error.kind === 'Unreachable';
  const was = conditions.get(Condition.placementGroup);
  if (!saysNothing || !isCurrent(was, nodeClass.metadata.generation)) {
    const message = `Failed to resolve placement group: ${error.message}`;
    conditions.setFalse(Condition.placementGroup, 'PlacementGroupResolutionFailed', message);
  }
  return { error };
}
