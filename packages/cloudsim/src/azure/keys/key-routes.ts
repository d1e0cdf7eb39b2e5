/**
 * Keys over the address of the vault (data plane), with its own authentication: a request without a token gets a
 * challenge. Also the few facts about keys that ARM shows. Key material is never returned: `n` is a fixed number.
 */
import {
  type ArmAnswer,
  type ArmRequest,
  type ArmRoute,
  type Method,
  ok,
  type Principal,
} from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { ArmError, resourceNotFound } from '../wire/errors.ts';
import type { DeletedKey, KeyChange, KeyStore, KeyVersion, VaultKey } from './key-store.ts';
import { isVaultHost, VAULT_TYPE, type Vault, type Vaults } from './vault.ts';
import { type KeyPermission, vaultRefusal } from './vault-access.ts';
import { VAULT_VERSIONS } from './vault-routes.ts';

/** The audience of tokens for vaults. */
export const VAULT_AUDIENCE = 'https://vault.azure.net';

export function keyRoutes(context: ArmContext, vaults: Vaults, keys: KeyStore): readonly ArmRoute[] {
  return [...dataPlaneRoutes(context, vaults, keys), ...armKeyRoutes(context, vaults, keys)];
}

// ---------------------------------------------------------------------------------------------------

interface KeyCall {
  readonly request: ArmRequest;
  readonly context: ArmContext;
  readonly vault: Vault;
  readonly keys: KeyStore;
  readonly nowMs: number;
  /** Of the key; empty for lists. */
  readonly name: string;
}

interface KeyVerb {
  readonly method: Method;
  readonly pattern: string;
  readonly permission: KeyPermission;
  answer(call: KeyCall): ArmAnswer;
}

const VERSIONS = ['7.3', '7.4', '7.5', '7.6', '2025-07-01'];

const VERBS: readonly KeyVerb[] = [
  { method: 'GET', pattern: '/keys', permission: 'list', answer: listKeys },
  { method: 'GET', pattern: '/keys/{name}', permission: 'get', answer: getKey },
  { method: 'GET', pattern: '/keys/{name}/versions', permission: 'list', answer: listVersions },
  { method: 'GET', pattern: '/keys/{name}/{version}', permission: 'get', answer: getKey },
  { method: 'POST', pattern: '/keys/{name}/create', permission: 'create', answer: createKey },
  { method: 'PATCH', pattern: '/keys/{name}/{version}', permission: 'update', answer: updateKey },
  { method: 'DELETE', pattern: '/keys/{name}', permission: 'delete', answer: deleteKey },
  { method: 'GET', pattern: '/deletedkeys', permission: 'list', answer: listDeletedKeys },
  { method: 'GET', pattern: '/deletedkeys/{name}', permission: 'get', answer: getDeletedKey },
  { method: 'POST', pattern: '/deletedkeys/{name}/recover', permission: 'recover', answer: recoverKey },
  { method: 'DELETE', pattern: '/deletedkeys/{name}', permission: 'purge', answer: purgeKey },
];

function dataPlaneRoutes(context: ArmContext, vaults: Vaults, keys: KeyStore): ArmRoute[] {
  return VERBS.map(({ method, pattern, permission, answer }) => ({
    method,
    pattern,
    apiVersions: VERSIONS,
    access: 'own',
    handle(request) {
      const caller = signIn(context, request);
      if (caller === undefined) return challenge(context);
      const vault = vaultOf(vaults, request);
      if (vault === undefined)
        return refused(404, 'VaultNotFound', `There is no vault at ${request.baseUrl}.`);
      const who = { principalId: caller.objectId, clientId: caller.clientId, address: CLIENT_ADDRESS };
      const refusal = vaultRefusal(vault, who, permission, context.access);
      if (refusal !== undefined) return refused(403, 'Forbidden', refusal.message, refusal.innerCode);
      const nowMs = context.world.clock.now();
      return answer({ request, context, vault, keys, nowMs, name: request.params['name'] ?? '' });
    },
  }));
}

/** Everybody comes from this host. */
const CLIENT_ADDRESS = '127.0.0.1';

function signIn(context: ArmContext, request: ArmRequest): Principal | undefined {
  try {
    return context.tokens.verify(request.headers['authorization'], [VAULT_AUDIENCE]);
  } catch (error) {
    if (error instanceof ArmError && error.status === 401) return undefined;
    throw error;
  }
}

