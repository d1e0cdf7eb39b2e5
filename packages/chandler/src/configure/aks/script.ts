/** The setup of an AKS cluster as a script for the Azure CLI. It can be run again. */
import { shellQuote } from '../../settings/index.ts';
import { command, retryLines } from '../shell-script.ts';
import type { AksSetup, CustomRole } from './setup.ts';

export function azScript(setup: AksSetup): string {
  const { cluster, identity, credential } = setup;
  const owner = `--resource-group ${shellQuote(identity.resourceGroup)}`;
  const lines = [
    '#!/bin/sh',
    `# What the controller of the AKS cluster ${cluster.name} needs in Azure, written by "chandler configure aks".`,
    'set -eu',
    '',
    ...retryLines('Azure'),
    '',
    `az account set --subscription ${shellQuote(cluster.subscriptionId)}`,
    '',
    command('az identity create', [
      owner,
      `--name ${shellQuote(identity.name)}`,
      `--location ${shellQuote(cluster.location)}`,
      '--output none',
    ]),
    `principal=$(az identity show ${owner} --name ${shellQuote(identity.name)} --query principalId --output tsv)`,
    command('az identity federated-credential create', [
      owner,
      `--identity-name ${shellQuote(identity.name)}`,
      `--name ${shellQuote(credential.name)}`,
      `--issuer ${shellQuote(credential.issuer)}`,
      `--subject ${shellQuote(credential.subject)}`,
      `--audiences ${shellQuote(credential.audience)}`,
      '--output none',
    ]),
    ...setup.customRoles.flatMap((role) => ['', ...roleLines(role)]),
    ...setup.assignments.flatMap(({ scope, roleGuid, roleName, isCustom, why }) => [
      '',
      `# ${roleName}: needed ${why}.`,
      command('retry az role assignment create', [
        '--assignee-object-id "$principal"',
        '--assignee-principal-type ServicePrincipal',
        // The command line gives a custom role an ID of its own.
        `--role ${isCustom ? shellQuote(roleName) : roleGuid}`,
        `--scope ${shellQuote(scope)}`,
        '--output none',
      ]),
    ]),
    '',
    `echo "client ID of the controller: $(az identity show ${owner} --name ${shellQuote(identity.name)} --query clientId --output tsv)"`,
  ];
  return `${lines.join('\n')}\n`;
}

// ---------------------------------------------------------------------------------------------------------------

/** `create` refuses a role that exists, `update` one that does not. */
function roleLines({ name, description, actions, assignableScope }: CustomRole): readonly string[] {
  const json = {
    Name: name,
    IsCustom: true,
    Description: description,
    Actions: actions,
    AssignableScopes: [assignableScope],
  };
  const definition = shellQuote(JSON.stringify(json, undefined, 2));
  return [
    `definition=${definition}`,
    `if [ -z "$(az role definition list --custom-role-only true --scope ${shellQuote(assignableScope)} --name ${shellQuote(name)} --query '[].name' --output tsv)" ]; then`,
    '  az role definition create --output none --role-definition "$definition"',
    'else',
    '  az role definition update --output none --role-definition "$definition"',
    'fi',
  ];
}
