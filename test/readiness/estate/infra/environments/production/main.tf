locals {
  cluster_name = "${var.project}-prod"
  tags = {
    project                  = var.project
    "karpenter.sh/discovery" = local.cluster_name
  }
}

provider "aws" {
  region = var.region
}

module "network" {
  source       = "../../modules/network"
  cluster_name = local.cluster_name
  zones        = ["us-east-1a", "us-east-1b", "us-east-1c"]
}

module "eks" {
  source       = "../../modules/eks"
  cluster_name = local.cluster_name
  subnet_ids   = module.network.private_subnet_ids
  tags         = local.tags
}

# What Karpenter needs in IAM.
resource "aws_iam_policy" "karpenter_controller" {
  name   = "${local.cluster_name}-karpenter-controller"
  policy = file("${path.module}/karpenter-controller.json")
}

resource "aws_iam_instance_profile" "karpenter" {
  name = "KarpenterNodeInstanceProfile-${local.cluster_name}"
  role = module.eks.node_role_name
}

resource "aws_iam_role_policy_attachment" "karpenter_ssm_policy" {
  role       = module.eks.node_role_name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

module "karpenter_irsa" {
  source  = "terraform-aws-modules/iam/aws//modules/iam-role-for-service-accounts-eks"
  version = "5.39.0"

  role_name = "${local.cluster_name}-Karpenter-IRSA"
  role_policy_arns = {
    controller = aws_iam_policy.karpenter_controller.arn
  }
  oidc_providers = {
    main = {
      provider_arn               = module.eks.oidc_provider_arn
      namespace_service_accounts = ["karpenter:karpenter"]
    }
  }
}
