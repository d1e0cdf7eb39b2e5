/**
 * What the agent asks of Azure with the operator's credential: the Arc machine, role assignments, the cluster. One
 * question, one answer or a `FlexError`; retries, Retry-After and deadlines are inside, on the World's clock.
 */

export interface AzureSide {
  /** An ARM token of the operator, for `azcmagent connect`. Opaque: never printed, never in argv. */
  armToken(signal: AbortSignal): Promise<string>;
  /** The operator's token for the API servers of AKS: where a cluster has no local accounts. Opaque too. */
  clusterToken(signal: AbortSignal): Promise<string>;
  machine(signal: AbortSignal): Promise<ArcMachine | undefined>;
  /** `false`: there was none. */
  deleteMachine(signal: AbortSignal): Promise<boolean>;
  /** Idempotent: the id is made from scope, principal and role. */
  assignRole(role: RoleWish, signal: AbortSignal): Promise<RoleAssignment>;
  roleAssignments(
    scope: string,
    principalId: string,
    signal: AbortSignal,
  ): Promise<readonly RoleAssignment[]>;
  /** By full id. `false`: there was none. */
  deleteRoleAssignment(id: string, signal: AbortSignal): Promise<boolean>;
  cluster(signal: AbortSignal): Promise<ManagedClusterFacts>;
  /** A kubeconfig, as YAML text: admin (listClusterAdminCredential) or user (listClusterUserCredential). */
  kubeconfig(kind: 'admin' | 'user', signal: AbortSignal): Promise<string>;
}

export interface ArcMachine {
  readonly id: string;
  readonly name: string;
  readonly location: string;
  readonly principalId?: string;
  readonly tenantId?: string;
  readonly status?: string;
}

export interface RoleWish {
  readonly scope: string;
  readonly principalId: string;
  /** The role definition's GUID. */
  readonly roleId: string;
}

export interface RoleAssignment {
  readonly id: string;
  readonly principalId: string;
  /** The trailing GUID of the role definition, lower case. */
  readonly roleId: string;
}

export interface ManagedClusterFacts {
  readonly kubernetesVersion: string;
  readonly fqdn?: string;
  readonly privateFqdn?: string;
  readonly dnsServiceIp?: string;
  readonly localAccountsDisabled: boolean;
  readonly azureRbac: boolean;
}
