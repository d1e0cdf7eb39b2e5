/**
 * The status of an AKSNodeClass, computed from what the cluster and Azure say. Parts run one after another on one
 * draft, since later ones build on earlier ones; one that fails does not stop the rest, and the status is worth
 * writing even then. Reading and writing the object is left to the controller.
 */
import { isProgramError, type World } from '@chandler/kube';
import { type AKSNodeClass, type AKSNodeClassStatus, ConditionSet, sameJson } from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { unlessAborted } from '../abort.ts';
import { type FindImages, imagesPart } from './images.ts';
import { kubernetesVersionPart } from './kubernetes-version.ts';
import { type LocalDnsDeps, localDnsPart } from './local-dns.ts';
import { Condition, type Draft, type Part } from './part.ts';
import { type SubnetDeps, subnetPart } from './subnet.ts';
import { type ValidationDeps, validationPart } from './validation.ts';

export interface NodeClassStatusDeps {
  readonly world: Pick<World, 'clock' | 'log'>;
  /** The API server's, or the override of it; without the leading v. */
  readonly kubernetesVersion: () => Promise<Sourced<string>>;
  readonly findImages: FindImages;
  readonly subnet: SubnetDeps;
  readonly validation: ValidationDeps;
  readonly localDns: LocalDnsDeps;
}

export interface NodeClassReconciliation {
  readonly status: AKSNodeClassStatus;
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

export class AzureNodeClassStatus {
  readonly #world: Pick<World, 'clock' | 'log'>;
  readonly #parts: readonly Part[];

  constructor(deps: NodeClassStatusDeps) {
    this.#world = deps.world;
    this.#parts = [
      kubernetesVersionPart(deps.kubernetesVersion),
      imagesPart(deps.findImages),
      subnetPart(deps.subnet),
      validationPart(deps.validation),
      localDnsPart(deps.localDns),
    ];
  }

  /** @throws the signal's reason when it is aborted. */
  async reconcile(nodeClass: AKSNodeClass, signal: AbortSignal): Promise<NodeClassReconciliation> {
    const draft = openDraft(nodeClass, this.#world.clock.now());
    const errors: PartError[] = [];
    const requeues: number[] = [];
    for (const part of this.#parts) {
      try {
        const { requeueAfterMs, error } = await unlessAborted(signal, part.reconcile(draft, signal));
        if (requeueAfterMs !== undefined) requeues.push(requeueAfterMs);
        if (error !== undefined) errors.push({ part: part.name, error });
      } catch (thrown) {
        signal.throwIfAborted();
        if (isProgramError(thrown)) setUnknown(draft, part, thrown);
        errors.push({ part: part.name, error: thrown instanceof Error ? thrown : new Error(String(thrown)) });
      }
    }
    this.#logErrors(nodeClass, errors);
    const status = { ...draft.status, conditions: draft.conditions.list() };
    return {
      status,
      changed: draft.conditions.modified || !sameJson(statusBefore(nodeClass), draft.status),
      requeueAfterMs: requeues.length === 0 ? undefined : Math.min(...requeues),
      errors,
    };
  }

  #logErrors(nodeClass: AKSNodeClass, errors: readonly PartError[]): void {
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

const PROGRAM_ERROR = 'ProgramError';

/** A bug proves nothing: a condition that was True before is no longer known to be True. */
function setUnknown({ conditions }: Draft, part: Part, bug: unknown): void {
  const message = `the controller failed to check this because of a bug: ${String(bug)}. Report it with the log of the controller`;
  for (const type of part.conditions) {
    const isOptional = type === Condition.diskEncryption && conditions.get(type) === undefined;
    if (!isOptional) conditions.setUnknown(type, PROGRAM_ERROR, message);
  }
}

function openDraft(nodeClass: AKSNodeClass, nowMs: number): Draft {
  return {
    nodeClass,
    conditions: ConditionSet.of('AKSNodeClass', nodeClass, nowMs),
    status: structuredClone(statusBefore(nodeClass)),
    nowMs,
  };
}

function statusBefore({ status }: AKSNodeClass): Draft['status'] {
  const { conditions: _, ...rest } = status ?? {};
  return rest;
}
