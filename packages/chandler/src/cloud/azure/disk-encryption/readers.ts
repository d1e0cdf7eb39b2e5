/**
 * The readers of evidence over the official SDK clients: one call each, trimmed to the facts that are judged. The
 * subscription always comes from the ID that is read, which need not be the controller's own.
 */
import type { DiskEncryptionSet } from '@azure/arm-compute';
import type { Vault } from '@azure/arm-keyvault';
import type { KeyVaultKey } from '@azure/keyvault-keys';
import { type ArmClients, pagesOf, resourceId, resourceName } from '../../../arm/index.ts';
import type {
  DiskEncryptionReaders,
  DiskEncryptionSetFacts,
  KeyAddress,
  KeyFacts,
  RoleAssignmentFacts,
  RoleDefinitionFacts,
  VaultFacts,
} from './evidence/facts.ts';

type Clients = Pick<ArmClients, 'compute' | 'keyVault' | 'authorization' | 'keys'>;

export function diskEncryptionReaders(clients: Clients): DiskEncryptionReaders {
  return {
    async diskEncryptionSet(id) {
      const compute = await clients.compute(id.subscription);
      return setFacts(await compute.diskEncryptionSets.get(id.resourceGroup, id.name));
    },
    async vault(vaultId) {
      const id = resourceId(vaultId, 'Microsoft.KeyVault/vaults');
      const keyVault = await clients.keyVault(id.subscriptionId);
      return vaultFacts(await keyVault.vaults.get(id.resourceGroup, resourceName(id)));
    },
    async key(key) {
      return keyFacts(await readKey(clients, key));
    },
    async deletedKey(key) {
      const deleted = await (await clients.keys(key.vaultUrl)).getDeletedKey(key.name);
      return { scheduledPurgeMs: deleted.properties.scheduledPurgeDate?.getTime() };
    },
    async roleAssignments(vaultId, principalId) {
      const authorization = await clients.authorization(resourceId(vaultId).subscriptionId);
      // This filter, unlike `principalId eq`, also finds what comes through groups.
      const options = { filter: `assignedTo('${principalId}')` };
      const found: RoleAssignmentFacts[] = [];
      for await (const each of pagesOf(authorization.roleAssignments.listForScope(vaultId, options))) {
        if (each.scope === undefined || each.roleDefinitionId === undefined) continue;
        found.push({ scope: each.scope, roleDefinitionId: each.roleDefinitionId });
      }
      return found;
    },
    async roleDefinition(roleDefinitionId) {
      const authorization = await clients.authorization();
      return definitionFacts(await authorization.roleDefinitions.getById(roleDefinitionId));
    },
  };
}

// ---------------------------------------------------------------------------------------------------

async function readKey(clients: Clients, key: KeyAddress): Promise<KeyVaultKey> {
  const keys = await clients.keys(key.vaultUrl);
  return keys.getKey(key.name, key.version === undefined ? {} : { version: key.version });
}

function setFacts(set: DiskEncryptionSet): DiskEncryptionSetFacts {
  const users = Object.values(set.identity?.userAssignedIdentities ?? {});
  const principals = [set.identity?.principalId, ...users.map((user) => user?.principalId)];
  const error = set.autoKeyRotationError;
  const federated = set.federatedClientId;
  return {
    location: set.location,
    provisioningState: set.provisioningState,
    encryptionType: set.encryptionType,
    principalIds: principals.flatMap((id) => (id === undefined || id === '' ? [] : [id])),
    keyUrl: set.activeKey?.keyUrl,
    vaultId: set.activeKey?.sourceVault?.id,
    rotationError:
      error?.code === undefined && error?.message === undefined
        ? undefined
        : { code: error.code ?? '', message: error.message ?? '' },
    federatedClientId: federated === undefined || federated === 'None' ? undefined : federated,
  };
}

function vaultFacts({ properties }: Vault): VaultFacts {
  return {
    rbac: properties.enableRbacAuthorization === true,
    policies: (properties.accessPolicies ?? []).map((policy) => ({
      objectId: policy.objectId,
      keyPermissions: policy.permissions.keys ?? [],
    })),
    defaultAction: properties.networkAcls?.defaultAction,
    bypass: properties.networkAcls?.bypass,
    publicNetworkAccess: properties.publicNetworkAccess,
  };
}

function keyFacts({ properties }: KeyVaultKey): KeyFacts {
  return {
    // A key without the attribute is enabled.
    enabled: properties.enabled !== false,
    notBeforeMs: properties.notBefore?.getTime(),
    expiresMs: properties.expiresOn?.getTime(),
  };
}

function definitionFacts(role: {
  readonly roleName?: string;
  readonly permissions?: readonly { readonly dataActions?: string[]; readonly notDataActions?: string[] }[];
}): RoleDefinitionFacts {
  const permissions = role.permissions ?? [];
  return {
    name: role.roleName ?? '',
    dataActions: permissions.flatMap((each) => each.dataActions ?? []),
    notDataActions: permissions.flatMap((each) => each.notDataActions ?? []),
  };
}
