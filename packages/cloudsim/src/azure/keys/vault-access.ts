/**
 * Whether a caller gets at a vault's keys: first the firewall, then the permission model that the vault has. The answer
 * is the error as the vault words it.
 */
import type { Access } from '../wire/access.ts';
import type { NetworkRules, Vault } from './vault.ts';

export type KeyPermission =
  | 'get'
  | 'list'
  | 'create'
  | 'update'
  | 'delete'
  | 'recover'
  | 'purge'
  | 'wrapKey'
  | 'unwrapKey';

export interface VaultCaller {
  /** Object id. */
  readonly principalId: string;
  readonly clientId?: string;
  /** Undefined: a service of Azure's own that vaults may trust. */
  readonly address: string | undefined;
}

export interface VaultRefusal {
  readonly innerCode: 'ForbiddenByFirewall' | 'ForbiddenByConnection' | 'ForbiddenByRbac' | 'AccessDenied';
  readonly message: string;
}

export function vaultRefusal(
  vault: Vault,
  caller: VaultCaller,
  permission: KeyPermission,
  access: Access,
): VaultRefusal | undefined {
  return firewallRefusal(vault, caller) ?? permissionRefusal(vault, caller, permission, access);
}

export function firewallRefusal(vault: Vault, caller: VaultCaller): VaultRefusal | undefined {
  const { networkAcls: rules, publicNetworkAccess } = vault.properties;
  if (caller.address === undefined) {
    const closed = publicNetworkAccess === 'Disabled' || rules?.defaultAction === 'Deny';
    return closed && rules?.bypass !== 'AzureServices' ? byFirewall(vault, caller) : undefined;
  }
  if (publicNetworkAccess === 'Disabled') return byConnection(vault);
  if (rules === undefined || rules.defaultAction === 'Allow' || isListed(rules, caller.address))
    return undefined;
  return byFirewall(vault, caller);
}

// ---------------------------------------------------------------------------------------------------

const DATA_ACTIONS: Readonly<Record<KeyPermission, string>> = {
  get: 'read',
  list: 'read',
  create: 'create/action',
  update: 'update/action',
  delete: 'delete',
  recover: 'recover/action',
  purge: 'purge/action',
  wrapKey: 'wrap/action',
  unwrapKey: 'unwrap/action',
};

function permissionRefusal(
  vault: Vault,
  caller: VaultCaller,
  permission: KeyPermission,
  access: Access,
): VaultRefusal | undefined {
  if (!vault.properties.enableRbacAuthorization) return policyRefusal(vault, caller, permission);
  const action = `Microsoft.KeyVault/vaults/keys/${DATA_ACTIONS[permission]}`;
  if (access.allowedData(caller.principalId, action, vault.id)) return undefined;
  return {
    innerCode: 'ForbiddenByRbac',
    message:
      'Caller is not authorized to perform action on resource.\r\nIf role assignments, deny assignments or role ' +
      `definitions were changed recently, please observe propagation time.\r\nCaller: ${callerText(vault, caller)}\r\n` +
      `Action: '${action}'\r\nResource: '${vault.id.toLowerCase()}'\r\nAssignment: (not found)\r\n` +
      `DenyAssignmentId: null\r\nDecisionReason: null\r\nVault: ${vault.name};location=${vault.location}\r\n`,
  };
}

function policyRefusal(
  vault: Vault,
  caller: VaultCaller,
  permission: KeyPermission,
): VaultRefusal | undefined {
  const policy = vault.properties.accessPolicies.find(
    (candidate) => candidate.objectId.toLowerCase() === caller.principalId.toLowerCase(),
  );
  const given = (policy?.permissions.keys ?? []).map((name) => name.toLowerCase());
  if (given.includes(permission.toLowerCase()) || given.includes('all')) return undefined;
  return {
    innerCode: 'AccessDenied',
    message:
      `The user, group or application '${callerText(vault, caller)}' does not have keys ${permission} permission on key ` +
      `vault '${vault.name};location=${vault.location}'. For help resolving this issue, please see ` +
      'https://go.microsoft.com/fwlink/?linkid=2125287',
  };
}

function byFirewall(vault: Vault, caller: VaultCaller): VaultRefusal {
  return {
    innerCode: 'ForbiddenByFirewall',
    message:
      `Client address is not authorized and caller is not a trusted service.\r\nClient address: ${caller.address ?? 'unknown'}\r\n` +
      `Caller: ${callerText(vault, caller)}\r\nVault: ${vault.name};location=${vault.location}`,
  };
}

function byConnection(vault: Vault): VaultRefusal {
  return {
    innerCode: 'ForbiddenByConnection',
    message:
      'Public network access is disabled and request is not from a trusted service nor via an approved private link.\r\n' +
      `Vault: ${vault.name};location=${vault.location}`,
  };
}

function isListed(rules: NetworkRules, address: string): boolean {
  return (rules.ipRules ?? []).some(({ value }) => value.replace(/\/32$/, '') === address);
}

function callerText(vault: Vault, caller: VaultCaller): string {
  const app = caller.clientId === undefined ? '' : `appid=${caller.clientId};`;
  return `${app}oid=${caller.principalId};iss=https://sts.windows.net/${vault.properties.tenantId}/`;
}
