provider "registry.terraform.io/hashicorp/azurerm" {
  version = "4.41.0"
}
