/** The resources of an AKS setup: how each is read and written with the official SDKs. */
import type { RoleDefinition } from '@azure/arm-authorization';
import type { FederatedIdentityCredential } from '@azure/arm-msi';
import {
  type ArmClients,
  lastSegment,
  pagesOf,
  type RoleAssignmentRequest,
  roleAssignmentId,
  roleAssignmentName,
  roleDefinitionId,
  sameResource,
  worksAt,
} from '../../arm/index.ts';
import type { PermissionScope } from '../../cloud/azure/permissions/index.ts';
import { sameFields } from '../compare.ts';
import type { DesiredResource, Facts, Found } from '../resource.ts';
import { azureCall, azureRead } from './azure-error.ts';
import {
  AUTHORIZATION,
  assignmentFields,
  authorizationAt,
  CREDENTIALS,
  credentialFields,
  definitionFields,
  definitionId,
  IDENTITIES,
  identityFound,
  inSdk,
  PRINCIPAL_ID,
} from './recorded.ts';
import { type AksSetup, type CustomRole, type RoleOnScope, scopeText } from './setup.ts';

/** In the order in which they are created. */
export function aksResources(setup: AksSetup, clients: ArmClients): readonly DesiredResource[] {
  return [
    identity(setup, clients),
    credential(setup, clients),
    ...setup.customRoles.map((role) => customRole(role, clients)),
    ...setup.assignments.map((each) => assignment(each, clients)),
  ];
}

// ---------------------------------------------------------------------------------------------------------------

function identity(
  { identity: { name, resourceGroup, id }, cluster }: AksSetup,
  clients: ArmClients,
): DesiredResource {
  const { location, subscriptionId } = cluster;
  const may = (verb: string) => ({ action: `${IDENTITIES}/${verb}`, scope: id });
  const api = async () => (await clients.managedIdentity(subscriptionId)).userAssignedIdentities;
  return {
    key: 'identity',
    kind: 'managed identity',
    name,
    why: 'so that the controller can sign in to Azure without a secret',
    id: () => id,
    desired: () => ({ location }),
    async read(_, abortSignal) {
      const found = await azureRead(may('read'), async () =>
        (await api()).get(resourceGroup, name, { abortSignal }),
      );
      return found === undefined ? undefined : identityFound(id, found);
    },
    async write(_, __, ___, abortSignal) {
      await azureCall(may('write'), async () =>
        (await api()).createOrUpdate(resourceGroup, name, { location }, { abortSignal }),
      );
    },
  };
}

/** One with the same issuer and subject does as well, whatever its name: Azure refuses a second one. */
function credential(setup: AksSetup, clients: ArmClients): DesiredResource {
  const { credential: wanted, identity: owner, cluster } = setup;
  const { name, issuer, subject, audience } = wanted;
  const scope = `${owner.id}/federatedIdentityCredentials/${name}`;
  const may = (verb: string, on = scope) => ({ action: `${CREDENTIALS}/${verb}`, scope: on });
  const api = async () =>
    (await clients.managedIdentity(cluster.subscriptionId)).federatedIdentityCredentials;
  return {
    key: 'federated-credential',
    kind: 'federated credential',
    name,
    why: `so that pods with the ServiceAccount ${setup.namespace}/${setup.serviceAccount} are this identity`,
    id: () => scope,
    desired: (facts) =>
      facts[PRINCIPAL_ID] === undefined ? undefined : { issuer, subject, audiences: [audience] },
    async read(_, abortSignal) {
      const all = await azureCall(may('read', owner.id), async () => {
        const found: FederatedIdentityCredential[] = [];
        const pages = (await api()).list(owner.resourceGroup, owner.name, { abortSignal });
        for await (const each of pagesOf(pages)) found.push(each);
        return found;
      });
      const found =
        all.find((each) => each.name?.toLowerCase() === name.toLowerCase()) ??
        all.find((each) => each.issuer === issuer && each.subject === subject);
      return found === undefined ? undefined : { id: found.id ?? scope, fields: credentialFields(found) };
    },
    async write(_, __, ___, abortSignal) {
      const body = { issuer, subject, audiences: [audience] };
      await azureCall(may('write'), async () =>
        (await api()).createOrUpdate(owner.resourceGroup, owner.name, name, body, { abortSignal }),
      );
    },
  };
}

