provider "registry.terraform.io/hashicorp/aws" {
  version = "6.12.0"
}
