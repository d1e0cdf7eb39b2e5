/** Whether an error is about access to a cluster: an answer of its API server, no answer, or credentials that cannot be read. */
import { CredentialsError, isApiError } from '@chandler/kube';

/** Any other error is a defect. */
export function isAccessError(error: unknown): error is Error {
  return isApiError(error) || error instanceof CredentialsError;
}
