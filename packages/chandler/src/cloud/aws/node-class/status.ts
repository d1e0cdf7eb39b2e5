/**
 * The status of an EC2NodeClass, computed from what the cluster and AWS say. Parts run one after another on one draft, since
 * the last one builds on the others; one that fails does not stop the rest, and the status is worth writing even then. Reading
 * and writing the object is left to the controller.
 */
import { isProgramError, type Stored, type World } from '@chandler/kube';
import { ConditionSet, type EC2NodeClass, type EC2NodeClassStatus, sameJson } from '../../../api/index.ts';
import type { CapacityReservations, PlacementGroups, SecurityGroups, Subnets } from '../network/index.ts';
import { type ImagesPartDeps, imagesPart } from './images-part.ts';
import { placementGroupPart, reservationsPart, securityGroupsPart, subnetsPart } from './network-parts.ts';
import { Condition, type Draft, type Part } from './part.ts';
import { type ProfilePartDeps, profilePart } from './profile-part.ts';
import { type ValidationDeps, validationPart } from './validation-part.ts';

export interface AwsNodeClassStatusDeps extends ImagesPartDeps, ProfilePartDeps, ValidationDeps {
  readonly world: Pick<World, 'clock' | 'log'>;
  readonly subnets: Pick<Subnets, 'list'>;
  readonly securityGroups: Pick<SecurityGroups, 'list'>;
  readonly reservations: Pick<CapacityReservations, 'list'>;
  readonly placementGroups: Pick<PlacementGroups, 'find'>;
  /** Whether the gate ReservedCapacity is open. */
  readonly reservedCapacity: () => boolean;
}

export interface NodeClassReconciliation {
  readonly status: EC2NodeClassStatus;
  /** Whether the status differs from the one that was read. */
  readonly changed: boolean;
  /** The shortest requeue time of all parts. */
  readonly requeueAfterMs: number | undefined;
  readonly errors: readonly PartError[];
}

export interface PartError {
  readonly part: string;
  readonly error: Error;
}

export class AwsNodeClassStatus {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #reservedCapacity: () => boolean;
  readonly #parts: readonly Part[];

  constructor(deps: AwsNodeClassStatusDeps) {
    this.#world = deps.world;
    this.#reservedCapacity = deps.reservedCapacity;
    this.#parts = [
      imagesPart(deps),
      reservationsPart(deps.reservations),
      placementGroupPart(deps.placementGroups),
      subnetsPart(deps.subnets),
      securityGroupsPart(deps.securityGroups),
      profilePart(deps),
      validationPart(deps),
    ];
  }

  /** @throws the signal's reason when it is aborted. */
  async reconcile(nodeClass: Stored<EC2NodeClass>, signal: AbortSignal): Promise<NodeClassReconciliation> {
    const closed = this.#reservedCapacity() ? [] : [Condition.capacityReservations];
    const draft = openDraft(nodeClass, this.#world.clock.now(), closed);
    const errors: PartError[] = [];
    const requeues: number[] = [];
    for (const part of this.#parts) {
      if ((closed as readonly string[]).includes(part.condition)) continue;
      signal.throwIfAborted();
      try {
        const { requeueAfterMs, error } = await part.reconcile(draft, signal);
        if (requeueAfterMs !== undefined) requeues.push(requeueAfterMs);
        if (error !== undefined) errors.push({ part: part.name, error });
      } catch (thrown) {
        signal.throwIfAborted();
        if (isProgramError(thrown)) setUnknown(draft, part, thrown);
        errors.push({ part: part.name, error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
      }
    }
    this.#logErrors(nodeClass, errors);
    return {
      status: { ...draft.status, conditions: draft.conditions.list() },
      changed: draft.conditions.modified || !sameJson(statusBefore(nodeClass), draft.status),
      requeueAfterMs: requeues.length === 0 ? undefined : Math.min(...requeues),
      errors,
    };
  }

  #logErrors(nodeClass: EC2NodeClass, errors: readonly PartError[]): void {
    for (const { part, error } of errors) {
      this.#world.log.warn('node class status is incomplete', {
        nodeClass: nodeClass.metadata.name,
        part,
        error: error.message,
      });
    }
  }
}

// ---------------------------------------------------------------------------------------------------

/** A bug proves nothing: a condition that was True before is no longer known to be True. */
function setUnknown({ conditions }: Draft, { condition }: Part, bug: unknown): void {
  const message = `the controller failed to check this because of a bug: ${String(bug)}. Report it with the log of the controller`;
  conditions.setUnknown(condition, 'ProgramError', message);
}

function openDraft(nodeClass: Stored<EC2NodeClass>, nowMs: number, without: readonly string[]): Draft {
  return {
    nodeClass,
    conditions: ConditionSet.of('EC2NodeClass', nodeClass, nowMs, without),
    status: structuredClone(statusBefore(nodeClass)),
    found: {},
    nowMs,
  };
}

function statusBefore({ status }: EC2NodeClass): Draft['status'] {
  const { conditions: _, ...rest } = status ?? {};
  return rest;
}
