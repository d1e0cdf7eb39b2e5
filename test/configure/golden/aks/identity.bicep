// A module of main.bicep for the AKS cluster shop, written by "chandler configure aks".
resource identity 'Microsoft.ManagedIdentity/userAssignedIdentities@2023-01-31' = {
  name: 'chandler-shop'
  location: 'westeurope'
}

resource credential 'Microsoft.ManagedIdentity/userAssignedIdentities/federatedIdentityCredentials@2023-01-31' = {
  parent: identity
  name: 'chandler'
  properties: {
    issuer: 'https://westeurope.oic.prod-aks.azure.com/2d4e/9f31/'
    subject: 'system:serviceaccount:kube-system:chandler'
    audiences: [
      'api://AzureADTokenExchange'
    ]
  }
}

output principalId string = identity.properties.principalId
output clientId string = identity.properties.clientId
