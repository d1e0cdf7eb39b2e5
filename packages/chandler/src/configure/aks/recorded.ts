/** Resources of Azure by their IDs alone, as the journal has them: how each is read and removed. */
import type { RoleAssignment, RoleDefinition } from '@azure/arm-authorization';
import type { FederatedIdentityCredential, Identity } from '@azure/arm-msi';
import {
  type ArmClients,
  lastSegment,
  parseResourceId,
  type ResourceId,
  resourceType,
} from '../../arm/index.ts';
import type { Fields, Found, MissingPermission, RecordedResource } from '../resource.ts';
import { azureCall, azureRead, WRONG_SUBSCRIPTION } from './azure-error.ts';

export const IDENTITIES = 'Microsoft.ManagedIdentity/userAssignedIdentities';
export const CREDENTIALS = `${IDENTITIES}/federatedIdentityCredentials`;
export const AUTHORIZATION = 'Microsoft.Authorization';

/** What the identity tells once it exists. */
export const CLIENT_ID = 'clientId';
export const PRINCIPAL_ID = 'principalId';
export const TENANT_ID = 'tenantId';

/** Undefined for an ID of anything else. */
export function aksRecorded(id: string, clients: ArmClients): RecordedResource | undefined {
  const [, scope, type, name] =
    /^(.+)\/providers\/Microsoft\.Authorization\/(roleDefinitions|roleAssignments)\/([^/]+)$/i.exec(id) ?? [];
  if (scope !== undefined && /^\/subscriptions\/[^/]+/i.test(scope))
    return type!.toLowerCase() === 'roledefinitions'
      ? recordedRole(scope, name!, clients)
      : recordedAssignment(id, clients);
  const parsed = parseResourceId(id);
  if (!('id' in parsed)) return undefined;
  const isOf = (wanted: string) => resourceType(parsed.id).toLowerCase() === wanted.toLowerCase();
  if (isOf(IDENTITIES)) return recordedIdentity(id, parsed.id, clients);
  return isOf(CREDENTIALS) ? recordedCredential(id, parsed.id, clients) : undefined;
}

export function identityFound(id: string, { location, ...found }: Identity): Found {
  const { clientId = '', principalId = '', tenantId = '' } = found;
  return {
    id: found.id ?? id,
    fields: { location: location.toLowerCase().replaceAll(' ', '') },
    facts: { [CLIENT_ID]: clientId, [PRINCIPAL_ID]: principalId, [TENANT_ID]: tenantId },
  };
}

export function credentialFields({
  issuer = '',
  subject = '',
  audiences = [],
}: FederatedIdentityCredential): Fields {
  return { issuer, subject, audiences };
}

export function definitionFields({
  roleName = '',
  permissions = [],
  assignableScopes = [],
}: RoleDefinition): Fields {
  const all = (part: 'actions' | 'notActions' | 'dataActions') =>
    permissions.flatMap((each) => each[part] ?? []).sort();
  return {
    name: roleName,
    actions: all('actions'),
    notActions: all('notActions'),
    dataActions: all('dataActions'),
    // Azure compares them without regard to case.
    assignableScopes: assignableScopes.map((each) => each.toLowerCase()).sort(),
  };
}

export function assignmentFields({ roleDefinitionId = '', principalId = '' }: RoleAssignment): Fields {
  return { role: lastSegment(roleDefinitionId), principal: principalId.toLowerCase() };
}

/** With the scope through which it is written; Azure itself names the subscription. */
export function definitionId(scope: string, guid: string): string {
  return `${scope}/providers/${AUTHORIZATION}/roleDefinitions/${guid}`;
}

export function authorizationAt(clients: ArmClients, scope: string) {
  return clients.authorization(/^\/subscriptions\/([^/]+)/i.exec(scope)![1]!);
}

/** The SDK writes a slash before it. */
export function inSdk(scope: string): string {
  return scope.replace(/^\//, '');
}

// ---------------------------------------------------------------------------------------------------------------

function recordedIdentity(id: string, parsed: ResourceId, clients: ArmClients): RecordedResource {
  const { subscriptionId, resourceGroup, segments } = parsed;
  const name = segments[0]![1];
  const may = (verb: string) => ({ action: `${IDENTITIES}/${verb}`, scope: id });
  const api = async () => (await clients.managedIdentity(subscriptionId)).userAssignedIdentities;
  return {
    async read(abortSignal) {
      const found = await find(may('read'), async () =>
        (await api()).get(resourceGroup, name, { abortSignal }),
      );
      return found === undefined ? undefined : identityFound(id, found);
    },
    async remove(abortSignal) {
      await azureCall(may('delete'), async () => (await api()).delete(resourceGroup, name, { abortSignal }));
    },
  };
}

function recordedCredential(id: string, parsed: ResourceId, clients: ArmClients): RecordedResource {
  const { subscriptionId, resourceGroup, segments } = parsed;
  const [owner, name] = [segments[0]![1], segments[1]![1]];
  const may = (verb: string) => ({ action: `${CREDENTIALS}/${verb}`, scope: id });
  const api = async () => (await clients.managedIdentity(subscriptionId)).federatedIdentityCredentials;
  return {
    async read(abortSignal) {
      const found = await find(may('read'), async () =>
        (await api()).get(resourceGroup, owner, name, { abortSignal }),
      );
      return found === undefined ? undefined : { id, fields: credentialFields(found) };
    },
    async remove(abortSignal) {
      await azureCall(may('delete'), async () =>
        (await api()).delete(resourceGroup, owner, name, { abortSignal }),
      );
    },
  };
}

function recordedRole(scope: string, guid: string, clients: ArmClients): RecordedResource {
  const may = (verb: string) => ({ action: `${AUTHORIZATION}/roleDefinitions/${verb}`, scope });
  const api = async () => (await authorizationAt(clients, scope)).roleDefinitions;
  return {
    async read(abortSignal) {
      const found = await find(may('read'), async () =>
        (await api()).get(inSdk(scope), guid, { abortSignal }),
      );
      return found === undefined
        ? undefined
        : { id: definitionId(scope, guid), fields: definitionFields(found) };
    },
    async remove(abortSignal) {
      await azureCall(may('delete'), async () => (await api()).delete(inSdk(scope), guid, { abortSignal }));
    },
  };
}

function recordedAssignment(id: string, clients: ArmClients): RecordedResource {
  const scope = id.slice(0, id.toLowerCase().lastIndexOf('/providers/'));
  const may = (verb: string) => ({ action: `${AUTHORIZATION}/roleAssignments/${verb}`, scope });
  const api = async () => (await authorizationAt(clients, scope)).roleAssignments;
  return {
    async read(abortSignal) {
      const found = await find(may('read'), async () => (await api()).getById(inSdk(id), { abortSignal }));
      return found === undefined ? undefined : { id, fields: assignmentFields(found) };
    },
    async remove(abortSignal) {
      await azureCall(may('delete'), async () => (await api()).deleteById(inSdk(id), { abortSignal }));
    },
  };
}

function find<T>(permission: MissingPermission, call: () => Promise<T>): Promise<T | undefined> {
  return azureRead(permission, call, WRONG_SUBSCRIPTION);
}
