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
  | 'setupRoles'
  | 'nodePolicies'
  | 'passedRole'
  | 'policies'
  | 'providers'
  | 'queues'
  | 'rules'
  | 'setupQueue'
  | 'setupRules'
  | 'keys'
  | 'network'
  | 'parameters';
