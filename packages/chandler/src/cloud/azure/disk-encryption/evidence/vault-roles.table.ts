/**
 * What the identity of a disk encryption set needs on its vault, and the built-in roles that hold all of it.
 * Source: Azure's built-in roles and its guide to customer-managed keys for managed disks, as of 2026-08.
 */

/** In the words of access policies. */
export const NEEDED_KEY_PERMISSIONS = ['get', 'wrapKey', 'unwrapKey'] as const;

/** The same in the words of roles. */
export const NEEDED_DATA_ACTIONS: readonly string[] = [
  'Microsoft.KeyVault/vaults/keys/read',
  'Microsoft.KeyVault/vaults/keys/wrap/action',
  'Microsoft.KeyVault/vaults/keys/unwrap/action',
];

/** By the GUID of the role definition. Other roles are judged by what they contain. */
export const SUFFICIENT_ROLES: ReadonlyMap<string, string> = new Map([
  ['e147488a-f6f5-4113-8e2d-b22465e65bf6', 'Key Vault Crypto Service Encryption User'],
  ['12338af0-0e69-4776-bea7-57ae8d297424', 'Key Vault Crypto User'],
  ['14b46e9e-c2b7-41b4-b07b-48a6ebf60603', 'Key Vault Crypto Officer'],
  ['00482a5a-887f-4fb3-b363-3b7fe8e74483', 'Key Vault Administrator'],
]);
