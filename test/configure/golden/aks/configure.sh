#!/bin/sh
# What the controller of the AKS cluster shop needs in Azure, written by "chandler configure aks".
set -eu

# Azure may not know what was created a moment ago: tries again for up to three minutes.
retry() {
  attempt=1
  until "$@"; do
    [ "$attempt" -lt 12 ] || return 1
    attempt=$((attempt + 1))
    echo "trying again in 15 seconds" >&2
    sleep 15
  done
}

az account set --subscription 5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34

az identity create \
  --resource-group shop \
  --name chandler-shop \
  --location westeurope \
  --output none
principal=$(az identity show --resource-group shop --name chandler-shop --query principalId --output tsv)
az identity federated-credential create \
  --resource-group shop \
  --identity-name chandler-shop \
  --name chandler \
  --issuer https://westeurope.oic.prod-aks.azure.com/2d4e/9f31/ \
  --subject system:serviceaccount:kube-system:chandler \
  --audiences api://AzureADTokenExchange \
  --output none

definition='{
  "Name": "Chandler nodes shop b6f7a657",
  "IsCustom": true,
  "Description": "What the controller of the cluster shop needs so that the controller can create and delete VMs in the node resource group.",
  "Actions": [
    "Microsoft.Compute/disks/delete",
    "Microsoft.Compute/disks/read",
    "Microsoft.Compute/disks/write",
    "Microsoft.Compute/virtualMachines/delete",
    "Microsoft.Compute/virtualMachines/extensions/read",
    "Microsoft.Compute/virtualMachines/extensions/write",
    "Microsoft.Compute/virtualMachines/read",
    "Microsoft.Compute/virtualMachines/restart/action",
    "Microsoft.Compute/virtualMachines/retrieveBootDiagnosticsData/action",
    "Microsoft.Compute/virtualMachines/write",
    "Microsoft.Network/loadBalancers/backendAddressPools/join/action",
    "Microsoft.Network/loadBalancers/read",
    "Microsoft.Network/networkInterfaces/delete",
    "Microsoft.Network/networkInterfaces/join/action",
    "Microsoft.Network/networkInterfaces/read",
    "Microsoft.Network/networkInterfaces/write",
    "Microsoft.Network/networkSecurityGroups/join/action",
    "Microsoft.Network/networkSecurityGroups/read",
    "Microsoft.Network/routeTables/read",
    "Microsoft.Network/virtualNetworks/read"
  ],
  "AssignableScopes": [
    "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop"
  ]
}'
if [ -z "$(az role definition list --custom-role-only true --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop --name 'Chandler nodes shop b6f7a657' --query '[].name' --output tsv)" ]; then
  az role definition create --output none --role-definition "$definition"
else
  az role definition update --output none --role-definition "$definition"
fi

definition='{
  "Name": "Chandler subnet shop b6f7a657",
  "IsCustom": true,
  "Description": "What the controller of the cluster shop needs so that new VMs can join the subnet of nodes.",
  "Actions": [
    "Microsoft.Network/virtualNetworks/subnets/join/action",
    "Microsoft.Network/virtualNetworks/subnets/read"
  ],
  "AssignableScopes": [
    "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net"
  ]
}'
if [ -z "$(az role definition list --custom-role-only true --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net --name 'Chandler subnet shop b6f7a657' --query '[].name' --output tsv)" ]; then
  az role definition create --output none --role-definition "$definition"
else
  az role definition update --output none --role-definition "$definition"
fi

# Chandler nodes shop b6f7a657: needed so that the controller can create and delete VMs in the node resource group.
retry az role assignment create \
  --assignee-object-id "$principal" \
  --assignee-principal-type ServicePrincipal \
  --role 'Chandler nodes shop b6f7a657' \
  --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop \
  --output none

# Chandler subnet shop b6f7a657: needed so that new VMs can join the subnet of nodes.
retry az role assignment create \
  --assignee-object-id "$principal" \
  --assignee-principal-type ServicePrincipal \
  --role 'Chandler subnet shop b6f7a657' \
  --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes \
  --output none

# Managed Identity Operator: needed so that new VMs get the identity with which kubelets pull images.
retry az role assignment create \
  --assignee-object-id "$principal" \
  --assignee-principal-type ServicePrincipal \
  --role f1a07417-d97a-45cb-824c-7a7467783830 \
  --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop-agentpool \
  --output none

# Reader: needed so that the controller can read the settings of the cluster.
retry az role assignment create \
  --assignee-object-id "$principal" \
  --assignee-principal-type ServicePrincipal \
  --role acdd72a7-3385-48ef-bd42-f606fba81ae7 \
  --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop \
  --output none

# Reader: needed so that OS disks are encrypted with the key of the cluster.
retry az role assignment create \
  --assignee-object-id "$principal" \
  --assignee-principal-type ServicePrincipal \
  --role acdd72a7-3385-48ef-bd42-f606fba81ae7 \
  --scope /subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/disks \
  --output none

echo "client ID of the controller: $(az identity show --resource-group shop --name chandler-shop --query clientId --output tsv)"