function challenge(context: ArmContext): ArmAnswer {
  const authority = `https://login.microsoftonline.com/${context.settings.tenantId}`;
  return {
    ...refused(401, 'Unauthorized', 'AKV10000: Request is missing a Bearer or PoP token.'),
    headers: { 'www-authenticate': `Bearer authorization="${authority}", resource="${VAULT_AUDIENCE}"` },
  };
}

/** By the host that was called; where all is behind one address, the only vault or the one that has the key. */
function vaultOf(vaults: Vaults, request: ArmRequest): Vault | undefined {
  const { host } = new URL(request.baseUrl);
  return vaults.atHost(host) ?? (isVaultHost(host) ? undefined : vaults.only());
}

function refused(status: number, code: string, message: string, innerCode?: string): ArmAnswer {
  const inner = innerCode === undefined ? {} : { innererror: { code: innerCode } };
  return { status, body: { error: { code, message, ...inner } } };
}

function keyNotFound(call: KeyCall): ArmAnswer {
  const version = call.request.params['version'];
  const named = `${call.name}${version ? `/${version}` : ''}`;
  return refused(
    404,
    'KeyNotFound',
    `A key with (name/id) ${named} was not found in this key vault. If you recently deleted this key you may be able to ` +
      'recover it using the correct recovery command. For help resolving this issue, please see ' +
      'https://go.microsoft.com/fwlink/?linkid=2125182',
  );
}

// What the verbs do, in the order of the table.

function listKeys({ keys, vault }: KeyCall): ArmAnswer {
  const value = keys.list(vault.name).map((key) => itemOf(vault, key, key.versions.at(-1)!, false));
  return ok({ value, nextLink: null });
}

function getKey(call: KeyCall): ArmAnswer {
  const key = call.keys.get(call.vault.name, call.name);
  const version = call.keys.version(call.vault.name, call.name, call.request.params['version']);
  return key && version ? ok(bundleOf(call.vault, key, version)) : keyNotFound(call);
}

function listVersions(call: KeyCall): ArmAnswer {
  const key = call.keys.get(call.vault.name, call.name);
  if (key === undefined) return keyNotFound(call);
  return ok({ value: key.versions.map((version) => itemOf(call.vault, key, version, true)), nextLink: null });
}

function createKey(call: KeyCall): ArmAnswer {
  if (call.keys.deleted(call.vault.name, call.name) !== undefined)
    return refused(
      409,
      'Conflict',
      `Key ${call.name} is currently in a deleted but recoverable state, and its name cannot be reused.`,
      'ObjectIsDeletedButRecoverable',
    );
  const version = call.context.world.random.uuid().replaceAll('-', '');
  const key = call.keys.create(call.vault.name, call.name, version, call.nowMs, changeOf(call.request.body));
  return ok(bundleOf(call.vault, key, key.versions.at(-1)!));
}

function updateKey(call: KeyCall): ArmAnswer {
  if (call.keys.get(call.vault.name, call.name) === undefined) return keyNotFound(call);
  call.keys.update(call.vault.name, call.name, changeOf(call.request.body), call.nowMs);
  return getKey(call);
}

function deleteKey(call: KeyCall): ArmAnswer {
  const deleted = call.keys.delete(call.vault.name, call.name, call.nowMs);
  return deleted === undefined ? keyNotFound(call) : ok(deletedOf(call.vault, deleted));
}

function listDeletedKeys({ keys, vault }: KeyCall): ArmAnswer {
  return ok({ value: keys.listDeleted(vault.name).map((key) => deletedOf(vault, key)), nextLink: null });
}

function getDeletedKey(call: KeyCall): ArmAnswer {
  const deleted = call.keys.deleted(call.vault.name, call.name);
  return deleted === undefined ? keyNotFound(call) : ok(deletedOf(call.vault, deleted));
}

function recoverKey(call: KeyCall): ArmAnswer {
  const key = call.keys.recover(call.vault.name, call.name);
  return key === undefined ? keyNotFound(call) : ok(bundleOf(call.vault, key, key.versions.at(-1)!));
}

