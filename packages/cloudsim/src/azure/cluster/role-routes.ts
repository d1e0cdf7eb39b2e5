/**
 * Role assignments and definitions over ARM, at any scope: management group, subscription, group, resource, part of a resource. The
 * router knows no scopes of free length, so there is one pattern for each depth.
 */
import { FilterError, parseFilter } from '../catalogue/odata-filter.ts';
import {
  type Json,
  listAt,
  objectsAt,
  requireBody,
  requireObject,
  requireText,
  textAt,
} from '../store/body.ts';
import { covers } from '../wire/access.ts';
import { type ArmAnswer, type ArmRequest, type ArmRoute, type Method, ok } from '../wire/arm-request.ts';
import type { ArmContext } from '../wire/context.ts';
import { armError, badRequest, invalidRequestContent } from '../wire/errors.ts';
import type { RoleAssignment, RoleAssignments, RoleQuery } from './role-assignments.ts';
import type { RoleDefinition } from './role-definitions.table.ts';

const VERSIONS = ['2018-01-01-preview', '2020-04-01-preview', '2022-04-01', '2022-05-01-preview'];

export function roleRoutes(context: ArmContext, roles: RoleAssignments): readonly ArmRoute[] {
  return SCOPES.flatMap((scope) =>
    VERBS.map(
      ([method, tail, action, answer]): ArmRoute => ({
        method,
        pattern: `${scope}/providers/Microsoft.Authorization/${tail}`,
        apiVersions: VERSIONS,
        // The SDK joins `/` and a scope that begins with `/`: the right is checked for the scope without that slash.
        access: 'token',
        handle(request) {
          const at = scopeOf(request);
          context.access.require(request.principal!, `Microsoft.Authorization/${action}`, at);
          return answer({ context, roles, request, scope: at });
        },
      }),
    ),
  );
}

// ---------------------------------------------------------------------------------------------------

const GROUP = '/subscriptions/{sub}/resourceGroups/{rg}';
const RESOURCE = `${GROUP}/providers/{namespace}/{type}/{name}`;
const SCOPES = [
  '',
  '/providers/Microsoft.Management/managementGroups/{managementGroup}',
  '/subscriptions/{sub}',
  GROUP,
  RESOURCE,
  `${RESOURCE}/{type2}/{name2}`,
];

interface RoleCall {
  readonly context: ArmContext;
  readonly roles: RoleAssignments;
  readonly request: ArmRequest;
  readonly scope: string;
}

type Verb = readonly [method: Method, tail: string, action: string, answer: (call: RoleCall) => ArmAnswer];

const VERBS: readonly Verb[] = [
  ['GET', 'roleAssignments', 'roleAssignments/read', listAssignments],
  ['GET', 'roleAssignments/{assignment}', 'roleAssignments/read', getAssignment],
  ['PUT', 'roleAssignments/{assignment}', 'roleAssignments/write', putAssignment],
  ['DELETE', 'roleAssignments/{assignment}', 'roleAssignments/delete', deleteAssignment],
  ['GET', 'roleDefinitions', 'roleDefinitions/read', listDefinitions],
  ['GET', 'roleDefinitions/{role}', 'roleDefinitions/read', getDefinition],
  ['PUT', 'roleDefinitions/{role}', 'roleDefinitions/write', putDefinition],
  ['DELETE', 'roleDefinitions/{role}', 'roleDefinitions/delete', deleteDefinition],
];

const GUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function pathOf(request: ArmRequest): string {
  return request.path.replace(/\/{2,}/g, '/');
}

/** Everything before the last `/providers/Microsoft.Authorization`. */
function scopeOf(request: ArmRequest): string {
  const path = pathOf(request);
  return path.slice(0, path.toLowerCase().lastIndexOf('/providers/microsoft.authorization')) || '/';
}

function listAssignments({ context, roles, request, scope }: RoleCall): ArmAnswer {
  const query: RoleQuery = { scope, ...queryOf(request.query.get('$filter')) };
  return ok({ value: roles.list(query).map((assignment) => bodyOf(context, assignment)) });
}

function getAssignment({ context, roles, request }: RoleCall): ArmAnswer {
  const assignment = roles.get(pathOf(request));
  if (assignment === undefined)
    throw armError(
      404,
      'RoleAssignmentNotFound',
      `The role assignment '${request.params['assignment']}' is not found.`,
    );
  return ok(bodyOf(context, assignment));
}

