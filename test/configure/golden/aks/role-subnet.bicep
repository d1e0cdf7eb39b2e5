// A module of main.bicep for the AKS cluster shop, written by "chandler configure aks".
param principalId string

resource role 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: 'f39cadc2-1c5d-5252-9334-3cf64c9773f7'
  properties: {
    roleName: 'Chandler subnet shop b6f7a657'
    description: 'What the controller of the cluster shop needs so that new VMs can join the subnet of nodes.'
    type: 'CustomRole'
    permissions: [
      {
        actions: [
          'Microsoft.Network/virtualNetworks/subnets/join/action'
          'Microsoft.Network/virtualNetworks/subnets/read'
        ]
      }
    ]
    assignableScopes: [
      resourceGroup().id
    ]
  }
}

resource target 'Microsoft.Network/virtualNetworks/subnets@2023-11-01' existing = {
  name: 'hub/nodes'
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(target.id, principalId, 'f39cadc2-1c5d-5252-9334-3cf64c9773f7')
  scope: target
  properties: {
    roleDefinitionId: role.id
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
