/**
 * Whether anything is known that would make every launch fail. Two things feed it: fields that cannot take effect,
 * and the disk encryption set. Only proof makes ValidationSucceeded False; what could not be read is shown on
 * DiskEncryptionVerified, on which Ready does not depend, so that a missing permission to look never stops a launch.
 */

import { rethrowProgramError } from '@chandler/kube';
import {
  type AKSNodeClass,
  doubtfulAksValues,
  doubtfulText,
  type Condition as StatusCondition,
} from '../../../api/index.ts';
import type { Sourced } from '../../../settings/index.ts';

import { sameResourceId } from '../disk-encryption/disk-encryption-set-id.ts';
import type { DiskEncryptionEvidence, Evidence } from '../disk-encryption/evidence/gather.ts';
import { DISK_ENCRYPTION_PROBLEMS } from '../disk-encryption/evidence/problem.ts';
import {
  type DiskEncryptionChoice,
  describeConflict,
  describeSource,
  resolveDiskEncryptionSet,
} from '../disk-encryption/resolve.ts';
import { Condition, type Draft, MINUTE_MS, type Part, type PartResult } from './part.ts';

export const VERIFIED_REQUEUE_MS = 60 * MINUTE_MS;
/** After a refusal, and when something did not answer. */
export const LOOK_AGAIN_MS = MINUTE_MS;
/** When only the vault did not answer: that may be for good, and stops nothing. */
export const VAULT_RETRY_MS = 10 * MINUTE_MS;

export interface UnsupportedFieldLike {
  readonly path: string;
  readonly message: string;
}

export interface ClusterDiskEncryptionSet {
  readonly set?: Sourced<string>;
  /** Why it cannot be seen whether the cluster has one. */
  readonly hidden?: string;
}

export interface ValidationDeps {
  /** The option `node-osdisk-diskencryptionset-id`. */
  readonly diskEncryptionSetOption: () => Sourced<string | undefined>;
  /** The managed cluster's property; rejects when the cluster does not answer. */
  readonly clusterDiskEncryptionSet: () => Promise<ClusterDiskEncryptionSet>;
  readonly evidence: Pick<DiskEncryptionEvidence, 'about'>;
  readonly unsupportedFields: (nodeClass: AKSNodeClass) => readonly UnsupportedFieldLike[];
}

export function validationPart(deps: ValidationDeps): Part {
  return {
    name: 'validation',
    conditions: [Condition.validation, Condition.diskEncryption],
    async reconcile(draft) {
      const before = draft.status.diskEncryptionSet;
      const { choice, hidden, error } = await choose(deps, draft);
      setStatus(draft, choice);
      const evidence =
        choice.chosen === undefined ? undefined : await deps.evidence.about(choice.chosen.value);
      if (evidence !== undefined) showVerified(draft, choice, evidence);
      else showNone(draft, hidden);
      const fields = deps.unsupportedFields(draft.nodeClass);
      const proof = evidence === undefined ? undefined : proofIn(draft, evidence, before?.id);
      if (proof !== undefined) {
        draft.conditions.setFalse(Condition.validation, proof.reason, withConflict(proof.message, choice));
      } else if (fields.length > 0) {
        const message = fields.map((field) => `${field.path}: ${field.message}`).join('; ');
        draft.conditions.setFalse(Condition.validation, 'UnsupportedFields', message);
      } else {
        const warning = doubtfulText(doubtfulAksValues(draft.nodeClass.spec));
        draft.conditions.setTrue(Condition.validation, Condition.validation, withConflict(warning, choice));
      }
      return {
        ...again(evidence, draft.nowMs),
        ...(error === undefined ? {} : { error, requeueAfterMs: MINUTE_MS }),
      };
    },
  };
}

// ---------------------------------------------------------------------------------------------------

interface Choice {
  readonly choice: DiskEncryptionChoice;
  readonly hidden?: string | undefined;
  readonly error?: Error;
}

