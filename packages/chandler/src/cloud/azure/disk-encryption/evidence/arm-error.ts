/**
 * Evidence (b): what ARM said when a VM was created with the set, or when the set rotated its key. A table from ARM's
 * code and the words of its message to a problem; what it does not know is no problem about disk encryption.
 * It is true for the moment of the call only, and shows nothing of what would happen with the cause removed.
 */
import { oneLine } from './answer.ts';
import type { DiskEncryptionProblem, DiskEncryptionProblemKind } from './problem.ts';

export interface ArmErrorLike {
  readonly code?: string | undefined;
  readonly message?: string | undefined;
  /** ARM nests the cause: `details[0]` of a generic code. */
  readonly details?: readonly ArmErrorLike[] | undefined;
}

export interface ArmErrorRow {
  /** One of these codes, exactly; any code when absent. */
  readonly codes?: readonly string[];
  /** Which the message has to match too. */
  readonly pattern?: RegExp;
  readonly kind: DiskEncryptionProblemKind;
}

/** First match wins: what is particular comes before what is general. */
export const ARM_ERRORS: readonly ArmErrorRow[] = [
  { codes: ['KeyVaultKeyNotEnabled', 'KeyVaultKeyDisabled', 'KeyDisabled'], kind: 'keyDisabled' },
  { codes: ['KeyVaultKeyExpired', 'KeyExpired'], kind: 'keyExpired' },
  { codes: ['KeyVaultKeyNotYetValid', 'KeyNotYetValid'], kind: 'keyNotYetValid' },
  { codes: ['KeyVaultKeyNotFound', 'KeyVaultKeyDeleted', 'KeyDeleted'], kind: 'keyDeleted' },
  {
    codes: ['KeyVaultNotFound', 'KeyVaultNotReachable', 'KeyVaultConnectionError'],
    kind: 'vaultUnreachable',
  },
  {
    codes: [
      'BadRequest',
      'NotFound',
      'ResourceNotFound',
      'ResourceGroupNotFound',
      'DiskEncryptionSetNotFound',
    ],
    pattern: /disk ?encryption ?sets?\b.*\b(was|were|is|could) not (be )?found/i,
    kind: 'setNotFound',
  },
  {
    codes: ['OperationNotAllowed', 'Conflict', 'BadRequest'],
    pattern: /disk ?encryption ?set\b.*provisioning ?state/i,
    kind: 'setFailed',
  },
  ...keyStateRows(['KeyVaultAccessForbidden', 'KeyVaultError', 'BadRequest', 'InvalidParameter', 'Conflict']),
  { codes: ['KeyVaultAccessForbidden'], kind: 'accessMissing' },
  {
    codes: ['LinkedAuthorizationFailed', 'AuthorizationFailed'],
    pattern: /diskEncryptionSets/i,
    kind: 'readerMissing',
  },
  {
    codes: ['LinkedInvalidPropertyId', 'InvalidResourceReference', 'LinkedAccessCheckFailed'],
    pattern: /diskEncryptionSet.*(invalid|expect)/i,
    kind: 'malformed',
  },
  {
    codes: ['InvalidParameter', 'BadRequest', 'OperationNotAllowed', 'LinkedInvalidPropertyId'],
    pattern: /disk ?encryption ?set.*\bsame subscription\b/i,
    kind: 'wrongSubscription',
  },
  {
    codes: ['InvalidParameter', 'BadRequest', 'OperationNotAllowed', 'LinkedInvalidPropertyId'],
    pattern: /disk ?encryption ?set.*\b(region|location)\b/i,
    kind: 'wrongRegion',
  },
  {
    codes: ['InvalidParameter', 'BadRequest', 'OperationNotAllowed'],
    pattern: /ConfidentialVmEncryptedWithCustomerKey|disk ?encryption ?set.*encryption ?type/i,
    kind: 'typeUnsupported',
  },
  { codes: ['EphemeralOSAndBYOKNotSupported'], kind: 'typeUnsupported' },
  {
    codes: ['SubscriptionNotFound', 'LinkedSubscriptionNotFound'],
    pattern: /diskEncryptionSet|subscription/i,
    kind: 'subscriptionUnreachable',
  },
];

/** The start of a condition message about an error of ARM at a launch; every other message is about a state that was read. */
export const REFUSED_AT_LAUNCH = 'Azure rejected a VM with this disk encryption set';

/** The problem in an error of ARM, looking into its details; undefined when it is about something else. */
export function diskEncryptionProblemOf(error: ArmErrorLike): DiskEncryptionProblem | undefined {
  for (const each of [error, ...(error.details ?? [])]) {
    const row = ARM_ERRORS.find((candidate) => matches(candidate, each));
    if (row === undefined) continue;
    return {
      kind: row.kind,
      witness: 'launch',
      message: oneLine(`${REFUSED_AT_LAUNCH}: ${each.code}: ${each.message ?? ''}`),
    };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

function matches(row: ArmErrorRow, error: ArmErrorLike): boolean {
  if (row.codes !== undefined && !row.codes.includes(error.code ?? '')) return false;
  return row.pattern === undefined || row.pattern.test(error.message ?? '');
}

/** Under a general code, only the message holds the key's state; each pattern names a key so that nothing else matches. */
function keyStateRows(codes: readonly string[]): ArmErrorRow[] {
  return [
    { codes, pattern: /\bkey\b.*\b(is|has been|was) disabled\b|disabled key\b/i, kind: 'keyDisabled' },
    { codes, pattern: /\bkey\b.*\bexpired\b|expired key\b/i, kind: 'keyExpired' },
    { codes, pattern: /\bkey\b.*\bnot yet (valid|active)\b/i, kind: 'keyNotYetValid' },
    { codes, pattern: /\bkey\b.*\b(deleted|not found|does not exist)\b/i, kind: 'keyDeleted' },
    {
      codes,
      pattern: /\bvault\b.*\b(firewall|not found|could not be (reached|resolved)|unreachable)\b/i,
      kind: 'vaultUnreachable',
    },
  ];
}
