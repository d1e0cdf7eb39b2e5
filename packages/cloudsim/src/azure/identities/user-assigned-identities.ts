/**
 * User-assigned identities over ARM: read, list, create, change tags, delete. A new identity can sign in at once; role
 * assignments find it later (`latencies.directoryMs`), as in Entra ID.
 */
import { requireBody, tagsAt, textAt } from '../store/body.ts';
import { idOf, readRoutes, requireResource } from '../store/read-routes.ts';
import type { ArmResource } from '../store/resource.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, badRequest } from '../wire/errors.ts';
import { credentialsOf } from './federated-credentials.ts';

export const IDENTITY_TYPE = 'Microsoft.ManagedIdentity/userAssignedIdentities';
export const IDENTITY_VERSIONS = ['2018-11-30', '2022-01-31-preview', '2023-01-31', '2024-11-30'];

export interface NewIdentity {
  readonly id: string;
  readonly location: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** Default: new ones. */
  readonly principalId?: string;
  readonly clientId?: string;
}

export function identityResourceRoutes(context: ArmContext): readonly ArmRoute[] {
  const one = `/subscriptions/{sub}/resourceGroups/{rg}/providers/${IDENTITY_TYPE}/{name}`;
  const apiVersions = IDENTITY_VERSIONS;
  return [
    ...readRoutes(context, { type: IDENTITY_TYPE, apiVersions }),
    { method: 'PUT', pattern: one, apiVersions, handle: (request) => put(context, request) },
    { method: 'PATCH', pattern: one, apiVersions, handle: (request) => patch(context, request) },
    { method: 'DELETE', pattern: one, apiVersions, handle: (request) => remove(context, request) },
  ];
}

/** Creates the resource and the principal behind it. */
export function createIdentity(context: ArmContext, identity: NewIdentity): ArmResource {
  const { store, tokens, world, settings } = context;
  const { tenantId } = settings;
  const name = identity.id.split('/').at(-1)!;
  const principalId = identity.principalId ?? world.random.uuid();
  const clientId = identity.clientId ?? world.random.uuid();
  tokens.addIdentity({ name, tenantId, clientId, objectId: principalId, createdMs: world.clock.now() });
  return store.put({
    id: identity.id,
    name,
    type: IDENTITY_TYPE,
    location: identity.location,
    tags: identity.tags ?? {},
    properties: { tenantId, principalId, clientId },
  });
}

// ---------------------------------------------------------------------------------------------------

const NAME = /^[A-Za-z0-9][\w-]{2,127}$/;

function put(context: ArmContext, request: ArmRequest): ArmAnswer {
  const id = idOf(context, IDENTITY_TYPE, request);
  const name = request.params['name']!;
  if (!NAME.test(name))
    throw badRequest(
      `The identity name '${name}' is not valid: 3 to 128 letters, digits, hyphens and underscores, beginning with a letter or digit.`,
    );
  const body = requireBody(request.body);
  const location = textAt(body, 'location')?.toLowerCase().replaceAll(' ', '');
  if (!location)
    throw armError(400, 'LocationRequired', 'The location property is required for this definition.');
  const tags = tagsAt(body);
  const existing = context.store.get(id);
  if (existing === undefined)
    return {
      status: 201,
      body: createIdentity(context, { id, location, ...(tags === undefined ? {} : { tags }) }),
    };
  if (existing.location !== location)
    throw armError(
      409,
      'InvalidResourceLocation',
      `The resource '${name}' already exists in location '${existing.location}' in resource group '${request.params['rg']}'. ` +
        `A resource with the same name cannot be created in location '${location}'. Please select a new resource name.`,
    );
  return ok(context.store.put({ ...existing, tags: tags ?? {} }));
}

function patch(context: ArmContext, request: ArmRequest): ArmAnswer {
  const existing = requireResource(context, idOf(context, IDENTITY_TYPE, request));
  const tags = tagsAt(requireBody(request.body));
  return ok(context.store.put({ ...existing, ...(tags === undefined ? {} : { tags }) }));
}

/** Its role assignments stay, for a principal that no longer exists. */
function remove(context: ArmContext, request: ArmRequest): ArmAnswer {
  const existing = context.store.get(idOf(context, IDENTITY_TYPE, request));
  if (existing === undefined) return { status: 204 };
  for (const credential of credentialsOf(context, existing.id)) context.store.delete(credential.id);
  context.tokens.removeIdentity(String(existing.properties['clientId']));
  context.store.delete(existing.id);
  return { status: 200 };
}