/** Another tool may have given it another ID. */
function customRole(role: CustomRole, clients: ArmClients): DesiredResource {
  const { guid, name, description, actions, assignableScope } = role;
  const scope = assignableScope;
  const may = (verb: string) => ({ action: `${AUTHORIZATION}/roleDefinitions/${verb}`, scope });
  const api = async () => (await authorizationAt(clients, scope)).roleDefinitions;
  const body: RoleDefinition = {
    roleName: name,
    description,
    roleType: 'CustomRole',
    permissions: [{ actions: [...actions], notActions: [], dataActions: [], notDataActions: [] }],
    assignableScopes: [scope],
  };
  const byName = (abortSignal: AbortSignal) =>
    azureCall(may('read'), async () => {
      const filter = `roleName eq '${name.replaceAll("'", "''")}'`;
      for await (const each of pagesOf((await api()).list(inSdk(scope), { filter, abortSignal })))
        return each;
      return undefined;
    });
  return {
    key: roleFact(role.on),
    kind: 'custom role',
    name,
    why: 'so that the controller may do what it does, and nothing else',
    id: () => definitionId(scope, guid),
    desired: () => definitionFields(body),
    async read(_, abortSignal) {
      const byId = await azureRead(may('read'), async () =>
        (await api()).get(inSdk(scope), guid, { abortSignal }),
      );
      const found = byId ?? (await byName(abortSignal));
      if (found === undefined) return undefined;
      const actual = lastSegment(found.id ?? guid);
      return {
        id: definitionId(scope, actual),
        fields: definitionFields(found),
        facts: { [roleFact(role.on)]: actual },
      };
    },
    async write(_, __, ___, abortSignal) {
      await azureCall(may('write'), async () =>
        (await api()).createOrUpdate(inSdk(scope), guid, body, { abortSignal }),
      );
    },
  };
}

function roleFact(on: PermissionScope): string {
  return `role-${on}`;
}

/** An assignment of the role above the scope does as well. */
function assignment(grant: RoleOnScope, clients: ArmClients): DesiredResource {
  const { on, scope, roleName, why } = grant;
  const roleOf = (facts: Facts) => (grant.isCustom ? facts[roleFact(on)] : grant.roleGuid);
  const requestWith = (facts: Facts): RoleAssignmentRequest | undefined => {
    const principalId = facts[PRINCIPAL_ID];
    // A custom role that does not exist yet will have the ID that we give it.
    const roleId = roleOf(facts) ?? grant.roleGuid;
    return principalId === undefined ? undefined : { scope, principalId, roleId };
  };
  const may = (verb: string) => ({ action: `${AUTHORIZATION}/roleAssignments/${verb}`, scope });
  const api = async () => (await authorizationAt(clients, scope)).roleAssignments;
  return {
    key: `assignment-${on}`,
    kind: 'role assignment',
    name: `${roleName} on ${scopeText(on, scope)}`,
    why,
    id(facts) {
      const request = requestWith(facts);
      return request === undefined ? undefined : roleAssignmentId(request);
    },
    desired(facts) {
      const [principalId, roleId] = [facts[PRINCIPAL_ID], roleOf(facts)];
      return principalId === undefined || roleId === undefined
        ? undefined
        : assignmentFields({ roleDefinitionId: roleId, principalId });
    },
    async read(facts, abortSignal) {
      const principalId = facts[PRINCIPAL_ID]!;
      const roleGuid = roleOf(facts)!;
      return await azureCall(may('read'), async () => {
        const filter = `principalId eq '${principalId}'`;
        const fits: Found[] = [];
        const wanted = assignmentFields({ roleDefinitionId: roleGuid, principalId });
        for await (const each of pagesOf((await api()).listForScope(inSdk(scope), { filter, abortSignal }))) {
          const { id = '' } = each;
          const fields = assignmentFields(each);
          if (sameFields(fields, wanted) && worksAt(id, scope)) fits.push({ id, fields });
        }
        return (
          fits.find(({ id }) => sameResource(id.split(`/providers/${AUTHORIZATION}/`)[0]!, scope)) ?? fits[0]
        );
      });
    },
    async write(_, facts, __, abortSignal) {
      const request = requestWith(facts)!;
      const body = {
        principalId: request.principalId,
        // A new identity is not found in the directory for a while; with its type it need not be.
        principalType: 'ServicePrincipal',
        roleDefinitionId: roleDefinitionId(request),
      };
      await azureCall(may('write'), async () =>
        (await api()).create(inSdk(scope), roleAssignmentName(request), body, { abortSignal }),
      );
    },
  };
}
