/** Parts of examples of AKS. */
import { aResource, aState } from './example.ts';

export const SUBSCRIPTION = '7f1d2a6c-0b5e-4c39-9d8a-51e6c0f4b2a7';
export const CLIENT = '2b6f0f53-7c3e-4a0b-8d0c-6f1b9a3d4e57';
export const PRINCIPAL = '9d3c1e80-52aa-4f7e-b1c6-0e8f7a2b5d44';
const GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop`;
export const NODE_GROUP = `/subscriptions/${SUBSCRIPTION}/resourceGroups/shop-nodes`;
export const SUBNET = `${GROUP}/providers/Microsoft.Network/virtualNetworks/shop/subnets/nodes`;
export const IDENTITY = `${GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop-karpenter`;
export const KUBELET = `${NODE_GROUP}/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop-agentpool`;
export const ISSUER = 'https://westeurope.oic.prod-aks.azure.com/6c1d/4e2a/';

/** The first variable is in line 3, each further one two lines below. */
export function values(variables: Readonly<Record<string, string>>, more = ''): string {
  const items = Object.entries(variables).map(
    ([name, value]) => `    - name: ${name}\n      value: ${value}`,
  );
  return `controller:\n  env:\n${items.join('\n')}\n${more}`;
}

/** The attributes begin in line 2; further ones in line 6. */
export function cluster(more = ''): string {
  return `resource "azurerm_kubernetes_cluster" "shop" {
  name                = "shop"
  location            = "West Europe"
  resource_group_name = "shop"
  node_resource_group = "shop-nodes"
${more}}
`;
}

export function clusterState(values: object) {
  return aResource('azurerm_kubernetes_cluster', 'shop', {
    name: 'shop',
    location: 'westeurope',
    resource_group_name: 'shop',
    node_resource_group: 'shop-nodes',
    ...values,
  });
}

export const identityState = aResource('azurerm_user_assigned_identity', 'karpenter', {
  name: 'shop-karpenter',
  id: IDENTITY,
  client_id: CLIENT,
  principal_id: PRINCIPAL,
});

/** The identity begins in line 1, its credential in line 6: issuer 8, subject 9, audience 10. */
export function credential(
  issuer = 'azurerm_kubernetes_cluster.shop.oidc_issuer_url',
  subject = 'system:serviceaccount:kube-system:karpenter',
  audience = '"api://AzureADTokenExchange"',
): string {
  return `resource "azurerm_user_assigned_identity" "karpenter" {
  name                = "shop-karpenter"
  resource_group_name = "shop"
  location            = "westeurope"
}
resource "azurerm_federated_identity_credential" "karpenter" {
  parent_id = azurerm_user_assigned_identity.karpenter.id
  issuer    = ${issuer}
  subject   = "${subject}"
  audience  = [${audience}]
}
`;
}

/** The resource of each role is in a line of its own, from line 2 on, before others. */
export function rolesState(
  roles: readonly (readonly [role: string, scope: string, principal?: string])[],
  ...others: readonly object[]
): string {
  return aState(
    ...roles.map(([role, scope, principal = PRINCIPAL], index) =>
      aResource('azurerm_role_assignment', `a${index}`, {
        scope,
        role_definition_name: role,
        principal_id: principal,
      }),
    ),
    identityState,
    ...others,
  );
}

/** The namespace is in line 8, the values begin in line 15. */
export function anAzureApplication(values: string): string {
  return `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: karpenter
spec:
  destination:
    server: https://kubernetes.default.svc
    namespace: kube-system
  source:
    repoURL: mcr.microsoft.com/aks/karpenter
    chart: karpenter
    targetRevision: 1.14.2
    helm:
      values: |
${values.replaceAll(/^/gm, '        ')}
`;
}

/** The spec begins in line 6. */
export function anAksNodeClass(spec: string, name = 'default'): string {
  return `apiVersion: karpenter.azure.com/v1beta1
kind: AKSNodeClass
metadata:
  name: ${name}
spec:
${spec}
`;
}
