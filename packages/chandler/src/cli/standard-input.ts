/** Reads manifests from standard input (`-f -`), until its end or until the command is stopped. */
import { stdin } from 'node:process';
import { addAbortSignal } from 'node:stream';
import { text } from 'node:stream/consumers';

/** @throws the reason of the signal. */
export async function readStandardInput(interrupted: AbortSignal): Promise<string> {
  try {
    return await text(addAbortSignal(interrupted, stdin));
  } catch (error) {
    throw interrupted.aborted ? interrupted.reason : error;
  }
}
