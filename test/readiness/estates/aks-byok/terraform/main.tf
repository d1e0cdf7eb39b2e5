# A private AKS cluster with routes of its own, delivered by Argo CD. Disks have a key of the customer.
provider "azurerm" {
  features {}
}

data "azurerm_client_config" "current" {}

resource "azurerm_resource_group" "main" {
  name     = "rg-harvest"
  location = "West Europe"
}

resource "azurerm_virtual_network" "main" {
  name                = "vnet-harvest"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  address_space       = ["10.40.0.0/16"]
}

resource "azurerm_subnet" "nodes" {
  name                 = "snet-nodes"
  resource_group_name  = azurerm_resource_group.main.name
  virtual_network_name = azurerm_virtual_network.main.name
  address_prefixes     = ["10.40.0.0/22"]
}

resource "azurerm_route_table" "nodes" {
  name                = "rt-nodes"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
}

resource "azurerm_subnet_route_table_association" "nodes" {
  subnet_id      = azurerm_subnet.nodes.id
  route_table_id = azurerm_route_table.nodes.id
}

resource "azurerm_user_assigned_identity" "cluster" {
  name                = "id-harvest"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
}

resource "azurerm_user_assigned_identity" "kubelet" {
  name                = "id-harvest-kubelet"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
}

resource "azurerm_kubernetes_cluster" "main" {
  name                       = "harvest"
  resource_group_name        = azurerm_resource_group.main.name
  location                   = azurerm_resource_group.main.location
  dns_prefix_private_cluster = "harvest"
  node_resource_group        = "rg-harvest-nodes"
  kubernetes_version         = "1.34.2"
  private_cluster_enabled    = true
  oidc_issuer_enabled        = true
  workload_identity_enabled  = true
  disk_encryption_set_id     = azurerm_disk_encryption_set.nodes.id

  default_node_pool {
    name                 = "system"
    vm_size              = "Standard_D4s_v5"
    node_count           = 3
    vnet_subnet_id       = azurerm_subnet.nodes.id
    auto_scaling_enabled = false
  }

  identity {
    type         = "UserAssigned"
    identity_ids = [azurerm_user_assigned_identity.cluster.id]
  }

  kubelet_identity {
    client_id                 = azurerm_user_assigned_identity.kubelet.client_id
    object_id                 = azurerm_user_assigned_identity.kubelet.principal_id
    user_assigned_identity_id = azurerm_user_assigned_identity.kubelet.id
  }

  network_profile {
    network_plugin      = "azure"
    network_plugin_mode = "overlay"
    network_policy      = "cilium"
    network_data_plane  = "cilium"
    outbound_type       = "userDefinedRouting"
  }
}

resource "azapi_update_resource" "cluster" {
  type        = "Microsoft.ContainerService/managedClusters@2026-05-02-preview"
  resource_id = azurerm_kubernetes_cluster.main.id

  body = {
    properties = {
      nodeProvisioningProfile  = { mode = "Manual" }
      nodeResourceGroupProfile = { restrictionLevel = "Unrestricted" }
    }
  }
}

resource "azurerm_user_assigned_identity" "karpenter" {
  name                = "id-harvest-karpenter"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
}

resource "azurerm_federated_identity_credential" "karpenter" {
  name                = "karpenter"
  resource_group_name = azurerm_resource_group.main.name
  parent_id           = azurerm_user_assigned_identity.karpenter.id
  issuer              = azurerm_kubernetes_cluster.main.oidc_issuer_url
  subject             = "system:serviceaccount:karpenter:karpenter"
  audience            = ["api://AzureADTokenExchange"]
}

resource "azurerm_role_assignment" "vms" {
  scope                = azurerm_kubernetes_cluster.main.node_resource_group_id
  role_definition_name = "Virtual Machine Contributor"
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "azurerm_role_assignment" "subnet" {
  scope                = azurerm_subnet.nodes.id
  role_definition_name = "Network Contributor"
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "azurerm_role_assignment" "kubelet" {
  scope                = azurerm_user_assigned_identity.kubelet.id
  role_definition_name = "Managed Identity Operator"
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "azurerm_role_assignment" "set" {
  scope                = azurerm_disk_encryption_set.nodes.id
  role_definition_name = "Reader"
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "azapi_resource" "quota" {
  type      = "Microsoft.Quota/quotas@2025-03-01"
  name      = "standardDSv5Family"
  parent_id = "/subscriptions/${data.azurerm_client_config.current.subscription_id}/providers/Microsoft.Compute/locations/westeurope"

  body = {
    properties = {
      limit = {
        limitObjectType = "LimitValue"
        value           = 300
      }
    }
  }
}
