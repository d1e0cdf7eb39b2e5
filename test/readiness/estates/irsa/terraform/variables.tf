variable "region" {
  type    = string
  default = "eu-central-1"
}

variable "stage" {
  type = string
}

variable "cidr" {
  type    = string
  default = "10.20.0.0/16"
}
