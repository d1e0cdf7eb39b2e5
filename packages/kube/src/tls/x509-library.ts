/**
 * Loads the certificate library when it is first needed: it costs a tenth of a second that a server without HTTPS
 * should not pay.
 */
import type * as X509 from '@peculiar/x509';

export async function loadX509(): Promise<typeof X509> {
  const { x509 } = await import('./lazy/x509.ts');
  return x509;
}
