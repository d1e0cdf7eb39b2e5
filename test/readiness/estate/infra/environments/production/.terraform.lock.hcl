provider "registry.terraform.io/hashicorp/aws" {
  version = "5.83.1"
}
