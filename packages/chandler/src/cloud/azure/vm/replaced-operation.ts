/** Operations that a newer one of any client has replaced. They say nothing about the resource: it is read instead. */
import type { ArmError } from '../../../arm/index.ts';

export function isReplaced(error: ArmError): boolean {
  return REPLACED_CODES.has(error.code);
}

// ---------------------------------------------------------------------------------------------------

const REPLACED_CODES: ReadonlySet<string> = new Set(['OperationPreempted', 'OperationCanceled']);
