resource "azurerm_key_vault" "disks" {
  name                       = "kv-harvest-disks"
  resource_group_name        = azurerm_resource_group.main.name
  location                   = azurerm_resource_group.main.location
  tenant_id                  = data.azurerm_client_config.current.tenant_id
  sku_name                   = "premium"
  rbac_authorization_enabled = true
  purge_protection_enabled   = true

  network_acls {
    default_action = "Deny"
    bypass         = "AzureServices"
  }
}

resource "azurerm_key_vault_key" "disks" {
  name         = "disks"
  key_vault_id = azurerm_key_vault.disks.id
  key_type     = "RSA-HSM"
  key_size     = 3072
  key_opts     = ["wrapKey", "unwrapKey"]

  rotation_policy {
    expire_after = "P365D"
  }
}

resource "azurerm_disk_encryption_set" "nodes" {
  name                      = "des-harvest"
  resource_group_name       = azurerm_resource_group.main.name
  location                  = azurerm_resource_group.main.location
  key_vault_key_id          = azurerm_key_vault_key.disks.versionless_id
  auto_key_rotation_enabled = true

  identity {
    type = "SystemAssigned"
  }
}

resource "azurerm_role_assignment" "key" {
  scope                = azurerm_key_vault.disks.id
  role_definition_name = "Key Vault Crypto Service Encryption User"
  principal_id         = azurerm_disk_encryption_set.nodes.identity[0].principal_id
}
