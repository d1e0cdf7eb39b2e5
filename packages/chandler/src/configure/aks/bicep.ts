/** The setup of an AKS cluster for Bicep: a file for the subscription, and a module for each place where something is created. */
import { resourceId, resourceType } from '../../arm/index.ts';
import type { PermissionScope } from '../../cloud/azure/permissions/index.ts';
import { bicepText, header } from '../literals.ts';
import type { AksSetup, CustomRole, RoleOnScope } from './setup.ts';

/** Names and contents. */
export function bicepFiles(setup: AksSetup): readonly (readonly [string, string])[] {
  return [
    ['main.bicep', mainFile(setup)],
    ['identity.bicep', `${moduleHeader(setup)}${identityFile(setup)}`],
    ...setup.assignments.map((each) => {
      const role = setup.customRoles.find(({ on }) => on === each.on);
      return [moduleName(each.on), `${moduleHeader(setup)}${roleFile(each, role)}`] as const;
    }),
  ];
}

// ---------------------------------------------------------------------------------------------------------------

const IDENTITY_VERSION = '2023-01-31';
const AUTHORIZATION_VERSION = '2022-04-01';

/** To name a resource that exists, any version will do that has been there for long. */
const EXISTING_VERSIONS: Readonly<Record<Exclude<PermissionScope, 'nodes'>, string>> = {
  subnet: '2023-11-01',
  kubeletIdentity: IDENTITY_VERSION,
  cluster: '2024-02-01',
  diskEncryptionSet: '2023-10-02',
};

function moduleName(on: PermissionScope): string {
  return `role-${on}.bicep`;
}

function mainFile({ cluster, identity, assignments }: AksSetup): string {
  const { subscriptionId, location, name } = cluster;
  const group = (subscription: string, resourceGroup: string) =>
    subscription === subscriptionId
      ? `resourceGroup(${bicepText(resourceGroup)})`
      : `resourceGroup(${bicepText(subscription)}, ${bicepText(resourceGroup)})`;
  return [
    header('//', [
      `What the controller of the AKS cluster ${name} needs in Azure, written by "chandler configure aks". To deploy it:`,
      `az deployment sub create --subscription ${subscriptionId} --location ${location} --template-file main.bicep`,
    ]),
    "targetScope = 'subscription'\n",
    moduleText('identity', 'identity.bicep', group(subscriptionId, identity.resourceGroup), []),
    ...assignments.map(({ on, scope, why }) => {
      const [, , subscription, , resourceGroup] = scope.split('/');
      const parameters = ['principalId: identity.outputs.principalId'];
      return `// Needed ${why}.\n${moduleText(on, moduleName(on), group(subscription!, resourceGroup!), parameters)}`;
    }),
    '// Of the annotation azure.workload.identity/client-id of the ServiceAccount.\noutput clientId string = identity.outputs.clientId\n',
  ].join('\n');
}

function moduleHeader({ cluster }: AksSetup): string {
  return header('//', [
    `A module of main.bicep for the AKS cluster ${cluster.name}, written by "chandler configure aks".`,
  ]);
}

function moduleText(name: string, file: string, scope: string, parameters: readonly string[]): string {
  const params =
    parameters.length === 0 ? [] : ['  params: {', ...parameters.map((each) => `    ${each}`), '  }'];
  return `${[
    `module ${name} '${file}' = {`,
    `  name: 'chandler-${name}'`,
    `  scope: ${scope}`,
    ...params,
    '}',
  ].join('\n')}\n`;
}

function identityFile({ cluster, identity, credential }: AksSetup): string {
  return [
    `resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@${IDENTITY_VERSION}' = {`,
    `  name: ${bicepText(identity.name)}`,
    `  location: ${bicepText(cluster.location)}`,
    '}',
    '',
    `resource credential 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@${IDENTITY_VERSION}' = {`,
    '  parent: identity',
    `  name: ${bicepText(credential.name)}`,
    '  properties: {',
    `    issuer: ${bicepText(credential.issuer)}`,
    `    subject: ${bicepText(credential.subject)}`,
    '    audiences: [',
    `      ${bicepText(credential.audience)}`,
    '    ]',
    '  }',
    '}',
    '',
    'output principalId string = identity.properties.principalId',
    'output clientId string = identity.properties.clientId',
    '',
  ].join('\n');
}

function roleFile(grant: RoleOnScope, role: CustomRole | undefined): string {
  const { on, scope, roleGuid } = grant;
  const roleId = `subscriptionResourceId('Microsoft.Authorization/roleDefinitions', ${bicepText(roleGuid)})`;
  const isGroup = on === 'nodes';
  return [
    'param principalId string',
    '',
    ...(role === undefined ? [] : [...roleLines(role), '']),
    ...(isGroup ? [] : [...existingLines(on, scope), '']),
    `resource assignment 'Microsoft.Authorization/roleAssignments@${AUTHORIZATION_VERSION}' = {`,
    `  name: guid(${isGroup ? 'resourceGroup().id' : 'target.id'}, principalId, ${bicepText(roleGuid)})`,
    ...(isGroup ? [] : ['  scope: target']),
    '  properties: {',
    `    roleDefinitionId: ${role === undefined ? roleId : 'role.id'}`,
    '    principalId: principalId',
    "    principalType: 'ServicePrincipal'",
    '  }',
    '}',
    '',
  ].join('\n');
}

function roleLines({ guid, name, description, actions }: CustomRole): readonly string[] {
  return [
    `resource role 'Microsoft.Authorization/roleDefinitions@${AUTHORIZATION_VERSION}' = {`,
    `  name: ${bicepText(guid)}`,
    '  properties: {',
    `    roleName: ${bicepText(name)}`,
    `    description: ${bicepText(description)}`,
    "    type: 'CustomRole'",
    '    permissions: [',
    '      {',
    '        actions: [',
    ...actions.map((action) => `          ${bicepText(action)}`),
    '        ]',
    '      }',
    '    ]',
    '    assignableScopes: [',
    '      resourceGroup().id',
    '    ]',
    '  }',
    '}',
  ];
}

function existingLines(on: Exclude<PermissionScope, 'nodes'>, scope: string): readonly string[] {
  const id = resourceId(scope);
  const name = id.segments.map(([, each]) => each).join('/');
  return [
    `resource target '${resourceType(id)}@${EXISTING_VERSIONS[on]}' existing = {`,
    `  name: ${bicepText(name)}`,
    '}',
  ];
}
