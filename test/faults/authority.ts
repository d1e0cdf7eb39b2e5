/**
 * Certificate authorities for all runs of a thread: generating keys takes real time and real randomness.
 */
import { createAuthority } from '@chandler/kube/tls';
import { START_MS } from './servers.ts';

let first: Promise<string> | undefined;
let second: Promise<string> | undefined;

/** As PEM, before a run begins. The second one is made, too: in the middle of a run its time would be real. */
export async function authority(): Promise<string> {
  first ??= newAuthority();
  await secondAuthority();
  return first;
}

/** The one that replaces it. */
export function secondAuthority(): Promise<string> {
  second ??= newAuthority();
  return second;
}

// ---------------------------------------------------------------------------------------------------

async function newAuthority(): Promise<string> {
  const { certificatePem } = await createAuthority(() => START_MS);
  return certificatePem;
}
