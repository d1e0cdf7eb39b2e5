/**
 * Keys of customers, as one provider of the ARM server: vaults and their keys, disk encryption sets, and the answer to
 * whether a disk can be encrypted.
 */
import type { Provider } from '../wire/context.ts';
import { DiskEncryption } from './disk-encryption-set.ts';
import { keyRoutes } from './key-routes.ts';
import { KeyStore } from './key-store.ts';
import { setRoutes } from './set-routes.ts';
import { Vaults } from './vault.ts';
import { vaultRoutes } from './vault-routes.ts';

export interface KeyServices {
  readonly vaults: Vaults;
  readonly keys: KeyStore;
  readonly sets: DiskEncryption;
}

/** `ready` is called with the parts, for code that seeds and breaks them. */
export function keysProvider(ready: (services: KeyServices) => void = () => {}): Provider {
  return (context) => {
    const keys = new KeyStore();
    const vaults = new Vaults(context.store);
    const sets = new DiskEncryption(context, vaults, keys);
    context.services.encryption = sets;
    ready({ vaults, keys, sets });
    return [
      ...setRoutes(context, sets),
      ...vaultRoutes(context, vaults),
      ...keyRoutes(context, vaults, keys),
    ];
  };
}
