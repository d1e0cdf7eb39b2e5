/**
 * Loads the certificate library when it is first needed: it costs a tenth of a second that a server without HTTPS
 * should not pay. Its dependency container wants reflect-metadata to be there first.
 */
import type * as X509 from '@peculiar/x509';

export function loadX509(): Promise<typeof X509> {
  library ??= load();
  return library;
}

// ---------------------------------------------------------------------------------------------------

let library: Promise<typeof X509> | undefined;

/** In the bundle the library is CommonJS, and all of it is its default export. */
async function load(): Promise<typeof X509> {
  await import('reflect-metadata');
  const loaded = (await import('@peculiar/x509')) as unknown as typeof X509 & {
    readonly default?: typeof X509;
  };
  return loaded.default ?? loaded;
}
