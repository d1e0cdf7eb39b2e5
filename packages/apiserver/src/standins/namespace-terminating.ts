/** A create that fails because its namespace is being deleted. */
import { isApiError } from '@chandler/kube';

/** Nothing can be created in a namespace that is being deleted; that is no failure. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error, 'forbidden') &&
    (error.status?.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')
  );
}
