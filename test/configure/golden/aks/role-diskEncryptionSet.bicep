// A module of main.bicep for the AKS cluster shop, written by "chandler configure aks".
param principalId string

resource target 'Microsoft.Compute/diskEncryptionSets@2023-10-02' existing = {
  name: 'disks'
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(target.id, principalId, 'acdd72a7-3385-48ef-bd42-f606fba81ae7')
  scope: target
  properties: {
    roleDefinitionId: subscriptionResourceId('Microsoft.Authorization/roleDefinitions', 'acdd72a7-3385-48ef-bd42-f606fba81ae7')
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
