/** The query parameters of the verbs, under their wire names, and the caller's signal. */

export interface Cancellable {
  readonly signal?: AbortSignal;
}

export interface GetOptions extends Cancellable {
  readonly resourceVersion?: string;
  /** `scale`, `status`. */
  readonly subresource?: string;
}

export interface ListOptions extends Cancellable {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
  readonly resourceVersionMatch?: 'Exact' | 'NotOlderThan';
  readonly timeoutSeconds?: number;
}

export interface WatchOptions extends Cancellable {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly resourceVersion?: string;
  readonly allowWatchBookmarks?: boolean;
  readonly timeoutSeconds?: number;
  /** The events come without `metadata.managedFields`, which costs as much to decode as the rest of a pod. */
  readonly omitManagedFields?: boolean;
}

export interface WriteOptions extends Cancellable {
  readonly subresource?: string;
  readonly dryRun?: 'All';
  readonly fieldManager?: string;
  readonly fieldValidation?: 'Ignore' | 'Warn' | 'Strict';
}

export interface PatchOptions extends WriteOptions {
  /** Apply only: take fields that another manager owns. */
  readonly force?: boolean;
}

export interface DeleteOptions extends Cancellable {
  /** The deletion is rejected when the object has another UID or has changed. */
  readonly preconditions?: { readonly uid?: string; readonly resourceVersion?: string };
  readonly propagationPolicy?: 'Orphan' | 'Background' | 'Foreground';
  readonly gracePeriodSeconds?: number;
  readonly dryRun?: 'All';
}
