# Resources written by hand; nodes join by an access entry, Flux installs the chart.
terraform {
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 6.0" }
  }
}

provider "aws" {
  region = "ap-southeast-2"
}

data "aws_caller_identity" "current" {}

locals {
  cluster = "ledger"
  zones   = ["ap-southeast-2a", "ap-southeast-2b", "ap-southeast-2c"]
}

resource "aws_vpc" "this" {
  cidr_block = "10.8.0.0/16"
}

resource "aws_subnet" "private" {
  count             = 3
  vpc_id            = aws_vpc.this.id
  cidr_block        = cidrsubnet(aws_vpc.this.cidr_block, 4, count.index)
  availability_zone = local.zones[count.index]

  tags = {
    Name                     = "${local.cluster}-private-${count.index}"
    "karpenter.sh/discovery" = local.cluster
  }
}

resource "aws_subnet" "public" {
  count                   = 3
  vpc_id                  = aws_vpc.this.id
  cidr_block              = cidrsubnet(aws_vpc.this.cidr_block, 8, count.index + 200)
  availability_zone       = local.zones[count.index]
  map_public_ip_on_launch = true

  tags = { Name = "${local.cluster}-public-${count.index}" }
}

resource "aws_security_group" "nodes" {
  name   = "${local.cluster}-nodes"
  vpc_id = aws_vpc.this.id
  tags   = { "karpenter.sh/discovery" = local.cluster }
}

resource "aws_security_group" "cache" {
  name   = "cache"
  vpc_id = aws_vpc.this.id
}

resource "aws_iam_role" "cluster" {
  name               = "${local.cluster}-control-plane"
  assume_role_policy = data.aws_iam_policy_document.cluster.json
}

data "aws_iam_policy_document" "cluster" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]
    principals {
      type        = "Service"
      identifiers = ["eks.amazonaws.com"]
    }
  }
}

resource "aws_eks_cluster" "this" {
  name     = local.cluster
  version  = "1.33"
  role_arn = aws_iam_role.cluster.arn

  access_config {
    authentication_mode = "API"
  }

  vpc_config {
    subnet_ids              = aws_subnet.private[*].id
    endpoint_private_access = true
    security_group_ids      = [aws_security_group.nodes.id]
  }
}

module "karpenter" {
  source = "./modules/karpenter"

  cluster_name = aws_eks_cluster.this.name
  account_id   = data.aws_caller_identity.current.account_id
}

output "cluster_endpoint" {
  value = aws_eks_cluster.this.endpoint
}

output "oidc_provider" {
  value = aws_eks_cluster.this.identity[0].oidc[0].issuer
}

output "kms_key_arn" {
  value = module.karpenter.kms_key_arn
}
