/**
 * Finds Azure's own error code in a message that was written down earlier. What kind of error it is follows from the
 * table by which the controller decides.
 */
import type { ErrorClassifier } from '../../index.ts';
import { diskEncryptionProblemOf } from '../disk-encryption/evidence/arm-error.ts';
import { DISK_ENCRYPTION_PROBLEMS } from '../disk-encryption/evidence/problem.ts';
import { CALL_ROWS, CAPACITY_ROWS, type ErrorRow, SERVICE_ROWS } from '../errors/error-rows.ts';
import { MANAGED_BY_AKS } from '../traits.ts';

const ROWS: readonly ErrorRow[] = [...CAPACITY_ROWS, ...CALL_ROWS, ...SERVICE_ROWS];

export const ERROR_CLASSIFIER: ErrorClassifier = {
  reasons: new Map([
    ...ROWS.map(({ reason, kind }) => [reason, kind] as const),
    ...Object.values(DISK_ENCRYPTION_PROBLEMS).map(({ reason }) => [reason, 'CreateFailed'] as const),
    ['ClusterValuesUnknown', 'CreateFailed'],
    ['InternalError', 'CreateFailed'],
    ['InvalidRequirement', 'CreateFailed'],
    ['MachineElsewhere', 'CreateFailed'],
    [MANAGED_BY_AKS, 'ManagedElsewhere'],
    ['SubnetIDInvalid', 'NodeClassNotReady'],
    ['UnsupportedFields', 'NodeClassNotReady'],
    ['CloudUnknown', 'CreateFailed'],
    ['CustomDataTooLarge', 'CreateFailed'],
    ['CustomDataInvalid', 'CreateFailed'],
    ['KubernetesVersionMalformed', 'NodeClassNotReady'],
    ['BootstrappingServerUnreachable', 'Unreachable'],
    ['BootstrappingServerTimeout', 'Unreachable'],
    ['BootstrappingServerRefused', 'Unauthorized'],
    ['BootstrappingServerThrottled', 'Throttled'],
    ['BootstrappingServerFailed', 'Unreachable'],
    ['BootstrappingServerRejected', 'CreateFailed'],
    ['BootstrappingServerAnswer', 'Unreachable'],
  ]),
  classify(message) {
    const found = rowOf(message);
    // In the order in which the controller decides: what is out of stock is so with any disk.
    const isCapacity = found !== undefined && CAPACITY_ROWS.includes(found.row);
    const encryption = isCapacity ? undefined : encryptionOf(message);
    if (encryption !== undefined) return { errorKind: 'CreateFailed', ...encryption };
    return found === undefined
      ? undefined
      : { errorKind: found.row.kind, reason: found.row.reason, code: found.code };
  },
};

/** The row of the table that fits what Azure said, with Azure's code. */
export function rowOf(
  text: string,
): { readonly row: ErrorRow; readonly code: string | undefined } | undefined {
  const codes = new Set(text.match(/\b[A-Z][A-Za-z0-9]{3,60}\b/g) ?? []);
  for (const row of ROWS) {
    const code = row.codes?.find((each) => codes.has(each));
    if (code === undefined) continue;
    if (row.says !== undefined && !says(row.says, text)) continue;
    return { row, code };
  }
  return undefined;
}

// ---------------------------------------------------------------------------------------------------

/** The message does not say whether the VM had a set; other resources have keys and subscriptions too. */
const ABOUT_ENCRYPTION =
  /disk ?encryption|key ?vault|\bvault\b|managedhsm|BYOK|\bKey(?:Disabled|Expired|Deleted|NotYetValid)\b/i;

function encryptionOf(text: string): { readonly reason: string; readonly code: string } | undefined {
  if (!ABOUT_ENCRYPTION.test(text)) return undefined;
  for (const code of text.match(/\b[A-Z][A-Za-z0-9]{5,60}\b/g) ?? []) {
    const finding = diskEncryptionProblemOf({ code, message: text });
    if (finding !== undefined) return { reason: DISK_ENCRYPTION_PROBLEMS[finding.kind].reason, code };
  }
  return undefined;
}

function says(wanted: string | RegExp, text: string): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
