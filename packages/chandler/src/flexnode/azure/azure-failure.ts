/**
 * What Azure said, as a failure of ours: by HTTP status and `error.code`, never by a search in the text. One table
 * gives the class, the word and the advice; the message keeps the call, the code and the request id for a ticket.
 */
import { ArmError, BAD_ANSWER, HELD_BACK, NO_ANSWER, NO_TOKEN, toArmError } from '../../arm/index.ts';
import { type FailureClass, FlexError } from '../flex-error.ts';
import type { AgainAfter } from './patient-call.ts';

export interface AzureCall {
  /** `read the Arc machine edge-01`: follows "cannot". */
  readonly doing: string;
  /** What the operator needs to be allowed to do it. */
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

/** The typed error of Azure behind a failure of ours, for those who decide by its code. */
export function armErrorOf(failure: unknown): ArmError | undefined {
  if (failure instanceof ArmError) return failure;
  return failure instanceof FlexError && failure.facts.cause instanceof ArmError
    ? failure.facts.cause
    : undefined;
}

/** Passing trouble of the way or of the service; what Azure decided is final. */
export const whenPassing: AgainAfter = (thrown) => {
  if (thrown instanceof FlexError) return undefined;
  const error = toArmError(thrown);
  const passing =
    PASSING_STATUSES.has(error.status ?? 0) ||
    error.code === HELD_BACK ||
    (error.status === undefined && error.code === NO_ANSWER) ||
    // A page that stops in the middle, or a proxy's own words.
    (error.code === BAD_ANSWER && (error.status === undefined || error.status < 300)) ||
    (error.code === NO_TOKEN && error.codes.includes(NO_ANSWER));
  if (!passing) return undefined;
  return error.retryAfterMs === undefined ? {} : { waitMs: error.retryAfterMs };
};

/** A new identity takes a while to be known everywhere. */
export const whenPassingOrNew: AgainAfter = (thrown) =>
  !(thrown instanceof FlexError) && toArmError(thrown).codes.includes('PrincipalNotFound')
    ? {}
    : whenPassing(thrown);

/** 400 of listClusterAdminCredential, where the cluster was told to have no static credentials. */
export function isLocalAccountsDisabled(failure: unknown): boolean {
  const error = armErrorOf(failure);
  return error?.status === 400 && /static credential is not allowed|local account/i.test(error.text);
}

// ---------------------------------------------------------------------------------------------------

const PASSING_STATUSES: ReadonlySet<number> = new Set([408, 429, 500, 502, 503, 504]);

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
    remedy: () => 'check that this machine reaches the login endpoint of the cloud (DNS, proxy, firewall)',
  },
  {
    when: (error) => error.code === NO_TOKEN,
    class: 'auth',
    code: 'azure.no-token',
    remedy: () =>
      'check tenantId, clientId and the secret of azure.servicePrincipal (has the secret expired?), or log in with the Azure CLI',
  },
  {
    when: (error) => error.status === 401,
    class: 'auth',
    code: 'azure.unauthorized',
    remedy: () =>
      'the token was refused: check azure.tenantId and azure.cloud, and the clock of this machine',
  },
  {
    when: (error) => error.status === 403,
    class: 'auth',
    code: 'azure.forbidden',
    remedy: (call) =>
      call.needs === undefined
        ? 'give the operator a role that allows it'
        : `the operator needs ${call.needs}; a new role takes some minutes to work`,
  },
  {
    when: (error) => error.codes.includes('PrincipalNotFound'),
    class: 'step',
    code: 'azure.principal-not-found',
    remedy: () => 'the new identity is not known everywhere yet: run bootstrap again in some minutes',
  },
  {
    when: (error) => error.codes.includes('RoleAssignmentLimitExceeded'),
    class: 'step',
    code: 'azure.role-assignment-limit',
    remedy: () => 'delete role assignments of the subscription that are no longer used',
  },
  { when: (error) => error.status === 404, class: 'config', code: 'azure.not-found', remedy: none },
  {
    when: (error) => error.status === 429 || error.code === HELD_BACK,
    class: 'network',
    code: 'azure.throttled',
    remedy: () => 'Azure asked us to stay away for longer than this call may take: run bootstrap again later',
  },
  {
    when: (error) => error.code === NO_ANSWER,
    class: 'network',
    code: 'azure.unreachable',
    remedy: () => 'check DNS, proxy and firewall between this machine and the management endpoint',
  },
  {
    when: (error) => error.code === BAD_ANSWER,
    class: 'network',
    code: 'azure.bad-answer',
    remedy: () => 'something between this machine and Azure (a proxy?) answers in its place',
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
