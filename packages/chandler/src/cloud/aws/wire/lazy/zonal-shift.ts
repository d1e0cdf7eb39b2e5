/** Zonal shift of ARC, loaded on first use as the SDK clients are: `chandler --help` must not load a signer. */
import { type RestCommand, restJsonClient } from '../rest-json-client.ts';

export const Client = restJsonClient('arc-zonal-shift');

export class GetManagedResourceCommand implements RestCommand {
  readonly method = 'GET';
  readonly path: string;

  constructor({ resourceIdentifier }: { readonly resourceIdentifier: string }) {
    this.path = `/managedresources/${encodeURIComponent(resourceIdentifier)}`;
  }
}
