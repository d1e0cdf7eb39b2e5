/**
 * Converts an error of Azure to a `FlexError`, by HTTP status and `error.code`, never by the message text. One table
 * defines class, code and remedy; the message contains the operation, the code and the request ID for support.
 */
import { ArmError, BAD_ANSWER, HELD_BACK, NO_ANSWER, NO_TOKEN, toArmError } from '../../arm/index.ts';
import { type FailureClass, FlexError } from '../flex-error.ts';
import type { RetryDecision } from './retry-call.ts';

export interface AzureCall {
  /** `read the Arc machine edge-01`: follows "cannot". */
  readonly doing: string;
  /** The role that the operation requires. */
  readonly needs?: string;
}

export function azureFailure(thrown: unknown, call: AzureCall): FlexError {
  if (thrown instanceof FlexError) return thrown;
  const error = toArmError(thrown);
  const row = FAILURES.find((each) => each.when(error)) ?? OTHERWISE;
  const remedy = row.remedy(call);
  return new FlexError({
    class: row.class,
    code: row.code,
    message: `cannot ${call.doing}: ${said(error)}`,
    ...(remedy === undefined ? {} : { remedy }),
    cause: error,
  });
}

/** The login endpoint could not be asked, which is no answer about the credential. */
export function noTokenAnswer(said: string): ArmError {
  const message = `the login endpoint does not respond: ${said}`;
  return new ArmError({ code: NO_TOKEN, message, details: [{ code: NO_ANSWER, message: said }] });
}

/** The Azure error that caused a `FlexError`. */
export function armErrorOf(failure: unknown): ArmError | undefined {
  if (failure instanceof ArmError) return failure;
  return failure instanceof FlexError && failure.facts.cause instanceof ArmError
    ? failure.facts.cause
    : undefined;
}

/** Retries transient failures of the network or the service; every other response of Azure is final. */
export const whenTransient: RetryDecision = (thrown) => {
  if (thrown instanceof FlexError) return undefined;
  const error = toArmError(thrown);
  const transient =
    TRANSIENT_STATUSES.has(error.status ?? 0) ||
    error.code === HELD_BACK ||
    (error.status === undefined && error.code === NO_ANSWER) ||
    // A truncated response, or an error page of a proxy.
    (error.code === BAD_ANSWER && (error.status === undefined || error.status < 300)) ||
    (error.code === NO_TOKEN && error.codes.includes(NO_ANSWER));
  if (!transient) return undefined;
  return error.retryAfterMs === undefined ? {} : { waitMs: error.retryAfterMs };
};

/** A new identity takes some time to replicate. */
export const whenTransientOrNew: RetryDecision = (thrown) =>
  !(thrown instanceof FlexError) && toArmError(thrown).codes.includes('PrincipalNotFound')
    ? {}
    : whenTransient(thrown);

/** Status 400 of listClusterAdminCredential if local accounts are disabled. */
export function isLocalAccountsDisabled(failure: unknown): boolean {
  const error = armErrorOf(failure);
  return error?.status === 400 && /static credential is not allowed|local account/i.test(error.text);
}

// ---------------------------------------------------------------------------------------------------

const TRANSIENT_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

interface FailureRow {
  readonly when: (error: ArmError) => boolean;
  readonly class: FailureClass;
  readonly code: string;
  readonly remedy: (call: AzureCall) => string | undefined;
}

const none = () => undefined;

const FAILURES: readonly FailureRow[] = [
  {
    when: (error) => error.code === NO_TOKEN && error.codes.includes(NO_ANSWER),
    class: 'network',
    code: 'azure.no-token-endpoint',
    remedy: () => 'Check that this machine can reach the login endpoint of the cloud (DNS, proxy, firewall).',
  },
  {
    when: (error) => error.code === NO_TOKEN,
    class: 'auth',
    code: 'azure.no-token',
    remedy: () =>
      'Check tenantId, clientId and the secret of azure.servicePrincipal, and whether the secret has expired. Or log in with the Azure CLI.',
  },
  {
    // Whatever its status: Azure gives a code with every error.
    when: (error) => error.code === BAD_ANSWER,
    class: 'network',
    code: 'azure.bad-answer',
    remedy: () => 'The response does not come from Azure. Check for a proxy between this machine and Azure.',
  },
  {
    when: (error) => error.status === 401,
    class: 'auth',
    code: 'azure.unauthorized',
    remedy: () => 'The token was rejected. Check azure.tenantId, azure.cloud and the clock of this machine.',
  },
  {
    when: (error) => error.status === 403,
    class: 'auth',
    code: 'azure.forbidden',
    remedy: (call) =>
      call.needs === undefined
        ? 'Assign a role to the operator that allows this operation.'
        : `The operator needs the role ${call.needs}. A new role assignment takes effect after some minutes.`,
  },
  {
    when: (error) => error.codes.includes('PrincipalNotFound'),
    class: 'step',
    code: 'azure.principal-not-found',
    remedy: () => 'The new identity is not replicated yet. Run bootstrap again in some minutes.',
  },
  {
    when: (error) => error.codes.includes('RoleAssignmentLimitExceeded'),
    class: 'step',
    code: 'azure.role-assignment-limit',
    remedy: () => 'Delete unused role assignments of the subscription.',
  },
  { when: (error) => error.status === 404, class: 'config', code: 'azure.not-found', remedy: none },
  {
    when: (error) => error.status === 429 || error.code === HELD_BACK,
    class: 'network',
    code: 'azure.throttled',
    remedy: () =>
      'Azure throttles requests for longer than the timeout of this operation. Run bootstrap again later.',
  },
  {
    when: (error) => error.code === NO_ANSWER,
    class: 'network',
    code: 'azure.unreachable',
    remedy: () => 'Check DNS, proxy and firewall between this machine and the management endpoint of Azure.',
  },
  {
    when: (error) => (error.status ?? 0) >= 500,
    class: 'network',
    code: 'azure.server-trouble',
    remedy: none,
  },
];

const OTHERWISE: FailureRow = { when: () => true, class: 'step', code: 'azure.refused', remedy: none };

function said(error: ArmError): string {
  const marks = [
    error.status === undefined ? undefined : String(error.status),
    error.code,
    error.requestId === undefined ? undefined : `x-ms-request-id ${error.requestId}`,
  ].filter((mark) => mark !== undefined);
  return `${error.message} (${marks.join(', ')})`;
}
