provider "registry.terraform.io/hashicorp/aws" {
  version = "5.94.1"
}