function deleteAssignment({ context, roles, request }: RoleCall): ArmAnswer {
  const removed = roles.remove(pathOf(request));
  return removed === undefined ? { status: 204 } : ok(bodyOf(context, removed));
}

function getDefinition({ context, roles, request }: RoleCall): ArmAnswer {
  const role = roles.role(request.params['role']!);
  if (role === undefined) throw noSuchRole(request.params['role']!);
  return ok(definitionOf(context, role));
}

function noSuchRole(id: string) {
  return armError(
    404,
    'RoleDefinitionDoesNotExist',
    `The specified role definition with ID '${id}' does not exist.`,
  );
}

/** `atScope()`, `principalId eq '…'`, `assignedTo('…')`, and the first joined with one of the others. */
function queryOf(filter: string | undefined): Omit<RoleQuery, 'scope'> {
  if (!filter) return {};
  const parts = filter.split(/\s+and\s+/i).map((part) => part.trim());
  const query: { principalId?: string; atScope?: boolean } = {};
  for (const part of parts) {
    const principal = /^principalId\s+eq\s+'([^']*)'$/i.exec(part) ?? /^assignedTo\('([^']*)'\)$/i.exec(part);
    if (principal) query.principalId = principal[1]!;
    else if (/^atScope\(\)$/i.test(part)) query.atScope = true;
    else throw badRequest(`The filter '${filter}' is not supported.`);
  }
  return query;
}

function putAssignment({ context, roles, request, scope }: RoleCall): ArmAnswer {
  const { sub, rg, assignment: name } = request.params as { sub?: string; rg?: string; assignment: string };
  if (sub !== undefined && rg !== undefined) context.store.requireResourceGroup(sub, rg);
  const given = (request.body as { properties?: Record<string, string> } | undefined)?.properties;
  const guid = given?.['roleDefinitionId']?.split('/').at(-1);
  if (!given?.['principalId'] || !guid)
    throw invalidRequestContent('properties.principalId and properties.roleDefinitionId are required');
  if (!GUID.test(name))
    throw armError(
      400,
      'InvalidRoleAssignmentId',
      `The role assignment ID '${name}' is not valid. The role assignment ID must be a GUID.`,
    );
  const role = roles.role(guid);
  if (role === undefined) throw noSuchRole(guid);
  const { principalId, principalType } = given as { principalId: string; principalType?: string };
  if (principalType === undefined) requirePrincipal(context, principalId);
  const twin = roles
    .list({ scope, principalId, atScope: true })
    .find((one) => one.scope.toLowerCase() === scope.toLowerCase() && one.role.guid === role.guid);
  if (twin !== undefined && twin.name.toLowerCase() !== name.toLowerCase())
    throw armError(
      409,
      'RoleAssignmentExists',
      `The role assignment already exists. The ID of the conflicting role assignment is ${twin.name.replaceAll('-', '')}.`,
    );
  if (twin === undefined && roles.get(pathOf(request)) !== undefined)
    throw armError(
      400,
      'RoleAssignmentUpdateNotPermitted',
      'Tenant ID, application ID, principal ID, and scope are not allowed to be updated.',
    );
  if (twin !== undefined) return ok(bodyOf(context, twin));
  const made = roles.assign(principalId, role.guid, scope, name, principalType);
  return { status: 201, body: bodyOf(context, made) };
}

/** A caller who names the type of the principal is believed; without it, the directory must know the principal. */
function requirePrincipal({ tokens, store, settings, world, latencies }: ArmContext, id: string): void {
  const sameId = (other: unknown) => String(other).toLowerCase() === id.toLowerCase();
  const identity = tokens.identities().find(({ objectId }) => sameId(objectId));
  const isReplicated =
    identity === undefined
      ? [...store.all()].some((resource) => sameId(resource.identity?.['principalId']))
      : (identity.createdMs ?? Number.NEGATIVE_INFINITY) + latencies.directoryMs <= world.clock.now();
  if (isReplicated) return;
  throw armError(
    400,
    'PrincipalNotFound',
    `Principal ${id.replaceAll('-', '')} does not exist in the directory ${settings.tenantId}. Check that you have the correct ` +
      'principal ID. If you are creating this principal and then immediately assigning a role, this error might be related to ' +
      'a replication delay. In this case, set the role assignment principalType property to a value, such as ' +
      'ServicePrincipal, User, or Group.  See https://aka.ms/docs-principaltype',
  );
}

