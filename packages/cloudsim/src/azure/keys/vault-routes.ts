/**
 * Vaults over ARM: read, list, create, delete, and what was deleted. The keys inside are in key-routes.ts.
 */
import { formatResourceId } from '../store/resource-id.ts';
import { type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, invalidRequestContent, resourceNotFound } from '../wire/errors.ts';
import { type DeletedVault, VAULT_TYPE, type Vault, type VaultProperties, type Vaults } from './vault.ts';

export const VAULT_VERSIONS = ['2022-07-01', '2023-07-01', '2024-11-01', '2025-05-01', '2026-02-01'];

export function vaultRoutes(context: ArmContext, vaults: Vaults): readonly ArmRoute[] {
  const group = '/subscriptions/{sub}/resourceGroups/{rg}/providers/Microsoft.KeyVault/vaults';
  const provider = '/subscriptions/{sub}/providers/Microsoft.KeyVault';
  const version = { apiVersions: VAULT_VERSIONS } as const;
  const found = (request: ArmRequest): Vault => {
    context.store.requireResourceGroup(request.params['sub']!, request.params['rg']!);
    const vault = vaults.get(idOf(request));
    if (vault === undefined)
      throw resourceNotFound(VAULT_TYPE, request.params['name']!, request.params['rg']!);
    return vault;
  };
  return [
    { ...version, method: 'GET', pattern: `${group}/{name}`, handle: (request) => ok(found(request)) },
    {
      ...version,
      method: 'GET',
      pattern: group,
      handle(request) {
        const { sub, rg } = request.params as { sub: string; rg: string };
        context.store.requireResourceGroup(sub, rg);
        return ok({ value: vaults.list({ subscriptionId: sub, resourceGroup: rg }) });
      },
    },
    {
      ...version,
      method: 'GET',
      pattern: `${provider}/vaults`,
      handle: (request) => ok({ value: vaults.list({ subscriptionId: request.params['sub']! }) }),
    },
    {
      ...version,
      method: 'PUT',
      pattern: `${group}/{name}`,
      handle: (request) => putVault(context, vaults, request),
    },
    {
      ...version,
      method: 'DELETE',
      pattern: `${group}/{name}`,
      handle: (request) =>
        vaults.delete(idOf(request), context.world.clock.now()) === undefined
          ? { status: 204 }
          : { status: 200 },
    },
    {
      ...version,
      method: 'GET',
      pattern: `${provider}/deletedVaults`,
      handle: () => ok({ value: vaults.deleted().map(deletedBody) }),
    },
    {
      ...version,
      method: 'GET',
      pattern: `${provider}/locations/{location}/deletedVaults/{name}`,
      handle(request) {
        const name = request.params['name']!.toLowerCase();
        const deleted = vaults.deleted().find(({ vault }) => vault.name.toLowerCase() === name);
        if (deleted === undefined)
          throw armError(
            404,
            'DeletedVaultNotFound',
            `The deleted vault ${request.params['name']} does not exist.`,
          );
        return ok(deletedBody(deleted));
      },
    },
  ];
}

/** A vault with everything that Azure would fill in. */
export function newVault(
  at: {
    readonly subscriptionId: string;
    readonly resourceGroup: string;
    readonly name: string;
    readonly location: string;
  },
  properties: Partial<VaultProperties> & { readonly tenantId: string },
): Vault {
  return {
    id: formatResourceId({
      subscriptionId: at.subscriptionId,
      resourceGroup: at.resourceGroup,
      type: VAULT_TYPE,
      names: [at.name],
    }),
    name: at.name,
    type: VAULT_TYPE,
    location: at.location,
    tags: {},
    properties: {
      sku: { family: 'A', name: 'standard' },
      vaultUri: `https://${at.name.toLowerCase()}.vault.azure.net/`,
      enableRbacAuthorization: true,
      accessPolicies: [],
      publicNetworkAccess: 'Enabled',
      enableSoftDelete: true,
      softDeleteRetentionInDays: 90,
      enablePurgeProtection: true,
      provisioningState: 'Succeeded',
      ...properties,
    },
  };
}

// ---------------------------------------------------------------------------------------------------

function idOf(request: ArmRequest): string {
  const { sub, rg, name } = request.params as { sub: string; rg: string; name: string };
  return formatResourceId({ subscriptionId: sub, resourceGroup: rg, type: VAULT_TYPE, names: [name] });
}

function putVault(context: ArmContext, vaults: Vaults, request: ArmRequest) {
  const { sub, rg, name } = request.params as { sub: string; rg: string; name: string };
  context.store.requireResourceGroup(sub, rg);
  const body = request.body as { location?: string; properties?: Partial<VaultProperties> } | undefined;
  if (!body?.location || body.properties === undefined)
    throw invalidRequestContent('location and properties are required');
  if (!/^[A-Za-z][A-Za-z0-9-]{1,22}[A-Za-z0-9]$/.test(name))
    throw armError(400, 'VaultNameNotValid', `The vault name '${name}' is invalid.`);
  const known = vaults.get(idOf(request));
  const { vaultUri: _theirs, provisioningState: _state, ...given } = body.properties;
  const fresh = newVault(
    { subscriptionId: sub, resourceGroup: rg, name, location: body.location },
    { tenantId: context.settings.tenantId, ...given },
  );
  const vaultUri = known?.properties.vaultUri ?? fresh.properties.vaultUri;
  return ok(vaults.put({ ...fresh, properties: { ...fresh.properties, vaultUri } }));
}

function deletedBody({ vault, deletedMs, purgeMs }: DeletedVault) {
  const subscription = /^\/subscriptions\/[^/]+/i.exec(vault.id)![0];
  return {
    id: `${subscription}/providers/Microsoft.KeyVault/locations/${vault.location}/deletedVaults/${vault.name}`,
    name: vault.name,
    type: 'Microsoft.KeyVault/deletedVaults',
    properties: {
      vaultId: vault.id,
      location: vault.location,
      tags: vault.tags ?? {},
      deletionDate: new Date(deletedMs).toISOString(),
      scheduledPurgeDate: new Date(purgeMs).toISOString(),
      purgeProtectionEnabled: vault.properties.enablePurgeProtection ?? false,
    },
  };
}
