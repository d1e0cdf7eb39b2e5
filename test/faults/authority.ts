/**
 * One certificate authority for all runs of a thread: generating keys takes real time and real randomness.
 */
import { createAuthority } from '@chandler/kube/tls';
import { START_MS } from './servers.ts';

let made: Promise<string> | undefined;

/** As PEM. */
export function authority(): Promise<string> {
  made ??= createAuthority(() => START_MS).then(({ certificatePem }) => certificatePem);
  return made;
}
