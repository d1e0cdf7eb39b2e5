/**
 * The Azure operations of the agent, with the credential of the operator: the Arc machine, role assignments, the cluster.
 * Every method returns a result or throws a `FlexError`; the implementation handles retries, Retry-After and timeouts.
 */
import type { RoleAssignmentRequest } from '../../arm/index.ts';

export interface AzureClient {
  /** Lets the operator log in at the terminal, if that is needed. It may take minutes. */
  signIn(signal: AbortSignal): Promise<void>;
  /** An ARM token of the operator, for `azcmagent connect`. Opaque: never printed, never in argv. */
  armToken(signal: AbortSignal): Promise<string>;
  /** The operator's token for the API servers of AKS, for clusters without local accounts. Opaque, too. */
  clusterToken(signal: AbortSignal): Promise<string>;
  machine(signal: AbortSignal): Promise<ArcMachine | undefined>;
  /** Returns `false` if it does not exist. */
  deleteMachine(signal: AbortSignal): Promise<boolean>;
  /** Idempotent: the id is made from scope, principal and role. */
  assignRole(role: RoleAssignmentRequest, signal: AbortSignal): Promise<RoleAssignment>;
  roleAssignments(
    scope: string,
    principalId: string,
    signal: AbortSignal,
  ): Promise<readonly RoleAssignment[]>;
  /** By full resource ID. Returns `false` if it does not exist. */
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

export interface RoleAssignment {
  readonly id: string;
  readonly principalId: string;
  /** The trailing GUID of the role definition, lower case. */
  readonly roleId: string;
}

export interface ManagedClusterFacts {
  readonly kubernetesVersion: string;
  /** As the config writes it: lower case, without spaces. */
  readonly location?: string;
  readonly fqdn?: string;
  readonly privateFqdn?: string;
  readonly dnsServiceIp?: string;
  readonly localAccountsDisabled: boolean;
  readonly azureRbac: boolean;
}
