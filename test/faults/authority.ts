/**
 * Certificate authorities for all runs of a thread: generating keys takes real time and real randomness, so both exist before a
 * run begins. Otherwise the first run of a thread that replaces the authority would differ from its replay.
 */
import { createAuthority } from '@chandler/kube/tls';
import { START_MS } from './servers.ts';

/** As PEM. */
export interface Authorities {
  readonly first: string;
  /** The one that replaces it. */
  readonly second: string;
}

let made: Promise<Authorities> | undefined;

export function authorities(): Promise<Authorities> {
  made ??= Promise.all([newAuthority(), newAuthority()]).then(([first, second]) => ({ first, second }));
  return made;
}

// ---------------------------------------------------------------------------------------------------

async function newAuthority(): Promise<string> {
  const { certificatePem } = await createAuthority(() => START_MS);
  return certificatePem;
}
