# AKS by the public module, with Karpenter installed by Terraform itself. Disks have keys of the platform.
provider "azurerm" {
  features {}
}

locals {
  name     = "meadow"
  location = "northeurope"
}

data "azurerm_subscription" "current" {}

resource "azurerm_resource_group" "main" {
  name     = "rg-${local.name}"
  location = local.location
}

resource "azurerm_virtual_network" "main" {
  name                = "vnet-${local.name}"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
  address_space       = ["10.20.0.0/16"]
}

resource "azurerm_subnet" "nodes" {
  name                 = "snet-nodes"
  resource_group_name  = azurerm_resource_group.main.name
  virtual_network_name = azurerm_virtual_network.main.name
  address_prefixes     = ["10.20.0.0/20"]
}

module "aks" {
  source  = "Azure/aks/azurerm"
  version = "10.2.0"

  cluster_name              = local.name
  prefix                    = local.name
  resource_group_name       = azurerm_resource_group.main.name
  location                  = azurerm_resource_group.main.location
  node_resource_group       = "rg-${local.name}-nodes"
  kubernetes_version        = "1.34"
  network_plugin            = "azure"
  network_plugin_mode       = "overlay"
  network_policy            = "cilium"
  network_data_plane        = "cilium"
  oidc_issuer_enabled       = true
  workload_identity_enabled = true
  auto_scaling_enabled      = false
  net_profile_outbound_type = "loadBalancer"
}

resource "azurerm_user_assigned_identity" "karpenter" {
  name                = "id-${local.name}-karpenter"
  resource_group_name = azurerm_resource_group.main.name
  location            = azurerm_resource_group.main.location
}

resource "azurerm_federated_identity_credential" "karpenter" {
  name                = "karpenter"
  resource_group_name = azurerm_resource_group.main.name
  parent_id           = azurerm_user_assigned_identity.karpenter.id
  issuer              = module.aks.oidc_issuer_url
  subject             = "system:serviceaccount:kube-system:karpenter-sa"
  audience            = ["api://AzureADTokenExchange"]
}

resource "azurerm_role_assignment" "nodes" {
  for_each             = toset(["Virtual Machine Contributor", "Network Contributor", "Managed Identity Operator"])
  scope                = "${data.azurerm_subscription.current.id}/resourceGroups/${module.aks.node_resource_group}"
  role_definition_name = each.value
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "azurerm_role_assignment" "subnet" {
  scope                = azurerm_virtual_network.main.id
  role_definition_name = "Network Contributor"
  principal_id         = azurerm_user_assigned_identity.karpenter.principal_id
}

resource "helm_release" "karpenter" {
  name       = "karpenter"
  namespace  = "kube-system"
  repository = "oci://mcr.microsoft.com/aks/karpenter"
  chart      = "karpenter"
  version    = "1.14.2"

  values = [
    <<-EOT
    replicas: 2
    controller:
      resources:
        requests:
          cpu: 1
          memory: 1Gi
      env:
        - name: CLUSTER_NAME
          value: ${module.aks.aks_name}
        - name: CLUSTER_ENDPOINT
          value: https://${module.aks.cluster_fqdn}:443
        - name: KUBELET_BOOTSTRAP_TOKEN
          valueFrom:
            secretKeyRef:
              name: kubelet-bootstrap-token
              key: token
        - name: SSH_PUBLIC_KEY
          value: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ7y meadow
        - name: NETWORK_PLUGIN
          value: azure
        - name: NETWORK_PLUGIN_MODE
          value: overlay
        - name: NETWORK_POLICY
          value: cilium
        - name: NETWORK_DATAPLANE
          value: cilium
        - name: VNET_SUBNET_ID
          value: ${azurerm_subnet.nodes.id}
        - name: NODE_IDENTITIES
          value: ${module.aks.kubelet_identity[0].user_assigned_identity_id}
        - name: ARM_SUBSCRIPTION_ID
          value: ${data.azurerm_subscription.current.subscription_id}
        - name: LOCATION
          value: ${local.location}
        - name: AZURE_NODE_RESOURCE_GROUP
          value: ${module.aks.node_resource_group}
    serviceAccount:
      name: karpenter-sa
      annotations:
        azure.workload.identity/client-id: ${azurerm_user_assigned_identity.karpenter.client_id}
    podLabels:
      azure.workload.identity/use: "true"
    serviceMonitor:
      enabled: true
    EOT
  ]
}
