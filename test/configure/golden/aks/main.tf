# What the controller of the AKS cluster shop needs in Azure, written by "chandler configure aks".

terraform {
  required_providers {
    azurerm = {
      source  = "hashicorp/azurerm"
      version = ">= 4.0, < 5.0"
    }
  }
}

provider "azurerm" {
  features {}
  subscription_id = "5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34"
}

resource "azurerm_user_assigned_identity" "chandler" {
  name                = "chandler-shop"
  resource_group_name = "shop"
  location            = "westeurope"
}

resource "azurerm_federated_identity_credential" "chandler" {
  name                = "chandler"
  resource_group_name = "shop"
  parent_id           = azurerm_user_assigned_identity.chandler.id
  issuer              = "https://westeurope.oic.prod-aks.azure.com/2d4e/9f31/"
  subject             = "system:serviceaccount:kube-system:chandler"
  audience            = ["api://AzureADTokenExchange"]
}

resource "azurerm_role_definition" "nodes" {
  role_definition_id = "df07d386-c2e3-57df-93f4-e8eb9d4c4713"
  name               = "Chandler nodes shop b6f7a657"
  description        = "What the controller of the cluster shop needs so that the controller can create and delete VMs in the node resource group."
  scope              = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop"
  assignable_scopes  = ["/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop"]

  permissions {
    actions = [
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
      "Microsoft.Network/virtualNetworks/read",
    ]
  }
}

resource "azurerm_role_definition" "subnet" {
  role_definition_id = "f39cadc2-1c5d-5252-9334-3cf64c9773f7"
  name               = "Chandler subnet shop b6f7a657"
  description        = "What the controller of the cluster shop needs so that new VMs can join the subnet of nodes."
  scope              = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net"
  assignable_scopes  = ["/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net"]

  permissions {
    actions = [
      "Microsoft.Network/virtualNetworks/subnets/join/action",
      "Microsoft.Network/virtualNetworks/subnets/read",
    ]
  }
}

# Needed so that the controller can create and delete VMs in the node resource group.
resource "azurerm_role_assignment" "nodes" {
  scope                            = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop"
  role_definition_id               = azurerm_role_definition.nodes.role_definition_resource_id
  principal_id                     = azurerm_user_assigned_identity.chandler.principal_id
  principal_type                   = "ServicePrincipal"
  skip_service_principal_aad_check = true
}

# Needed so that new VMs can join the subnet of nodes.
resource "azurerm_role_assignment" "subnet" {
  scope                            = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/net/providers/Microsoft.Network/virtualNetworks/hub/subnets/nodes"
  role_definition_id               = azurerm_role_definition.subnet.role_definition_resource_id
  principal_id                     = azurerm_user_assigned_identity.chandler.principal_id
  principal_type                   = "ServicePrincipal"
  skip_service_principal_aad_check = true
}

# Needed so that new VMs get the identity with which kubelets pull images.
resource "azurerm_role_assignment" "kubelet_identity" {
  scope                            = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/MC_shop/providers/Microsoft.ManagedIdentity/userAssignedIdentities/shop-agentpool"
  role_definition_name             = "Managed Identity Operator"
  principal_id                     = azurerm_user_assigned_identity.chandler.principal_id
  principal_type                   = "ServicePrincipal"
  skip_service_principal_aad_check = true
}

# Needed so that the controller can read the settings of the cluster.
resource "azurerm_role_assignment" "cluster" {
  scope                            = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/shop/providers/Microsoft.ContainerService/managedClusters/shop"
  role_definition_name             = "Reader"
  principal_id                     = azurerm_user_assigned_identity.chandler.principal_id
  principal_type                   = "ServicePrincipal"
  skip_service_principal_aad_check = true
}

# Needed so that OS disks are encrypted with the key of the cluster.
resource "azurerm_role_assignment" "disk_encryption_set" {
  scope                            = "/subscriptions/5c1a2b8e-3f60-4d4b-9a17-6b1d8e0f2c34/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/disks"
  role_definition_name             = "Reader"
  principal_id                     = azurerm_user_assigned_identity.chandler.principal_id
  principal_type                   = "ServicePrincipal"
  skip_service_principal_aad_check = true
}

output "client_id" {
  description = "Of the annotation azure.workload.identity/client-id of the ServiceAccount"
  value       = azurerm_user_assigned_identity.chandler.client_id
}
