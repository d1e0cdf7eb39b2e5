// A module of main.bicep for the AKS cluster shop, written by "chandler configure aks".
param principalId string

resource role 'Microsoft.Authorization/roleDefinitions@2022-04-01' = {
  name: 'df07d386-c2e3-57df-93f4-e8eb9d4c4713'
  properties: {
    roleName: 'Chandler nodes shop b6f7a657'
    description: 'What the controller of the cluster shop needs so that the controller can create and delete VMs in the node resource group.'
    type: 'CustomRole'
    permissions: [
      {
        actions: [
          'Microsoft.Compute/disks/delete'
          'Microsoft.Compute/disks/read'
          'Microsoft.Compute/disks/write'
          'Microsoft.Compute/virtualMachines/delete'
          'Microsoft.Compute/virtualMachines/extensions/read'
          'Microsoft.Compute/virtualMachines/extensions/write'
          'Microsoft.Compute/virtualMachines/read'
          'Microsoft.Compute/virtualMachines/restart/action'
          'Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action'
          'Microsoft.Compute/virtualMachines/write'
          'Microsoft.Network/loadBalancers/backendAddressPools/join/action'
          'Microsoft.Network/loadBalancers/read'
          'Microsoft.Network/networkInterfaces/delete'
          'Microsoft.Network/networkInterfaces/join/action'
          'Microsoft.Network/networkInterfaces/read'
          'Microsoft.Network/networkInterfaces/write'
          'Microsoft.Network/networkSecurityGroups/join/action'
          'Microsoft.Network/networkSecurityGroups/read'
          'Microsoft.Network/routeTables/read'
          'Microsoft.Network/virtualNetworks/read'
        ]
      }
    ]
    assignableScopes: [
      resourceGroup().id
    ]
  }
}

resource assignment 'Microsoft.Authorization/roleAssignments@2022-04-01' = {
  name: guid(resourceGroup().id, principalId, 'df07d386-c2e3-57df-93f4-e8eb9d4c4713')
  properties: {
    roleDefinitionId: role.id
    principalId: principalId
    principalType: 'ServicePrincipal'
  }
}
