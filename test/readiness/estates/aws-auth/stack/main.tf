# An older cluster in a VPC of another team: subnets are tagged one by one, nodes join by aws-auth.
variable "cluster" {
  default = "parcel"
}

variable "vpc_id" {
  type = string
}

variable "cluster_security_group" {
  type = string
}

provider "aws" {
  region = "eu-west-1"
}

data "aws_partition" "current" {}

data "aws_eks_cluster" "this" {
  name = var.cluster
}

data "aws_subnets" "private" {
  filter {
    name   = "vpc-id"
    values = [var.vpc_id]
  }
  tags = { tier = "private" }
}

resource "aws_ec2_tag" "subnets" {
  for_each    = toset(data.aws_subnets.private.ids)
  resource_id = each.value
  key         = "karpenter.sh/discovery"
  value       = var.cluster
}

resource "aws_ec2_tag" "nodes" {
  resource_id = data.aws_eks_cluster.this.vpc_config[0].cluster_security_group_id
  key         = "karpenter.sh/discovery"
  value       = var.cluster
}

module "karpenter_irsa" {
  source  = "terraform-aws-modules/iam/aws//modules/iam-role-for-service-accounts-eks"
  version = "~> 5.39"

  role_name                          = "KarpenterControllerRole-${var.cluster}"
  attach_karpenter_controller_policy = true

  karpenter_controller_cluster_name       = var.cluster
  karpenter_controller_node_iam_role_arns = [aws_iam_role.karpenter_node.arn]

  oidc_providers = {
    main = {
      provider_arn               = aws_iam_openid_connect_provider.this.arn
      namespace_service_accounts = ["karpenter:karpenter"]
    }
  }
}

resource "aws_iam_openid_connect_provider" "this" {
  url            = data.aws_eks_cluster.this.identity[0].oidc[0].issuer
  client_id_list = ["sts.amazonaws.com"]
}

resource "aws_iam_role" "karpenter_node" {
  name = "KarpenterNodeRole-${var.cluster}"
  assume_role_policy = jsonencode({
    Version = "2012-10-17"
    Statement = [{
      Effect    = "Allow"
      Action    = "sts:AssumeRole"
      Principal = { Service = "ec2.${data.aws_partition.current.dns_suffix}" }
    }]
  })
}

resource "aws_iam_role_policy_attachment" "karpenter_node" {
  for_each = {
    worker   = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
    cni      = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"
    registry = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryReadOnly"
  }
  role       = aws_iam_role.karpenter_node.name
  policy_arn = each.value
}

resource "aws_iam_role_policy_attachment" "karpenter_node_ssm" {
  role       = aws_iam_role.karpenter_node.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "karpenter" {
  name = "KarpenterNodeInstanceProfile-${var.cluster}"
  role = aws_iam_role.karpenter_node.name
}

module "aws_auth" {
  source  = "terraform-aws-modules/eks/aws//modules/aws-auth"
  version = "~> 20.0"

  manage_aws_auth_configmap = true

  aws_auth_roles = [
    {
      rolearn  = aws_iam_role.karpenter_node.arn
      username = "system:node:{{EC2PrivateDNSName}}"
      groups   = ["system:bootstrappers", "system:nodes"]
    },
  ]
}

# A machine that has nothing to do with the cluster.
resource "aws_iam_role" "bastion" {
  name = "bastion"
}

resource "aws_iam_role_policy_attachment" "bastion" {
  role       = aws_iam_role.bastion.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_iam_instance_profile" "bastion" {
  name = "bastion"
  role = aws_iam_role.bastion.name
}

resource "aws_security_group" "bastion" {
  name = "bastion"
}

output "cluster_endpoint" {
  value = data.aws_eks_cluster.this.endpoint
}

output "oidc_provider_arn" {
  value = aws_iam_openid_connect_provider.this.arn
}
