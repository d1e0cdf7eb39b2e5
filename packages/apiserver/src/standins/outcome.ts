/** Refusals of the API server that a stand-in expects: somebody was faster, or the thing is gone. */
import { type ApiErrorKind, isApiError } from '@chandler/kube';

/** Undefined when the server said one of these. */
export async function unless<T>(work: Promise<T>, ...kinds: ApiErrorKind[]): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!isApiError(error, ...kinds)) throw error;
    return undefined;
  }
}

/** Nothing can be created in a namespace that goes away; that is no failure. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    isApiError(error, 'forbidden') &&
    (error.status?.details?.causes ?? []).some((cause) => cause.reason === 'NamespaceTerminating')
  );
}
