/**
 * Federated credentials of user-assigned identities over ARM: which issuer, subject and audience an identity trusts. Writes on
 * one identity exclude each other, as Azure documents it. Whether a token matches is decided at sign-in.
 */
import { listAt, requireBody, requireObject, requireText } from '../store/body.ts';
import { idOf, requireParent, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { idKey, parseResourceId } from '../store/resource-id.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, badRequest } from '../wire/errors.ts';

export const CREDENTIAL_TYPE =
  'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials';
const VERSIONS = ['2022-01-31-preview', '2023-01-31', '2024-11-30'];
export const MAX_CREDENTIALS = 20;

export function credentialRoutes(context: ArmContext): readonly ArmRoute[] {
  const list =
    '/subscriptions/{sub}/resourceGroups/{rg}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/{parent}/federatedIdentityCredentials';
  const one = `${list}/{name}`;
  const writes = new ExclusiveWrites(context);
  const idIn = (request: ArmRequest) => idOf(context, CREDENTIAL_TYPE, request);
  const apiVersions = VERSIONS;
  return [
    {
      method: 'GET',
      pattern: list,
      apiVersions,
      handle(request) {
        const id = idIn({ ...request, params: { ...request.params, name: 'any' } });
        requireParent(context, id);
        return ok({ value: credentialsOf(context, parentOf(id)) });
      },
    },
    {
      method: 'GET',
      pattern: one,
      apiVersions,
      handle: (request) => ok(requireResource(context, idIn(request))),
    },
    {
      method: 'PUT',
      pattern: one,
      apiVersions,
      handle(request) {
        const id = idIn(request);
        requireParent(context, id);
        return writes.run(parentOf(id), () => put(context, id, request));
      },
    },
    {
      method: 'DELETE',
      pattern: one,
      apiVersions,
      handle(request) {
        const id = idIn(request);
        if (!context.store.has(id)) return { status: 204 };
        return writes.run(parentOf(id), () => {
          context.store.delete(id);
          trust(context, parentOf(id));
          return { status: 200 };
        });
      },
    },
  ];
}

export function credentialsOf({ store }: ArmContext, identityId: string): readonly ArmResource[] {
  const { subscriptionId, resourceGroup } = parseResourceId(identityId)!;
  const prefix = `${idKey(identityId)}/federatedidentitycredentials/`;
  return store
    .list(CREDENTIAL_TYPE, { subscriptionId, resourceGroup })
    .filter(({ id }) => idKey(id).startsWith(prefix));
}

// ---------------------------------------------------------------------------------------------------

const NAME = /^[A-Za-z0-9][\w-]{2,119}$/;

/** A write takes a while; a second one on the same identity is rejected meanwhile. */
class ExclusiveWrites {
  readonly #context: ArmContext;
  readonly #identities = new Set<string>();

  constructor(context: ArmContext) {
    this.#context = context;
  }

  async run(identityId: string, write: () => ArmAnswer): Promise<ArmAnswer> {
    const key = idKey(identityId);
    if (this.#identities.has(key))
      throw armError(
        409,
        'ConcurrentFederatedIdentityCredentialsWritesForSingleManagedIdentity',
        `Too many Federated Identity Credentials are written concurrently for the managed identity '${key}'. ` +
          'Concurrent Federated Identity Credentials writes under the same managed identity are not supported.',
      );
    this.#identities.add(key);
    try {
      const { schedule, latencies } = this.#context;
      await new Promise<void>((resolve) => {
        schedule.after(latencies.otherMs, resolve);
      });
      return write();
    } finally {
      this.#identities.delete(key);
    }
  }
}

function put(context: ArmContext, id: string, request: ArmRequest): ArmAnswer {
  requireParent(context, id);
  const name = request.params['name']!;
  if (!NAME.test(name))
    throw badRequest(
      `The federated identity credential name '${name}' is not valid: 3 to 120 letters, digits, hyphens and underscores.`,
    );
  const given = requireObject(requireBody(request.body), 'properties');
  const issuer = requireText(given, 'issuer', 'properties.issuer');
  const subject = requireText(given, 'subject', 'properties.subject');
  const audiences = (listAt(given, 'audiences', 'properties.audiences') ?? []).map(String);
  if (!/^https:\/\/[^\s/]+/i.test(issuer))
    throw badRequest(`The issuer '${issuer}' is not a valid HTTPS URL.`);
  if (audiences.length !== 1)
    throw badRequest('A federated identity credential must have exactly one audience.');
  const others = credentialsOf(context, parentOf(id)).filter((each) => idKey(each.id) !== idKey(id));
  // Azure documents both rules, but not the codes.
  if (others.some(({ properties }) => properties['issuer'] === issuer && properties['subject'] === subject))
    throw armError(
      409,
      'Conflict',
      'Issuer and subject combination already exists for this Managed Identity.',
    );
  if (others.length >= MAX_CREDENTIALS)
    throw badRequest(
      `The managed identity has ${MAX_CREDENTIALS} federated identity credentials, the maximum.`,
    );
  const existed = context.store.has(id);
  const made = context.store.put({
    id,
    name,
    type: CREDENTIAL_TYPE,
    properties: { issuer, subject, audiences },
  });
  trust(context, parentOf(id));
  return { status: existed ? 200 : 201, body: made };
}

/** Sign-in knows the credentials from here on. */
function trust(context: ArmContext, identityId: string): void {
  const { tokens, store } = context;
  const identity = tokens.identity(String(store.get(identityId)?.properties['clientId']));
  if (identity === undefined) return;
  const federated = credentialsOf(context, identityId).map(({ properties }) => ({
    issuer: String(properties['issuer']),
    subject: String(properties['subject']),
    audiences: properties['audiences'] as readonly string[],
  }));
  tokens.addIdentity({ ...identity, federated });
}

function parentOf(id: string): string {
  return id.split('/').slice(0, -2).join('/');
}
