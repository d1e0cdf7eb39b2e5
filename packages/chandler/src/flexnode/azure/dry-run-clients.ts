/**
 * The Azure and cluster clients of a dry run. They read the Arc machine, the cluster and the role assignments; operations
 * that change something or return a credential are only recorded in the plan. If a read fails, the plan reports it and
 * continues as if the object did not exist.
 */

import { lastSegment, roleAssignmentId } from '../../arm/index.ts';
import type { FlexConfig } from '../config/config.ts';
import { FlexError } from '../flex-error.ts';
import type { AzureClient, ManagedClusterFacts } from './azure-client.ts';
import type { ClusterClient } from './cluster-client.ts';
import { DOCUMENT_ROLES } from './document-roles.table.ts';
import { PLACEHOLDER_CA } from './placeholder-ca.ts';

export interface DryRunOptions {
  readonly config: FlexConfig;
  /** One sentence of the plan: `would delete the Arc machine edge-01`. */
  readonly note: (what: string) => void;
}

/** Placeholders for values that only Azure can provide. */
export const PLACEHOLDER_TOKEN = '(a token of the operator)';
export const PLACEHOLDER_PRINCIPAL = '(the principal ID that Azure assigns to this machine)';

/** Without `real` nothing is read: a plan for a machine without network access. */
export function createDryRunAzureClient(
  options: DryRunOptions & { readonly real?: AzureClient },
): AzureClient {
  const { config, note, real } = options;
  const { name } = config.azure.targetCluster;
  const look = async <T>(what: string, otherwise: T, read?: () => Promise<T>): Promise<T> => {
    if (read === undefined) return otherwise;
    try {
      return await read();
    } catch (error) {
      if (!(error instanceof FlexError)) throw error;
      note(`could not read ${what}: ${error.facts.message}`);
      return otherwise;
    }
  };
  return {
    signIn: async () => undefined,
    // Only `azcmagent connect` is given one.
    async armToken() {
      const { machineName, resourceGroup, location } = config.azure.arc;
      note(
        `would create the Arc machine ${machineName} in resource group ${resourceGroup} (${location}), authenticated ${operatorOf(config)}`,
      );
      return PLACEHOLDER_TOKEN;
    },
    clusterToken: async () => PLACEHOLDER_TOKEN,
    machine: (signal) => look('the Arc machine', undefined, real && (() => real.machine(signal))),
    async deleteMachine() {
      note(`would delete the Arc machine ${config.azure.arc.machineName}`);
      return true;
    },
    async assignRole(request) {
      note(`would assign ${roleName(request.roleId)} to ${request.principalId} on ${request.scope}`);
      return {
        id: roleAssignmentId(request),
        principalId: request.principalId,
        roleId: lastSegment(request.roleId),
      };
    },
    roleAssignments: (scope, principalId, signal) =>
      principalId === PLACEHOLDER_PRINCIPAL
        ? Promise.resolve([])
        : look('role assignments', [], real && (() => real.roleAssignments(scope, principalId, signal))),
    async deleteRoleAssignment(id) {
      note(`would delete the role assignment ${id}`);
      return true;
    },
    cluster: (signal) => look('the cluster', unknownCluster(config), real && (() => real.cluster(signal))),
    async kubeconfig(kind, signal) {
      note(`would request from Azure the ${kind} kubeconfig of the cluster ${name}`);
      const facts = await look('the cluster', unknownCluster(config), real && (() => real.cluster(signal)));
      const host = facts.fqdn ?? facts.privateFqdn ?? `${name}.invalid`;
      return placeholderKubeconfig(name, `https://${host}:443`);
    },
  };
}

export function createDryRunClusterClient(options: DryRunOptions): ClusterClient {
  const { config, note } = options;
  return {
    isDryRun: true,
    serverVersion: async () => `v${config.kubernetes.version}`,
    whoAmI: async () => ({ username: PLACEHOLDER_PRINCIPAL, groups: [] }),
    mayBind: async () => 'yes',
    async bindUser(_address, _credential, binding) {
      note(
        `would bind user ${binding.user} to ClusterRole ${binding.clusterRole} (ClusterRoleBinding ${binding.name})`,
      );
    },
    binding: async () => undefined,
    async deleteBinding(_address, _credential, name) {
      note(`would delete the ClusterRoleBinding ${name}`);
      return true;
    },
    clientCa: async () => undefined,
    // The API server cannot be called, because the credential is a placeholder, too.
    node: async () => undefined,
    async labelNode(_address, _credential, name, labels) {
      note(`would set labels on the Node ${name}: ${Object.keys(labels).join(', ')}`);
    },
    async deleteNode(_address, _credential, name) {
      note(`would delete the Node ${name}`);
      return true;
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function operatorOf({ azure: { servicePrincipal, tenantId } }: FlexConfig): string {
  return servicePrincipal === undefined
    ? `with the Azure CLI (tenant ${tenantId})`
    : `as service principal ${servicePrincipal.clientId}`;
}

function roleName(roleId: string): string {
  const id = lastSegment(roleId);
  const known = DOCUMENT_ROLES.find((role) => role.id === id);
  return known === undefined ? `role ${id}` : `role ${known.name} (${id})`;
}

function unknownCluster(config: FlexConfig): ManagedClusterFacts {
  return { kubernetesVersion: config.kubernetes.version, localAccountsDisabled: false, azureRbac: false };
}

function placeholderKubeconfig(name: string, server: string): string {
  return [
    'apiVersion: v1',
    'kind: Config',
    `current-context: ${name}`,
    'contexts:',
    `- name: ${name}`,
    `  context: {cluster: ${name}, user: operator}`,
    'clusters:',
    `- name: ${name}`,
    `  cluster: {server: "${server}", certificate-authority-data: "${PLACEHOLDER_CA}"}`,
    'users:',
    '- name: operator',
    `  user: {token: "${PLACEHOLDER_TOKEN}"}`,
    '',
  ].join('\n');
}
