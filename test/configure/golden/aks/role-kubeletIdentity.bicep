// A module of main.bicep for the AKS cluster shop, written by "chandler configure aks".
param principalId string

resource target 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' existing = {
  name: 'shop-agentpool'
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(target.id, principalId, 'f1a07417-d97a-45cb-824c-7a7467783830')
  scope: target
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'f1a07417-d97a-45cb-824c-7a7467783830')
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
