/**
 * Loads the certificate library when it is first needed: it costs a tenth of a second that a server without HTTPS
 * should not pay. Its dependency container wants reflect-metadata to be there first.
 */
import type * as X509 from '@peculiar/x509';

export function loadX509(): Promise<typeof X509> {
  library ??= import('reflect-metadata').then(() => import('@peculiar/x509'));
  return library;
}

// ---------------------------------------------------------------------------------------------------

let library: Promise<typeof X509> | undefined;
