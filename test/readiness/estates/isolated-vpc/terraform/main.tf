# No way to the internet: endpoints for every service, images from an own registry, an instance profile made beforehand.
variable "region" {
  default = "us-gov-west-1"
}

locals {
  name = "vault"
  services = toset([
    "ec2", "ecr.api", "ecr.dkr", "eks", "eks-auth", "sqs", "ssm", "sts",
  ])
}

provider "aws" {
  region = var.region
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 6.0"

  name            = local.name
  cidr            = "10.100.0.0/16"
  azs             = ["${var.region}a", "${var.region}b", "${var.region}c"]
  private_subnets = ["10.100.0.0/19", "10.100.32.0/19", "10.100.64.0/19"]

  private_subnet_tags = { "karpenter.sh/discovery" = local.name }
}

module "endpoints" {
  source  = "terraform-aws-modules/vpc/aws//modules/vpc-endpoints"
  version = "~> 6.0"

  vpc_id                = module.vpc.vpc_id
  create_security_group = true

  endpoints = merge(
    { s3 = { service = "s3", service_type = "Gateway", route_table_ids = module.vpc.private_route_table_ids } },
    { for service in local.services : service => { service = service, subnet_ids = module.vpc.private_subnets, private_dns_enabled = true } },
  )
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 21.0"

  name                    = local.name
  kubernetes_version      = "1.33"
  endpoint_private_access = true
  endpoint_public_access  = false

  vpc_id     = module.vpc.vpc_id
  subnet_ids = module.vpc.private_subnets

  node_security_group_tags = { "karpenter.sh/discovery" = local.name }
}

module "karpenter" {
  source  = "terraform-aws-modules/eks/aws//modules/karpenter"
  version = "~> 21.0"

  cluster_name = module.eks.cluster_name
  namespace    = "karpenter"

  iam_role_use_name_prefix      = false
  iam_role_name                 = "vault-karpenter-controller"
  node_iam_role_use_name_prefix = false
  node_iam_role_name            = "vault-karpenter-node"
  create_instance_profile       = true
}

output "cluster_endpoint" {
  value = module.eks.cluster_endpoint
}

output "oidc_provider_arn" {
  value = module.eks.oidc_provider_arn
}

output "kms_key_arn" {
  value = module.eks.kms_key_arn
}
