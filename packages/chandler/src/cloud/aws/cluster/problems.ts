/** Why a value about the cluster is not known, in a closed set of codes, each with a message that says what to do. */
import { isApiError, rethrowProgramError } from '@chandler/kube';
import { CloudError, type CloudErrorKind } from '../../index.ts';
import { AwsError, classify } from '../errors/index.ts';

export type ClusterProblemCode =
  | 'NotReadYet'
  | 'Unreachable'
  | 'Throttled'
  | 'Denied'
  | 'NoCredentials'
  | 'ClockSkew'
  | 'NotFound'
  | 'Malformed'
  | 'WrongRegion'
  | 'Unsupported';

export interface FindingProblem {
  readonly code: ClusterProblemCode;
  /** What was read, what the answer was, and what settles it. */
  readonly message: string;
}

/** Of EKS. */
export const NO_SUCH_CLUSTER = 'ResourceNotFoundException';

/** Whoever was asked answered, and will answer the same again until something is changed. */
export function isFinal(code: ClusterProblemCode): boolean {
  return code === 'Denied' || code === 'NotFound';
}

/** Nobody answered: what was known before may still hold. */
export function isTransient(code: ClusterProblemCode): boolean {
  return code === 'NotReadYet' || code === 'Unreachable' || code === 'Throttled';
}

export interface Cure {
  /** A right to give, for who is denied. */
  readonly grant?: string;
  /** The option that makes the question unnecessary. */
  readonly option?: string;
}

/** @throws an error of the program, as it is. */
export function problemOf(error: unknown, { grant, option }: Cure = {}): FindingProblem {
  rethrowProgramError(error);
  const { code, message } = error instanceof AwsError ? ofAws(error) : ofKubernetes(error);
  const advice = [
    ...(code === 'Denied' && grant !== undefined ? [`allow the controller ${grant}`] : []),
    ...(option === undefined ? [] : [`set ${option}`]),
  ];
  return { code, message: advice.length === 0 ? message : `${message}; ${advice.join(', or ')}` };
}

/** For those who need a value that is not known. */
export function unknownCluster(
  problems: readonly (FindingProblem & { readonly fact: string })[],
): CloudError {
  const kind = problems.map(({ code }) => KINDS[code]).find((found) => found !== undefined) ?? 'Unreachable';
  const text = problems.map(({ fact, message }) => `${fact}: ${message}`).join('; ');
  return new CloudError(kind, `the cluster is not known well enough: ${text}`, { reason: 'ClusterUnknown' });
}

// ---------------------------------------------------------------------------------------------------------------

const KINDS: Readonly<Partial<Record<ClusterProblemCode, CloudErrorKind>>> = {
  Denied: 'Unauthorized',
  NoCredentials: 'Unauthorized',
  ClockSkew: 'Unauthorized',
  Throttled: 'Throttled',
};

function ofAws(thrown: AwsError): FindingProblem {
  const { row, denial, error } = classify(thrown);
  if (thrown.codes.includes(NO_SUCH_CLUSTER)) return { code: 'NotFound', message: thrown.message };
  const { message } = error;
  if (row.reason === 'ClockSkew') return { code: 'ClockSkew', message };
  if (denial !== undefined) return { code: 'Denied', message };
  if (row.kind === 'Throttled') return { code: 'Throttled', message };
  // Credentials that AWS does not accept say nothing about rights.
  return { code: row.kind === 'Unauthorized' ? 'NoCredentials' : 'Unreachable', message };
}

function ofKubernetes(error: unknown): FindingProblem {
  const message = `the API server: ${error instanceof Error ? error.message : String(error)}`;
  if (isApiError(error, 'forbidden')) return { code: 'Denied', message };
  return { code: isApiError(error, 'notFound') ? 'NotFound' : 'Unreachable', message };
}
