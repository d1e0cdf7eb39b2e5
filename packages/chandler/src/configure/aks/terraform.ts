/** The setup of an AKS cluster for Terraform, with the provider azurerm. */
import { header, snakeCase } from '../literals.ts';
import { block, hclText, terraformText } from '../terraform.ts';
import type { AksSetup, CustomRole, RoleOnScope } from './setup.ts';

export function terraformFile(setup: AksSetup): string {
  const { cluster, identity, credential } = setup;
  return terraformText([
    header('#', [
      `What the controller of the AKS cluster ${cluster.name} needs in Azure, written by "chandler configure aks".`,
    ]),
    block('terraform', [
      ...block('required_providers', [
        'azurerm = {',
        '  source  = "hashicorp/azurerm"',
        '  version = ">= 4.0, < 5.0"',
        '}',
      ]),
    ]),
    block('provider "azurerm"', ['features {}', `subscription_id = ${hclText(cluster.subscriptionId)}`]),
    block('resource "azurerm_user_assigned_identity" "chandler"', [
      `name                = ${hclText(identity.name)}`,
      `resource_group_name = ${hclText(identity.resourceGroup)}`,
      `location            = ${hclText(cluster.location)}`,
    ]),
    block('resource "azurerm_federated_identity_credential" "chandler"', [
      `name                = ${hclText(credential.name)}`,
      `resource_group_name = ${hclText(identity.resourceGroup)}`,
      'parent_id           = azurerm_user_assigned_identity.chandler.id',
      `issuer              = ${hclText(credential.issuer)}`,
      `subject             = ${hclText(credential.subject)}`,
      `audience            = [${hclText(credential.audience)}]`,
    ]),
    ...setup.customRoles.map(roleBlock),
    ...setup.assignments.map(assignmentBlock),
    block('output "client_id"', [
      'description = "Of the annotation azure.workload.identity/client-id of the ServiceAccount"',
      'value       = azurerm_user_assigned_identity.chandler.client_id',
    ]),
  ]);
}

// ---------------------------------------------------------------------------------------------------------------

function roleBlock(role: CustomRole): readonly string[] {
  return block(`resource "azurerm_role_definition" "${snakeCase(role.on)}"`, [
    `role_definition_id = ${hclText(role.guid)}`,
    `name               = ${hclText(role.name)}`,
    `description        = ${hclText(role.description)}`,
    `scope              = ${hclText(role.assignableScope)}`,
    `assignable_scopes  = [${hclText(role.assignableScope)}]`,
    '',
    ...block('permissions', ['actions = [', ...role.actions.map((action) => `  ${hclText(action)},`), ']']),
  ]);
}

function assignmentBlock({ on, scope, roleName, isCustom, why }: RoleOnScope): readonly string[] {
  const name = snakeCase(on);
  const role = isCustom
    ? `role_definition_id               = azurerm_role_definition.${name}.role_definition_resource_id`
    : `role_definition_name             = ${hclText(roleName)}`;
  return [
    `# Needed ${why}.`,
    ...block(`resource "azurerm_role_assignment" "${name}"`, [
      `scope                            = ${hclText(scope)}`,
      role,
      'principal_id                     = azurerm_user_assigned_identity.chandler.principal_id',
      'principal_type                   = "ServicePrincipal"',
      'skip_service_principal_aad_check = true',
    ]),
  ];
}
