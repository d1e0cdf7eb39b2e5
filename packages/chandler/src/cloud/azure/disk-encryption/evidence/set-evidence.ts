/**
 * Evidence (a): the disk encryption set as ARM shows it. Proves what is wrong with the set itself and what its last
 * key rotation met. It cannot show whether the key is enabled or the vault open right now.
 */
import type { ArmError } from '../../../../arm/index.ts';
import { isMalformed, parseDiskEncryptionSetId } from '../disk-encryption-set-id.ts';
import { osDiskRefusal } from '../os-disk-refusal.ts';
import { ask, errorText, type NotSeen, oneLine } from './answer.ts';
import { diskEncryptionProblemOf } from './arm-error.ts';
import type { DiskEncryptionReaders, DiskEncryptionSetFacts } from './facts.ts';
import type { DiskEncryptionProblem } from './problem.ts';

export interface SetEvidence {
  readonly problems: readonly DiskEncryptionProblem[];
  /** Only when the set could be read. */
  readonly set?: DiskEncryptionSetFacts;
}

export const READ_SET = 'Microsoft.Compute/diskEncryptionSets/read';

export async function setEvidence(
  id: string,
  nodes: { readonly location: string | undefined; readonly subscriptionId: string | undefined },
  readers: Pick<DiskEncryptionReaders, 'diskEncryptionSet'>,
): Promise<SetEvidence> {
  const parsed = parseDiskEncryptionSetId(id);
  if (isMalformed(parsed)) return { problems: [found('malformed', `the ID ${parsed.problem}`)] };
  const answer = await ask(() => readers.diskEncryptionSet(parsed));
  const elsewhere = inOtherSubscription(parsed.subscription, nodes.subscriptionId);
  if (answer.state !== 'seen') {
    return { problems: [notReadable(answer.state, answer.error, parsed.subscription), ...elsewhere] };
  }
  return { problems: [...elsewhere, ...examine(answer.value, nodes.location)], set: answer.value };
}

// ---------------------------------------------------------------------------------------------------

/** ARM's codes for a subscription that is not there, not ours, or not usable. */
const SUBSCRIPTION_CODES: ReadonlySet<string> = new Set([
  'SubscriptionNotFound',
  'InvalidSubscriptionId',
  'InvalidAuthenticationTokenTenant',
  'DisabledSubscription',
  'ReadOnlyDisabledSubscription',
  'SubscriptionNotRegistered',
]);

/** ARM's own; a bare 404 may be a proxy or a wrong endpoint, and proves nothing. */
const NOT_FOUND_CODES: ReadonlySet<string> = new Set(['ResourceNotFound', 'ResourceGroupNotFound']);

/** Azure requires set, disk and VM to be in one subscription. */
function inOtherSubscription(ofSet: string, ofNodes: string | undefined): readonly DiskEncryptionProblem[] {
  if (ofNodes === undefined || ofSet.toLowerCase() === ofNodes.toLowerCase()) return [];
  const message = `the disk encryption set is in subscription ${ofSet}, but the nodes are in ${ofNodes}`;
  return [found('wrongSubscription', message)];
}

function notReadable(state: NotSeen, error: ArmError, subscription: string): DiskEncryptionProblem {
  if (SUBSCRIPTION_CODES.has(error.code)) {
    return found(
      'subscriptionUnreachable',
      `subscription ${subscription} cannot be reached: ${errorText(error)}`,
    );
  }
  if (state === 'refused' && error.status === 403) {
    return {
      ...found(
        'readerMissing',
        `the controller's identity has no permission to read the disk encryption set: ${errorText(error)}`,
      ),
      permission: READ_SET,
    };
  }
  if (state === 'absent' && NOT_FOUND_CODES.has(error.code)) {
    return found('setNotFound', `the disk encryption set does not exist: ${errorText(error)}`);
  }
  return {
    ...found('setUnreadable', `the disk encryption set could not be read: ${errorText(error)}`),
    transient: true,
  };
}

function examine(set: DiskEncryptionSetFacts, nodes: string | undefined): DiskEncryptionProblem[] {
  const problems: DiskEncryptionProblem[] = [];
  if (nodes !== undefined && region(set.location) !== region(nodes)) {
    problems.push(
      found(
        'wrongRegion',
        `the disk encryption set is in ${region(set.location)}, but the nodes are in ${region(nodes)}`,
      ),
    );
  }
  const state = set.provisioningState ?? 'Succeeded';
  if (state === 'Failed' || state === 'Canceled' || state === 'Deleting') {
    problems.push(found('setFailed', `the disk encryption set has the provisioning state ${state}`));
  } else if (state !== 'Succeeded') {
    problems.push(found('setNotReady', `the disk encryption set has the provisioning state ${state}`));
  }
  const refusal = osDiskRefusal(set.encryptionType);
  if (refusal !== undefined) problems.push(found('typeUnsupported', refusal));
  if (set.principalIds.length === 0) {
    problems.push(found('accessMissing', 'the disk encryption set has no identity to access the vault'));
  }
  if (set.keyUrl === undefined)
    problems.push(found('keyDeleted', 'the disk encryption set has no active key'));
  if (set.rotationError !== undefined) problems.push(ofRotation(set.rotationError));
  return problems;
}

/** A rotation that failed leaves the old key in use; only a known cause says that this one is unusable too. */
function ofRotation(error: { readonly code: string; readonly message: string }): DiskEncryptionProblem {
  const known = diskEncryptionProblemOf(error);
  const message = oneLine(`the last key rotation failed: ${error.code}: ${error.message}`);
  if (known === undefined) return { kind: 'rotationFailing', witness: 'rotation', message };
  return { ...known, witness: 'rotation', message };
}

function region(location: string): string {
  return location.replace(/\s+/g, '').toLowerCase();
}

function found(kind: DiskEncryptionProblem['kind'], message: string): DiskEncryptionProblem {
  return { kind, witness: 'set', message };
}
