provider "aws" {
  region = "eu-central-1"
}

resource "aws_eks_cluster" "this" {
  name    = "orchard-prod"
  version = "1.33"
}

resource "aws_subnet" "private" {
  count = 3
  tags  = { "karpenter.sh/discovery" = "orchard-prod" }
}

resource "aws_security_group" "nodes" {
  tags = { "karpenter.sh/discovery" = "orchard-prod" }
}

resource "aws_iam_role" "karpenter_node" {
  name = "orchard-karpenter-node"
}

resource "aws_iam_instance_profile" "karpenter" {
  name = "orchard-karpenter-node"
  role = aws_iam_role.karpenter_node.name
}

resource "aws_iam_role" "karpenter_controller" {
  name = "orchard-karpenter"
}

module "addons" {
  source = "./addons"
}

output "cluster_endpoint" {
  value = aws_eks_cluster.this.endpoint
}

output "oidc_provider_arn" {
  value = "arn:aws:iam::418295670013:oidc-provider/oidc.eks.eu-central-1.amazonaws.com/id/4F1D"
}

output "eks_kms_key_arn" {
  value = "arn:aws:kms:eu-central-1:418295670013:key/8c2f0a51-7a2c-4c8e-b1a7-2f60c1f0a411"
}
