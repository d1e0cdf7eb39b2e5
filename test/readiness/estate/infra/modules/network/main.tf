variable "cluster_name" {
  type = string
}

variable "zones" {
  type = list(string)
}

resource "aws_vpc" "this" {
  cidr_block = "10.20.0.0/16"
}

resource "aws_subnet" "private" {
  count             = length(var.zones)
  vpc_id            = aws_vpc.this.id
  cidr_block        = cidrsubnet(aws_vpc.this.cidr_block, 4, count.index)
  availability_zone = var.zones[count.index]

  tags = merge({ Name = "private-${count.index}" }, {
    "karpenter.sh/discovery" = var.cluster_name
  })
}

resource "aws_subnet" "public" {
  count                   = length(var.zones)
  vpc_id                  = aws_vpc.this.id
  cidr_block              = cidrsubnet(aws_vpc.this.cidr_block, 4, count.index + 8)
  map_public_ip_on_launch = true

  tags = {
    "kubernetes.io/role/elb" = "1"
  }
}

output "private_subnet_ids" {
  value = aws_subnet.private[*].id
}
