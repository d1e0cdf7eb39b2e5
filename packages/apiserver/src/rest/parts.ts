/** What every handler works with: the server without HTTP. */
import type { Turns, World } from '@chandler/kube';
import type { LiveCatalogue } from '../catalogue.ts';
import type { Authenticator } from '../edge/auth/authenticator.ts';
import type { RbacAuthorizer } from '../edge/auth/rbac.ts';
import type { ServiceAccountTokens } from '../edge/auth/service-account-tokens.ts';
import type { Store } from '../storage/store.ts';
import type { Admission } from './admission/admission.ts';

export interface Parts {
  readonly world: World;
  readonly store: Store;
  readonly catalogue: LiveCatalogue;
  readonly admission: Admission;
  readonly authenticator: Authenticator;
  readonly authorizer: RbacAuthorizer;
  readonly serviceAccounts: ServiceAccountTokens;
  /** Watches in progress: they end with the server. */
  readonly watches: Set<OpenWatch>;
  /** Events that may wait for a slow reader, beyond those a watch starts with. */
  readonly watchQueueLimit: number;
  /** New objects get a record of who wrote which field. One that has none gets none by later writes but apply. */
  readonly managedFields: boolean;
  /** Where callers in this process share the event loop with others. */
  readonly turns?: Turns;
}

/** A watch that is being served, as the code that ends it sees it. */
export interface OpenWatch {
  /** The storage key of the resource it watches. */
  readonly storageKey: string;
  /** Ends it from the server's side: what is ready can still be read. */
  finish(): void;
}
