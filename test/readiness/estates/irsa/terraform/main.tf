# A cluster whose controller gets its role by a service account (IRSA).
provider "aws" {
  region = var.region

  default_tags {
    tags = { owner = "platform" }
  }
}

# Images of the public registry are authorized in this region alone.
provider "aws" {
  alias  = "virginia"
  region = "us-east-1"
}

data "aws_availability_zones" "available" {}
data "aws_caller_identity" "current" {}

data "aws_ecrpublic_authorization_token" "token" {
  provider = aws.virginia
}

locals {
  name = "orchard-${var.stage}"
  azs  = slice(data.aws_availability_zones.available.names, 0, 3)
  tags = { stage = var.stage }
}

module "vpc" {
  source  = "terraform-aws-modules/vpc/aws"
  version = "~> 5.0"

  name = local.name
  cidr = var.cidr

  azs             = local.azs
  private_subnets = [for index, zone in local.azs : cidrsubnet(var.cidr, 4, index)]
  public_subnets  = [for index, zone in local.azs : cidrsubnet(var.cidr, 8, index + 48)]

  enable_nat_gateway = true

  public_subnet_tags = {
    "kubernetes.io/role/elb" = 1
  }

  private_subnet_tags = {
    "kubernetes.io/role/internal-elb" = 1
    "karpenter.sh/discovery"          = local.name
  }

  tags = local.tags
}

module "eks" {
  source  = "terraform-aws-modules/eks/aws"
  version = "~> 20.31"

  cluster_name    = local.name
  cluster_version = "1.32"

  vpc_id     = module.vpc.vpc_id
  subnet_ids = module.vpc.private_subnets

  eks_managed_node_groups = {
    system = {
      instance_types = ["m6i.large"]
      min_size       = 2
      max_size       = 3
      desired_size   = 2
      labels         = { "karpenter.sh/controller" = "true" }
    }
  }

  node_security_group_tags = merge(local.tags, {
    "karpenter.sh/discovery" = local.name
  })

  tags = local.tags
}

module "karpenter" {
  source  = "terraform-aws-modules/eks/aws//modules/karpenter"
  version = "~> 20.31"

  cluster_name = module.eks.cluster_name

  enable_irsa                     = true
  irsa_oidc_provider_arn          = module.eks.oidc_provider_arn
  irsa_namespace_service_accounts = ["karpenter:karpenter"]

  iam_role_name                 = "orchard-karpenter"
  iam_role_use_name_prefix      = false
  node_iam_role_name            = "orchard-karpenter-node"
  node_iam_role_use_name_prefix = false

  node_iam_role_additional_policies = {
    ssm = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
  }

  tags = local.tags
}

resource "aws_kms_key" "disks" {
  description = "Disks of nodes"
}

# Another service of the same account.
resource "aws_security_group" "database" {
  name   = "orders-database"
  vpc_id = module.vpc.vpc_id
}

resource "aws_sqs_queue" "orders" {
  name = "orders"
}
