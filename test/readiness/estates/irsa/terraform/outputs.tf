output "cluster_endpoint" {
  value = module.eks.cluster_endpoint
}

output "oidc_provider_arn" {
  value = module.eks.oidc_provider_arn
}

output "eks_kms_key_arn" {
  value = aws_kms_key.disks.arn
}

output "karpenter_queue" {
  value = module.karpenter.queue_name
}
