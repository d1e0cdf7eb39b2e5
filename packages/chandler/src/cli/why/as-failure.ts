/** Turns what a cluster or a file refuses into words for the one who asked; anything else is a bug and stays as it is. */
import { isApiError } from '@chandler/kube';
import { DumpError } from '../../diagnose/index.ts';
import { Failure } from '../verb.ts';

/** @param dump the file that was read, where it was one. */
export async function asFailure(error: unknown, dump?: string): Promise<unknown> {
  if (error instanceof Failure) return error;
  if (error instanceof DumpError)
    return new Failure(`--dump: ${dump === undefined ? '' : `${dump}: `}${error.message}`);
  if (isApiError(error)) return new Failure(error.message);
  // It comes with a reader of YAML, which an answer from a dump has no use for.
  const { CredentialsError } = await import('@chandler/kube');
  return error instanceof CredentialsError ? new Failure(error.message) : error;
}
