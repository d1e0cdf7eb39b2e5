/**
 * After a write through the client, the stores show it at once and need not wait for the watch. The answer of the
 * server is applied to the store; once the watch has reached that version the two agree. Where resourceVersions
 * cannot be ordered nothing is applied, and the watch alone decides.
 */
import { isStatus } from '../client/api-error.ts';
import { type ObjectKey, type ResourceRef, resourceName } from '../client/resource.ts';
import type { Written } from '../client/written.ts';
import type { Stored } from '../object.ts';

/** The part of a store that a write is shown to, whatever its kind. */
interface OverlaidStore {
  readonly resource: ResourceRef;
  overlay(object: Stored): void;
  overlayDeleted(key: ObjectKey, uid: string | undefined): void;
}

export class ReadYourWrites {
  readonly #stores = new Map<string, OverlaidStore[]>();

  /** A store whose reflector selects by namespace, label or field must say with `accepts` what belongs in it. */
  add(store: OverlaidStore): this {
    const name = resourceName(store.resource);
    const stores = this.#stores.get(name);
    if (stores) stores.push(store);
    else this.#stores.set(name, [store]);
    return this;
  }

  /** For `KubeClientOptions.onWrite`. */
  readonly onWrite = ({ resource, key, answer, verb }: Written): void => {
    for (const store of this.#stores.get(resourceName(resource)) ?? []) {
      if (!isStatus(answer)) store.overlay(answer);
      else if (verb === 'delete' && answer.status === 'Success')
        store.overlayDeleted(key, answer.details?.uid);
    }
  };
}
