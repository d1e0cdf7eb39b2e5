/** A write that the server accepted, as the client reports it to `onWrite`. */
import type { Status, Stored } from '../object.ts';
import type { ObjectKey, ResourceRef } from './resource.ts';

export interface Written {
  readonly resource: ResourceRef;
  readonly key: ObjectKey;
  /** The object as it is now, or the Status of a deletion that is complete. */
  readonly answer: Stored | Status;
  readonly verb: 'create' | 'update' | 'patch' | 'delete';
}
