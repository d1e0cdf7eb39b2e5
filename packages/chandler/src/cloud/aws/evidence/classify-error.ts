/**
 * Finds AWS's own error code in a message that was written down earlier. What kind of error it is follows from the table by
 * which the controller decides.
 */
import type { ErrorClassifier } from '../../index.ts';

import { hasCode } from '../causes/aws-row.ts';
import { ERROR_ROWS, type ErrorRow } from '../errors/index.ts';

export const ERROR_CLASSIFIER: ErrorClassifier = {
  reasons: new Map([
    ...ERROR_ROWS.map(({ reason, kind }) => [reason, kind] as const),
    ['SubnetResolutionFailed', 'CreateFailed'],
    ['InstanceTypeResolutionFailed', 'CreateFailed'],
    ['UserDataInvalid', 'CreateFailed'],
    ['UnsupportedKubeletConfiguration', 'CreateFailed'],
    ['ClusterCIDRResolutionFailed', 'CreateFailed'],
    ['PlacementGroupResolutionFailed', 'CreateFailed'],
    ['InvalidRequirement', 'CreateFailed'],
    ['InstanceTerminated', 'CreateFailed'],
    ['InstanceStopped', 'CreateFailed'],
    ['InstanceProfileNotReady', 'NodeClassNotReady'],
  ]),
  classify(message) {
    for (const row of ERROR_ROWS) {
      const code = row.codes?.find((each) => hasCode(message, each));
      if (!fits(row, code, message)) continue;
      return { errorKind: row.kind, reason: row.reason, code };
    }
    return undefined;
  },
};

// ---------------------------------------------------------------------------------------------------------------

/** A status is not written down. */
function fits({ codes, says }: ErrorRow, code: string | undefined, message: string): boolean {
  if (codes !== undefined && code === undefined) return false;
  if (codes === undefined && says === undefined) return false;
  return says === undefined || says.test(message);
}
