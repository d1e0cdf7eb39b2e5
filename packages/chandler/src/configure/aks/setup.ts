/**
 * What an AKS cluster must have for the controller: an identity, a credential that trusts its ServiceAccount, and roles. Decided from
 * the cluster and the options alone; the resources and the files are both made from it.
 */
import { BUILTIN_ROLES, resourceId, resourceName, stableGuid } from '../../arm/index.ts';
import { actionsOn, type PermissionScope, ROLE_GRANTS } from '../../cloud/azure/permissions/index.ts';
import type { AksCluster } from './read-cluster.ts';

export interface AksSetupOptions {
  /** Default `chandler-{cluster}`. */
  readonly identityName?: string | undefined;
  /** Default: that of the cluster. */
  readonly identityResourceGroup?: string | undefined;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly roles: RoleChoice;
  /** `AzurePublicCloud`. */
  readonly azureCloud: string;
}

/** `least-privilege`: custom roles with the actions that the controller uses. `built-in`: roles of Azure, which allow more. */
export type RoleChoice = 'least-privilege' | 'built-in';
export const ROLE_CHOICES: readonly RoleChoice[] = ['least-privilege', 'built-in'];

export interface AksSetup {
  readonly cluster: AksCluster;
  readonly azureCloud: string;
  readonly namespace: string;
  readonly serviceAccount: string;
  readonly identity: { readonly name: string; readonly resourceGroup: string; readonly id: string };
  readonly credential: {
    readonly name: string;
    readonly issuer: string;
    readonly subject: string;
    readonly audience: string;
  };
  readonly customRoles: readonly CustomRole[];
  readonly assignments: readonly RoleOnScope[];
}

export interface CustomRole {
  readonly on: PermissionScope;
  readonly guid: string;
  readonly name: string;
  readonly description: string;
  readonly actions: readonly string[];
  /** The resource group where it can be assigned. */
  readonly assignableScope: string;
}

export interface RoleOnScope {
  readonly on: PermissionScope;
  readonly scope: string;
  readonly roleGuid: string;
  readonly roleName: string;
  readonly isCustom: boolean;
  readonly why: string;
}

export function aksSetup(cluster: AksCluster, options: AksSetupOptions): AksSetup {
  const { namespace, serviceAccount, roles, azureCloud } = options;
  const name = options.identityName ?? `chandler-${cluster.name}`;
  const resourceGroup = options.identityResourceGroup ?? cluster.resourceGroup;
  const places = scopesOf(cluster);
  const customRoles = places.flatMap(([on, scope]) =>
    roles === 'least-privilege' && ROLE_GRANTS[on].isWide ? [customRole(cluster, on, scope)] : [],
  );
  return {
    cluster,
    azureCloud,
    namespace,
    serviceAccount,
    identity: {
      name,
      resourceGroup,
      id: `/subscriptions/${cluster.subscriptionId}/resourceGroups/${resourceGroup}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/${name}`,
    },
    credential: {
      name: 'chandler',
      issuer: cluster.issuer,
      subject: `system:serviceaccount:${namespace}:${serviceAccount}`,
      audience: AUDIENCE,
    },
    customRoles,
    assignments: places.map(([on, scope]) => assignment(on, scope, customRoles)),
  };
}

// ---------------------------------------------------------------------------------------------------------------

/** In every cloud of Azure: the webhook of workload identity requests tokens with it. */
const AUDIENCE = 'api://AzureADTokenExchange';

function scopesOf(cluster: AksCluster): readonly (readonly [PermissionScope, string])[] {
  const { nodeResourceGroupId, subnetId, kubeletIdentity, diskEncryptionSetId } = cluster;
  return [
    ['nodes', nodeResourceGroupId],
    ['subnet', subnetId],
    ...(kubeletIdentity === undefined ? [] : [['kubeletIdentity', kubeletIdentity.id] as const]),
    ['cluster', cluster.id],
    ...(diskEncryptionSetId === undefined ? [] : [['diskEncryptionSet', diskEncryptionSetId] as const]),
  ];
}

/** Custom roles can be assigned in resource groups and above. */
function customRole(cluster: AksCluster, on: PermissionScope, scope: string): CustomRole {
  const assignableScope = /^\/subscriptions\/[^/]+\/resourceGroups\/[^/]+/i.exec(scope)![0];
  return {
    on,
    guid: stableGuid('configure', cluster.id, on),
    // Unique in the tenant, which may have clusters of the same name.
    name: `Chandler ${on} ${cluster.name} ${stableGuid(cluster.id).slice(0, 8)}`,
    description: `What the controller of the cluster ${cluster.name} needs ${ROLE_GRANTS[on].why}.`,
    actions: actionsOn(on),
    assignableScope,
  };
}

function assignment(on: PermissionScope, scope: string, custom: readonly CustomRole[]): RoleOnScope {
  const { builtinRole, why } = ROLE_GRANTS[on];
  const own = custom.find((role) => role.on === on);
  const builtin = BUILTIN_ROLES.find(({ name }) => name === builtinRole)!;
  return {
    on,
    scope,
    roleGuid: own?.guid ?? builtin.guid,
    roleName: own?.name ?? builtin.name,
    isCustom: own !== undefined,
    why,
  };
}

/** `node resource group MC_shop`, for people. */
export function scopeText(on: PermissionScope, scope: string): string {
  if (on === 'nodes') return `node resource group ${scope.split('/').at(-1)}`;
  return `${SCOPE_WORDS[on]} ${resourceName(resourceId(scope))}`;
}

const SCOPE_WORDS: Readonly<Record<Exclude<PermissionScope, 'nodes'>, string>> = {
  subnet: 'subnet',
  kubeletIdentity: 'identity',
  cluster: 'cluster',
  diskEncryptionSet: 'disk encryption set',
};
