// What the controller of the AKS cluster shop needs in Azure, written by "chandler configure aks". To deploy it:
// az deployment sub create --subscription 5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34 --location westeurope --template-file main.bicep

targetScope = 'subscription'

module identity 'identity.bicep' = {
  name: 'chandler-identity'
  scope: resourceGroup('shop')
}

// Needed so that the controller can create and delete VMs in the node resource group.
module nodes 'role-nodes.bicep' = {
  name: 'chandler-nodes'
  scope: resourceGroup('MC_shop')
  params: {
    principalId: identity.outputs.principalId
  }
}

// Needed so that new VMs can join the subnet of nodes.
module subnet 'role-subnet.bicep' = {
  name: 'chandler-subnet'
  scope: resourceGroup('net')
  params: {
    principalId: identity.outputs.principalId
  }
}

// Needed so that new VMs get the identity with which kubelets pull images.
module kubeletIdentity 'role-kubeletIdentity.bicep' = {
  name: 'chandler-kubeletIdentity'
  scope: resourceGroup('MC_shop')
  params: {
    principalId: identity.outputs.principalId
  }
}

// Needed so that the controller can read the settings of the cluster.
module cluster 'role-cluster.bicep' = {
  name: 'chandler-cluster'
  scope: resourceGroup('shop')
  params: {
    principalId: identity.outputs.principalId
  }
}

// Needed so that OS disks are encrypted with the key of the cluster.
module diskEncryptionSet 'role-diskEncryptionSet.bicep' = {
  name: 'chandler-diskEncryptionSet'
  scope: resourceGroup('keys')
  params: {
    principalId: identity.outputs.principalId
  }
}

// Of the annotation azure.workload.identity/client-id of the ServiceAccount.
output clientId string = identity.outputs.clientId
