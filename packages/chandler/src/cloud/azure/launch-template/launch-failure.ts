/** How a failure to bootstrap reads as an error of the cloud: what kind it is, and whether trying again helps. */
import type { BootstrapError, BootstrapErrorCode } from '../../../bootstrap/index.ts';
import { CloudError, type CloudErrorKind } from '../../index.ts';

export function launchFailure(error: BootstrapError): CloudError {
  const { kind, reason } = FAILURES[error.code];
  const advice =
    error.retryAfterMs === undefined ? {} : { advice: { retry: 'after', ms: error.retryAfterMs } as const };
  return new CloudError(kind, error.message, { reason, code: error.code, cause: error, ...advice });
}

// ---------------------------------------------------------------------------------------------------

interface Failure {
  readonly kind: CloudErrorKind;
  readonly reason: string;
}

const FAILURES: Readonly<Record<BootstrapErrorCode, Failure>> = {
  malformedVersion: { kind: 'NodeClassNotReady', reason: 'KubernetesVersionMalformed' },
  malformedSubnetId: { kind: 'NodeClassNotReady', reason: 'SubnetIDInvalid' },
  unknownCloud: { kind: 'CreateFailed', reason: 'CloudUnknown' },
  invalidValue: { kind: 'NodeClassNotReady', reason: 'UnsupportedFields' },
  unsupportedInMode: { kind: 'NodeClassNotReady', reason: 'UnsupportedFields' },
  customDataTooLarge: { kind: 'CreateFailed', reason: 'CustomDataTooLarge' },
  unprintable: { kind: 'CreateFailed', reason: 'CustomDataInvalid' },
  noToken: { kind: 'Unauthorized', reason: 'TokenNotAccepted' },
  serverUnreachable: { kind: 'Unreachable', reason: 'BootstrappingServerUnreachable' },
  serverTimeout: { kind: 'Unreachable', reason: 'BootstrappingServerTimeout' },
  serverRefused: { kind: 'Unauthorized', reason: 'BootstrappingServerRefused' },
  serverThrottled: { kind: 'Throttled', reason: 'BootstrappingServerThrottled' },
  serverFailed: { kind: 'Unreachable', reason: 'BootstrappingServerFailed' },
  serverRejected: { kind: 'CreateFailed', reason: 'BootstrappingServerRejected' },
  serverAnswer: { kind: 'Unreachable', reason: 'BootstrappingServerAnswer' },
};
