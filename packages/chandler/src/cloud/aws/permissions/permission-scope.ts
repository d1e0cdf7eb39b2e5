/** On what a permission of a person who runs a verb is needed. */

export interface PermissionOn {
  /** What it is called on. */
  readonly on: PermissionScope;
  /** Completes "It is needed to …". */
  readonly to: string;
}

export type PermissionScope =
  | 'anything'
  | 'regional'
  | 'cluster'
  | 'associations'
  | 'accessEntries'
  | 'instanceProfiles'
  | 'roles'
  | 'policies'
  | 'providers'
  | 'queues'
  | 'rules'
  | 'keys'
  | 'network'
  | 'parameters';