/** When the cluster does not answer, the last value still holds: it is kept in the status. */
async function choose(deps: ValidationDeps, { nodeClass, status }: Draft): Promise<Choice> {
  const option = deps.diskEncryptionSetOption();
  try {
    const { set: cluster, hidden } = await deps.clusterDiskEncryptionSet();
    return { choice: resolveDiskEncryptionSet({ nodeClass, option, cluster }), hidden };
  } catch (thrown) {
    rethrowProgramError(thrown);
    const last = status.diskEncryptionSet?.source === 'cluster' ? status.diskEncryptionSet.id : undefined;
    const cluster: Sourced<string> | undefined =
      last === undefined
        ? undefined
        : { value: last, source: 'cluster', path: 'status.diskEncryptionSet.id' };
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    return { choice: resolveDiskEncryptionSet({ nodeClass, option, cluster }), error };
  }
}

type StatusSource = NonNullable<Draft['status']['diskEncryptionSet']>['source'];

function setStatus({ status }: Draft, { chosen }: DiskEncryptionChoice): void {
  if (chosen === undefined) delete status.diskEncryptionSet;
  else status.diskEncryptionSet = { id: chosen.value, source: chosen.source as StatusSource };
}

/** Nobody names a set; the cluster might, where it cannot be read, and then disks would get another key than it has. */
function showNone({ conditions }: Draft, hidden: string | undefined): void {
  if (hidden === undefined) {
    conditions.clear(Condition.diskEncryption);
    return;
  }
  conditions.setUnknown(
    Condition.diskEncryption,
    'ManagedClusterUnreadable',
    `no disk encryption set is configured, and the controller cannot read whether the managed cluster has one: ${hidden}`,
  );
}

function showVerified({ conditions }: Draft, choice: DiskEncryptionChoice, evidence: Evidence): void {
  const type = Condition.diskEncryption;
  const from =
    choice.chosen === undefined ? '' : `${choice.chosen.value} from ${describeSource(choice.chosen)}`;
  const said = evidence.message === '' ? from : `${from}: ${evidence.message}`;
  const message = withConflict(said, choice);
  if (evidence.verified === 'True') conditions.setTrue(type, evidence.reason, message);
  else if (evidence.verified === 'False') conditions.setFalse(type, evidence.reason, message);
  else conditions.setUnknown(type, evidence.reason, message);
}

function withConflict(message: string, { conflict }: DiskEncryptionChoice): string {
  if (conflict === undefined) return message;
  const text = `two disk encryption sets are configured: ${describeConflict(conflict)}`;
  return message === '' ? text : `${message}; ${text}`;
}

/**
 * The proof to show, if any. Where nothing new could be seen, what was proven before about the same set still holds:
 * a network that fails for a minute must not let launches through that will fail.
 */
function proofIn(draft: Draft, evidence: Evidence, idBefore: string | undefined) {
  if (evidence.blocks) return evidence;
  if (evidence.verified !== 'Unknown' || !evidence.retrySoon) return undefined;
  const conditions = (draft.nodeClass.status?.conditions ?? []) as readonly StatusCondition[];
  const before = conditions.find((each) => each.type === Condition.validation);
  const sameSet = sameResourceId(idBefore, draft.status.diskEncryptionSet?.id);
  if (before?.status !== 'False' || !sameSet || !PROOF_REASONS.has(before.reason ?? '')) return undefined;
  return { reason: before.reason!, message: before.message ?? '' };
}

const PROOF_REASONS: ReadonlySet<string> = new Set(
  Object.values(DISK_ENCRYPTION_PROBLEMS).flatMap((meaning) =>
    meaning.status === 'False' ? [meaning.reason] : [],
  ),
);

function again(evidence: Evidence | undefined, nowMs: number): PartResult {
  if (evidence === undefined) return { requeueAfterMs: VERIFIED_REQUEUE_MS };
  if (evidence.problems.some((problem) => problem.kind === 'setUnreadable')) {
    return { requeueAfterMs: LOOK_AGAIN_MS, error: new Error(evidence.message) };
  }
  if (evidence.untilMs !== undefined) {
    return { requeueAfterMs: Math.max(1000, Math.min(LOOK_AGAIN_MS, evidence.untilMs - nowMs)) };
  }
  if (evidence.blocks || evidence.reason === 'DiskEncryptionSetNotReady')
    return { requeueAfterMs: LOOK_AGAIN_MS };
  return { requeueAfterMs: evidence.retrySoon ? VAULT_RETRY_MS : VERIFIED_REQUEUE_MS };
}
