/**
 * What can be found out about a disk encryption set, its key and its vault: a closed set of problems, and for each
 * what it means for the condition. A proof makes the condition False and stops launches, since they would fail. What
 * could not be seen makes it Unknown and stops nothing. The order of the table is the order of the message.
 */

export type DiskEncryptionProblemKind =
  | 'malformed'
  | 'subscriptionUnreachable'
  | 'wrongSubscription'
  | 'readerMissing'
  | 'setNotFound'
  | 'wrongRegion'
  | 'setFailed'
  | 'typeUnsupported'
  | 'vaultUnreachable'
  | 'accessMissing'
  | 'keyDeleted'
  | 'keyDisabled'
  | 'keyExpired'
  | 'keyNotYetValid'
  | 'setUnreadable'
  | 'setNotReady'
  | 'rotationFailing'
  | 'keyNotReadable'
  | 'vaultNotReadable'
  | 'accessNotReadable';

/** Who said so: the set itself, its last key rotation, ARM when a VM was created, or the vault and its roles. */
export type Witness = 'set' | 'rotation' | 'launch' | 'vault';

export interface DiskEncryptionProblem {
  readonly kind: DiskEncryptionProblemKind;
  readonly witness: Witness;
  /** One sentence without a full stop: what was found. */
  readonly message: string;
  /** The permission whose absence hides the rest, for what could not be seen. */
  readonly permission?: string;
  /** The request failed and was not refused, so a retry soon is useful. */
  readonly transient?: true;
}

export interface ProblemMeaning {
  readonly status: 'False' | 'Unknown';
  /** On the conditions ValidationSucceeded (only False) and DiskEncryptionVerified. */
  readonly reason: string;
  /** What to do, one sentence without a full stop. */
  readonly remedy: string;
}

/** In the order of the message: the first that was found gives the condition its reason. */
export const DISK_ENCRYPTION_PROBLEMS: Readonly<Record<DiskEncryptionProblemKind, ProblemMeaning>> = {
  malformed: proof(
    'DiskEncryptionSetMalformed',
    'use the resource ID that `az disk-encryption-set show --query id` prints',
  ),
  subscriptionUnreachable: proof(
    'DiskEncryptionSetSubscriptionUnreachable',
    "check the subscription in the ID, and that the controller's identity belongs to its tenant",
  ),
  wrongSubscription: proof(
    'DiskEncryptionSetWrongSubscription',
    'use a disk encryption set in the subscription of the nodes; its key vault may be in another one',
  ),
  readerMissing: proof(
    'DiskEncryptionSetRBACMissing',
    "grant the controller's identity the role Reader on the disk encryption set",
  ),
  setNotFound: proof('DiskEncryptionSetNotFound', 'create the disk encryption set, or correct its ID'),
  wrongRegion: proof(
    'DiskEncryptionSetWrongRegion',
    'use a disk encryption set in the region of the cluster',
  ),
  setFailed: proof('DiskEncryptionSetFailed', 'repair or update the disk encryption set'),
  typeUnsupported: proof(
    'DiskEncryptionSetTypeUnsupported',
    'use a disk encryption set that is not for confidential VMs',
  ),
  vaultUnreachable: proof(
    'KeyVaultUnreachable',
    'restore the vault, or allow trusted Azure services in its firewall (bypass AzureServices)',
  ),
  accessMissing: proof(
    'KeyVaultAccessMissing',
    'grant the identity of the disk encryption set get, wrapKey and unwrapKey on the vault, or the role Key Vault Crypto Service Encryption User',
  ),
  keyDeleted: proof('KeyDeleted', 'recover the key, or point the disk encryption set to another key'),
  keyDisabled: proof('KeyDisabled', 'enable the key, or point the disk encryption set to another version'),
  keyExpired: proof('KeyExpired', 'rotate the key, or extend its expiry date'),
  keyNotYetValid: proof(
    'KeyNotYetValid',
    'wait until the key is valid, or point the disk encryption set to another version',
  ),
  setUnreadable: unseen('DiskEncryptionSetUnreadable', 'check the access to Azure if the problem persists'),
  setNotReady: unseen('DiskEncryptionSetNotReady', 'wait until the disk encryption set is provisioned'),
  rotationFailing: unseen('KeyRotationFailing', 'check autoKeyRotationError of the disk encryption set'),
  keyNotReadable: unseen('KeyNotReadable', "grant the controller's identity permission to read the key"),
  vaultNotReadable: unseen(
    'KeyVaultNotReadable',
    "grant the controller's identity permission to read the vault",
  ),
  accessNotReadable: unseen(
    'KeyVaultAccessNotReadable',
    "grant the controller's identity permission to read role assignments on the vault",
  ),
};

export const PROBLEM_ORDER = Object.keys(DISK_ENCRYPTION_PROBLEMS) as readonly DiskEncryptionProblemKind[];

// ---------------------------------------------------------------------------------------------------

function proof(reason: string, remedy: string): ProblemMeaning {
  return { status: 'False', reason, remedy };
}

function unseen(reason: string, remedy: string): ProblemMeaning {
  return { status: 'Unknown', reason, remedy };
}