function putDefinition({ context, roles, request, scope }: RoleCall): ArmAnswer {
  const guid = request.params['role']!;
  const given = requireObject(requireBody(request.body), 'properties');
  const roleName = requireText(given, 'roleName', 'properties.roleName');
  const [permission, ...more] = objectsAt(given, 'permissions', 'properties.permissions') ?? [];
  const assignableScopes = textsAt(given, 'assignableScopes');
  const existing = roles.role(guid);
  if (!GUID.test(guid) || permission === undefined || more.length > 0 || assignableScopes.length === 0)
    throw badRequest(
      'A role definition needs a GUID as its name, exactly one permission and an assignable scope.',
    );
  if (!assignableScopes.every((each) => covers(each, scope) || covers(scope, each)))
    throw badRequest(
      `The assignable scopes '${assignableScopes.join(',')}' do not include the scope '${scope}' of the request.`,
    );
  if (existing !== undefined && !existing.custom)
    throw badRequest(`The built-in role '${existing.roleName}' cannot be changed.`);
  const twin = roles.role(roleName);
  if (twin !== undefined && twin.guid.toLowerCase() !== guid.toLowerCase())
    throw armError(
      409,
      'RoleDefinitionWithSameNameExists',
      `A custom role with the same name already exists in this directory. Use a different name. Role name: '${roleName}'.`,
    );
  const role: RoleDefinition = {
    roleName,
    guid,
    description: textAt(given, 'description') ?? '',
    custom: true,
    actions: textsAt(permission, 'actions'),
    notActions: textsAt(permission, 'notActions'),
    dataActions: textsAt(permission, 'dataActions'),
    notDataActions: textsAt(permission, 'notDataActions'),
    assignableScopes,
  };
  roles.define(role);
  return { status: 201, body: definitionOf(context, role) };
}

function deleteDefinition({ context, roles, request }: RoleCall): ArmAnswer {
  const role = roles.role(request.params['role']!);
  if (role === undefined) return { status: 204 };
  if (!role.custom) throw badRequest(`The built-in role '${role.roleName}' cannot be deleted.`);
  if (roles.isAssigned(role.guid))
    throw armError(
      400,
      'RoleDefinitionHasAssignments',
      `There are existing role assignments referencing role (code: RoleDefinitionHasAssignments).`,
    );
  roles.undefine(role.guid);
  return ok(definitionOf(context, role));
}

function textsAt(from: Json, key: string): readonly string[] {
  return (listAt(from, key) ?? []).map(String);
}

function listDefinitions({ context, roles, request }: RoleCall): ArmAnswer {
  const filter = request.query.get('$filter');
  try {
    const matches = filter ? parseFilter(filter) : () => true;
    const value = roles
      .roles()
      .filter((role) => matches((name) => (name === 'roleName' ? role.roleName : typeOf(role))))
      .map((role) => definitionOf(context, role));
    return ok({ value });
  } catch (error) {
    if (error instanceof FilterError)
      throw badRequest(`The filter '${filter}' is not supported: ${error.message}.`);
    throw error;
  }
}

function typeOf(role: RoleDefinition): 'CustomRole' | 'BuiltInRole' {
  return role.custom ? 'CustomRole' : 'BuiltInRole';
}

function definitionId(context: ArmContext, role: RoleDefinition): string {
  return `/subscriptions/${context.settings.subscriptionId}/providers/Microsoft.Authorization/roleDefinitions/${role.guid}`;
}

function bodyOf(context: ArmContext, assignment: RoleAssignment) {
  const created = new Date(assignment.createdMs).toISOString();
  return {
    id: assignment.id,
    name: assignment.name,
    type: 'Microsoft.Authorization/roleAssignments',
    properties: {
      roleDefinitionId: definitionId(context, assignment.role),
      principalId: assignment.principalId,
      principalType: assignment.principalType,
      scope: assignment.scope,
      condition: null,
      conditionVersion: null,
      createdOn: created,
      updatedOn: created,
    },
  };
}

function definitionOf(context: ArmContext, role: RoleDefinition) {
  return {
    id: definitionId(context, role),
    name: role.guid,
    type: 'Microsoft.Authorization/roleDefinitions',
    properties: {
      roleName: role.roleName,
      type: typeOf(role),
      description: role.description,
      assignableScopes: role.custom
        ? (role.assignableScopes ?? [`/subscriptions/${context.settings.subscriptionId}`])
        : ['/'],
      permissions: [
        {
          actions: role.actions,
          notActions: role.notActions ?? [],
          dataActions: role.dataActions ?? [],
          notDataActions: role.notDataActions ?? [],
        },
      ],
    },
  };
}
