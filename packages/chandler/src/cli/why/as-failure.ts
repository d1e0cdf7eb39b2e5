/** Turns errors of a cluster or a file into a Failure with a message; any other error is a bug and is returned as it is. */
import { isApiError } from '@chandler/kube';
import { DumpError } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';

/** @param dump the file that was read, where it was one. */
export async function asFailure(error: unknown, dump?: string): Promise<unknown> {
  if (error instanceof Failure) return error;
  if (error instanceof DumpError)
    return new Failure(`--dump: ${dump === undefined ? '' : `${dump}: `}${error.message}`);
  if (isApiError(error)) return new Failure(error.message);
  // Imported here because it loads a YAML parser, which an answer from a dump does not need.
  const { CredentialsError } = await import('@chandler/kube');
  return error instanceof CredentialsError ? new Failure(error.message) : error;
}
