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
    const encryption = encryptionReason(message, found?.code);
    if (found === undefined && encryption === undefined) return undefined;
    return {
      errorKind: encryption === undefined ? found!.row.kind : 'CreateFailed',
      reason: encryption ?? found!.row.reason,
      code: found?.code,
    };
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

function encryptionReason(text: string, code: string | undefined): string | undefined {
  const codes = text.match(/\b[A-Z][A-Za-z0-9]{5,60}\b/g) ?? [];
  for (const each of [code, ...codes]) {
    if (each === undefined) continue;
    const finding = diskEncryptionProblemOf({ code: each, message: text });
    if (finding !== undefined) return DISK_ENCRYPTION_PROBLEMS[finding.kind].reason;
  }
  return undefined;
}

function says(wanted: string | RegExp, text: string): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}