function purgeKey(call: KeyCall): ArmAnswer {
  if (call.vault.properties.enablePurgeProtection === true)
    return refused(
      403,
      'Forbidden',
      'Operation "purge" is not allowed because purge protection is enabled for this vault.',
    );
  return call.keys.purge(call.vault.name, call.name) ? { status: 204 } : keyNotFound(call);
}

function changeOf(body: unknown): KeyChange {
  const given = (body as { attributes?: { enabled?: boolean; nbf?: number; exp?: number } } | undefined)
    ?.attributes;
  return {
    ...(given?.enabled === undefined ? {} : { enabled: given.enabled }),
    ...(given?.nbf === undefined ? {} : { notBeforeMs: given.nbf * 1000 }),
    ...(given?.exp === undefined ? {} : { expiresMs: given.exp * 1000 }),
  };
}

function kid(vault: Vault, key: VaultKey, version: KeyVersion | undefined): string {
  return `${vault.properties.vaultUri}keys/${key.name}${version ? `/${version.version}` : ''}`;
}

function attributesOf(version: KeyVersion) {
  const seconds = (ms: number) => Math.floor(ms / 1000);
  return {
    enabled: version.enabled,
    ...(version.notBeforeMs === undefined ? {} : { nbf: seconds(version.notBeforeMs) }),
    ...(version.expiresMs === undefined ? {} : { exp: seconds(version.expiresMs) }),
    created: seconds(version.createdMs),
    updated: seconds(version.updatedMs),
    recoveryLevel: 'Recoverable',
    recoverableDays: 90,
  };
}

function itemOf(vault: Vault, key: VaultKey, version: KeyVersion, named: boolean) {
  return { kid: kid(vault, key, named ? version : undefined), attributes: attributesOf(version), tags: {} };
}

function bundleOf(vault: Vault, key: VaultKey, version: KeyVersion) {
  const operations = ['encrypt', 'decrypt', 'sign', 'verify', 'wrapKey', 'unwrapKey'];
  return {
    key: { kid: kid(vault, key, version), kty: 'RSA', key_ops: operations, n: 'AQAB', e: 'AQAB' },
    attributes: attributesOf(version),
    tags: {},
  };
}

function deletedOf(vault: Vault, key: DeletedKey) {
  return {
    recoveryId: `${vault.properties.vaultUri}deletedkeys/${key.name}`,
    deletedDate: Math.floor(key.deletedMs / 1000),
    scheduledPurgeDate: Math.floor(key.purgeMs / 1000),
    ...bundleOf(vault, key, key.versions.at(-1)!),
  };
}

function armKeyRoutes(context: ArmContext, vaults: Vaults, keys: KeyStore): ArmRoute[] {
  const at = '/subscriptions/{sub}/resourceGroups/{rg}/providers/Microsoft.KeyVault/vaults/{vault}/keys';
  const found = (request: ArmRequest): Vault => {
    const { sub, rg, vault: name } = request.params as { sub: string; rg: string; vault: string };
    context.store.requireResourceGroup(sub, rg);
    const vault = vaults.get(`/subscriptions/${sub}/resourceGroups/${rg}/providers/${VAULT_TYPE}/${name}`);
    if (vault === undefined) throw resourceNotFound(VAULT_TYPE, name, rg);
    return vault;
  };
  const bodyOf = (vault: Vault, key: VaultKey) => ({
    id: `${vault.id}/keys/${key.name}`,
    name: key.name,
    type: `${VAULT_TYPE}/keys`,
    location: vault.location,
    properties: {
      attributes: attributesOf(key.versions.at(-1)!),
      kty: 'RSA',
      keySize: 2048,
      keyUri: kid(vault, key, undefined),
      keyUriWithVersion: kid(vault, key, key.versions.at(-1)),
    },
  });
  return [
    {
      method: 'GET',
      pattern: `${at}/{name}`,
      apiVersions: VAULT_VERSIONS,
      handle(request) {
        const vault = found(request);
        const key = keys.get(vault.name, request.params['name']!);
        if (key === undefined)
          throw resourceNotFound(`${VAULT_TYPE}/keys`, request.params['name']!, request.params['rg']!);
        return ok(bodyOf(vault, key));
      },
    },
    {
      method: 'GET',
      pattern: at,
      apiVersions: VAULT_VERSIONS,
      handle(request) {
        const vault = found(request);
        return ok({ value: keys.list(vault.name).map((key) => bodyOf(vault, key)) });
      },
    },
  ];
}
