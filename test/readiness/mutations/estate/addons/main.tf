resource "aws_eks_addon" "dns" {
  addon_name = "coredns"
}

resource "aws_eks_addon" "cni" {
  addon_name           = "vpc-cni"
  configuration_values = jsonencode({ env = { ENABLE_PREFIX_DELEGATION = "true" } })
}
