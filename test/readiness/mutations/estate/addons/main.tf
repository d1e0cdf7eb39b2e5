resource "aws_eks_addon" "dns" {
  addon_name = "coredns"
}
