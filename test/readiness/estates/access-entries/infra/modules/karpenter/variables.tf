variable "cluster_name" {
  type = string
}

variable "account_id" {
  type = string
}
