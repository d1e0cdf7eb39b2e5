output "kubernetes_cluster_endpoint" {
  value = module.eks.cluster_endpoint
}

output "oidc_provider_arn" {
  value = module.eks.oidc_provider_arn
}

output "eks_kms_key_arn" {
  value = module.eks.kms_key_arn
}
