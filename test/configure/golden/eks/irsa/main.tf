# What the controller of the EKS cluster shop needs in AWS, written by "chandler configure eks".

terraform {
  required_providers {
    aws = {
      source  = "hashicorp/aws"
      version = ">= 5.81, < 7.0"
    }
  }
}

provider "aws" {
  region              = "eu-west-1"
  allowed_account_ids = ["123456789012"]
}

resource "aws_iam_role" "node" {
  name               = "KarpenterNodeRole-shop"
  description        = "Nodes of the EKS cluster shop"
  tags               = { "chandler.sh/cluster" = "arn:aws:eks:eu-west-1:123456789012:cluster/shop" }
  assume_role_policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Effect": "Allow",
        "Principal": {
          "Service": "ec2.amazonaws.com"
        },
        "Action": "sts:AssumeRole"
      }
    ]
  })
}

resource "aws_iam_role_policy_attachment" "AmazonEKSWorkerNodePolicy" {
  role       = aws_iam_role.node.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy"
}

resource "aws_iam_role_policy_attachment" "AmazonEKS_CNI_Policy" {
  role       = aws_iam_role.node.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy"
}

resource "aws_iam_role_policy_attachment" "AmazonEC2ContainerRegistryPullOnly" {
  role       = aws_iam_role.node.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly"
}

resource "aws_iam_role_policy_attachment" "AmazonSSMManagedInstanceCore" {
  role       = aws_iam_role.node.name
  policy_arn = "arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore"
}

resource "aws_eks_access_entry" "node" {
  cluster_name  = "shop"
  principal_arn = aws_iam_role.node.arn
  type          = "EC2_LINUX"
}

resource "aws_sqs_queue" "interruption" {
  name                      = "chandler-shop"
  message_retention_seconds = 300
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_policy" "interruption" {
  queue_url = aws_sqs_queue.interruption.url
  policy    = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowInterruptionEvents",
        "Effect": "Allow",
        "Principal": {
          "Service": "events.amazonaws.com"
        },
        "Action": "sqs:SendMessage",
        "Resource": "arn:aws:sqs:eu-west-1:123456789012:chandler-shop",
        "Condition": {
          "ArnEquals": {
            "aws:SourceArn": [
              "arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-SpotInterruption",
              "arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-Rebalance",
              "arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-InstanceStateChange",
              "arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-CapacityReservation",
              "arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-ScheduledChange"
            ]
          }
        }
      },
      {
        "Sid": "DenyHTTP",
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:*",
        "Resource": "arn:aws:sqs:eu-west-1:123456789012:chandler-shop",
        "Condition": {
          "Bool": {
            "aws:SecureTransport": "false"
          }
        }
      }
    ]
  })
}

# Needed so that spot nodes are drained before they are interrupted.
resource "aws_cloudwatch_event_rule" "SpotInterruption" {
  name          = "chandler-shop-SpotInterruption"
  event_pattern = jsonencode({
    "source": [
      "aws.ec2"
    ],
    "detail-type": [
      "EC2 Spot Instance Interruption Warning"
    ]
  })
}

resource "aws_cloudwatch_event_target" "SpotInterruption" {
  rule      = aws_cloudwatch_event_rule.SpotInterruption.name
  target_id = "ChandlerInterruptionQueue"
  arn       = aws_sqs_queue.interruption.arn
}

# Needed so that rebalance recommendations are seen.
resource "aws_cloudwatch_event_rule" "Rebalance" {
  name          = "chandler-shop-Rebalance"
  event_pattern = jsonencode({
    "source": [
      "aws.ec2"
    ],
    "detail-type": [
      "EC2 Instance Rebalance Recommendation"
    ]
  })
}

resource "aws_cloudwatch_event_target" "Rebalance" {
  rule      = aws_cloudwatch_event_rule.Rebalance.name
  target_id = "ChandlerInterruptionQueue"
  arn       = aws_sqs_queue.interruption.arn
}

# Needed so that instances that somebody stops or terminates are noticed at once.
resource "aws_cloudwatch_event_rule" "InstanceStateChange" {
  name          = "chandler-shop-InstanceStateChange"
  event_pattern = jsonencode({
    "source": [
      "aws.ec2"
    ],
    "detail-type": [
      "EC2 Instance State-change Notification"
    ]
  })
}

resource "aws_cloudwatch_event_target" "InstanceStateChange" {
  rule      = aws_cloudwatch_event_rule.InstanceStateChange.name
  target_id = "ChandlerInterruptionQueue"
  arn       = aws_sqs_queue.interruption.arn
}

# Needed so that nodes in reservations that end are drained.
resource "aws_cloudwatch_event_rule" "CapacityReservation" {
  name          = "chandler-shop-CapacityReservation"
  event_pattern = jsonencode({
    "source": [
      "aws.ec2"
    ],
    "detail-type": [
      "EC2 Capacity Reservation Instance Interruption Warning"
    ]
  })
}

resource "aws_cloudwatch_event_target" "CapacityReservation" {
  rule      = aws_cloudwatch_event_rule.CapacityReservation.name
  target_id = "ChandlerInterruptionQueue"
  arn       = aws_sqs_queue.interruption.arn
}

# Needed so that nodes are drained before scheduled maintenance.
resource "aws_cloudwatch_event_rule" "ScheduledChange" {
  name          = "chandler-shop-ScheduledChange"
  event_pattern = jsonencode({
    "source": [
      "aws.health"
    ],
    "detail-type": [
      "AWS Health Event"
    ]
  })
}

resource "aws_cloudwatch_event_target" "ScheduledChange" {
  rule      = aws_cloudwatch_event_rule.ScheduledChange.name
  target_id = "ChandlerInterruptionQueue"
  arn       = aws_sqs_queue.interruption.arn
}

resource "aws_iam_openid_connect_provider" "cluster" {
  url            = "https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F"
  client_id_list = ["sts.amazonaws.com"]
}

resource "aws_iam_role" "controller" {
  name               = "chandler-shop"
  description        = "The controller of the EKS cluster shop"
  tags               = { "chandler.sh/cluster" = "arn:aws:eks:eu-west-1:123456789012:cluster/shop" }
  assume_role_policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Effect": "Allow",
        "Principal": {
          "Federated": "arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F"
        },
        "Action": "sts:AssumeRoleWithWebIdentity",
        "Condition": {
          "StringEquals": {
            "oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F:aud": "sts.amazonaws.com",
            "oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F:sub": "system:serviceaccount:kube-system:chandler"
          }
        }
      }
    ]
  })
}

resource "aws_iam_role_policy" "NodeLifecycle" {
  name   = "NodeLifecycle"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowScopedEC2InstanceAccessActions",
        "Effect": "Allow",
        "Action": [
          "ec2:RunInstances",
          "ec2:CreateFleet"
        ],
        "Resource": [
          "arn:aws:ec2:eu-west-1::image/*",
          "arn:aws:ec2:eu-west-1::snapshot/*",
          "arn:aws:ec2:eu-west-1:*:security-group/*",
          "arn:aws:ec2:eu-west-1:*:subnet/*",
          "arn:aws:ec2:eu-west-1:*:capacity-reservation/*",
          "arn:aws:ec2:eu-west-1:*:placement-group/*"
        ]
      },
      {
        "Sid": "AllowScopedEC2LaunchTemplateAccessActions",
        "Effect": "Allow",
        "Action": [
          "ec2:RunInstances",
          "ec2:CreateFleet"
        ],
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:launch-template/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.sh/nodepool": "*"
          }
        }
      },
      {
        "Sid": "AllowScopedEC2InstanceActionsWithTags",
        "Effect": "Allow",
        "Action": [
          "ec2:RunInstances",
          "ec2:CreateFleet",
          "ec2:CreateLaunchTemplate"
        ],
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:fleet/*",
          "arn:aws:ec2:eu-west-1:*:instance/*",
          "arn:aws:ec2:eu-west-1:*:volume/*",
          "arn:aws:ec2:eu-west-1:*:network-interface/*",
          "arn:aws:ec2:eu-west-1:*:launch-template/*",
          "arn:aws:ec2:eu-west-1:*:spot-instances-request/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:RequestTag/kubernetes.io/cluster/shop": "owned",
            "aws:RequestTag/eks:eks-cluster-name": "shop"
          },
          "StringLike": {
            "aws:RequestTag/karpenter.sh/nodepool": "*"
          }
        }
      },
      {
        "Sid": "AllowScopedResourceTagging",
        "Effect": "Allow",
        "Action": "ec2:CreateTags",
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:instance/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.sh/nodepool": "*"
          },
          "StringEqualsIfExists": {
            "aws:RequestTag/eks:eks-cluster-name": "shop"
          },
          "ForAllValues:StringEquals": {
            "aws:TagKeys": [
              "eks:eks-cluster-name",
              "karpenter.sh/nodeclaim",
              "Name"
            ]
          }
        }
      },
      {
        "Sid": "AllowScopedResourceCreationTagging",
        "Effect": "Allow",
        "Action": "ec2:CreateTags",
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:fleet/*",
          "arn:aws:ec2:eu-west-1:*:instance/*",
          "arn:aws:ec2:eu-west-1:*:volume/*",
          "arn:aws:ec2:eu-west-1:*:network-interface/*",
          "arn:aws:ec2:eu-west-1:*:launch-template/*",
          "arn:aws:ec2:eu-west-1:*:spot-instances-request/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:RequestTag/kubernetes.io/cluster/shop": "owned",
            "aws:RequestTag/eks:eks-cluster-name": "shop",
            "ec2:CreateAction": [
              "RunInstances",
              "CreateFleet",
              "CreateLaunchTemplate"
            ]
          },
          "StringLike": {
            "aws:RequestTag/karpenter.sh/nodepool": "*"
          }
        }
      },
      {
        "Sid": "AllowScopedDeletion",
        "Effect": "Allow",
        "Action": [
          "ec2:TerminateInstances",
          "ec2:DeleteLaunchTemplate"
        ],
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:instance/*",
          "arn:aws:ec2:eu-west-1:*:launch-template/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.sh/nodepool": "*"
          }
        }
      }
    ]
  })
}

resource "aws_iam_role_policy" "IAMIntegration" {
  name   = "IAMIntegration"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowPassingInstanceRole",
        "Effect": "Allow",
        "Action": "iam:PassRole",
        "Resource": "arn:aws:iam::123456789012:role/KarpenterNodeRole-shop",
        "Condition": {
          "StringEquals": {
            "iam:PassedToService": "ec2.amazonaws.com"
          }
        }
      },
      {
        "Sid": "AllowScopedInstanceProfileCreationActions",
        "Effect": "Allow",
        "Action": "iam:CreateInstanceProfile",
        "Resource": "arn:aws:iam::123456789012:instance-profile/*",
        "Condition": {
          "StringEquals": {
            "aws:RequestTag/kubernetes.io/cluster/shop": "owned",
            "aws:RequestTag/eks:eks-cluster-name": "shop",
            "aws:RequestTag/topology.kubernetes.io/region": "eu-west-1"
          },
          "StringLike": {
            "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"
          }
        }
      },
      {
        "Sid": "AllowScopedInstanceProfileTagActions",
        "Effect": "Allow",
        "Action": "iam:TagInstanceProfile",
        "Resource": "arn:aws:iam::123456789012:instance-profile/*",
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned",
            "aws:ResourceTag/topology.kubernetes.io/region": "eu-west-1",
            "aws:RequestTag/kubernetes.io/cluster/shop": "owned",
            "aws:RequestTag/eks:eks-cluster-name": "shop",
            "aws:RequestTag/topology.kubernetes.io/region": "eu-west-1"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*",
            "aws:RequestTag/karpenter.k8s.aws/ec2nodeclass": "*"
          }
        }
      },
      {
        "Sid": "AllowScopedInstanceProfileActions",
        "Effect": "Allow",
        "Action": [
          "iam:AddRoleToInstanceProfile",
          "iam:RemoveRoleFromInstanceProfile",
          "iam:DeleteInstanceProfile"
        ],
        "Resource": "arn:aws:iam::123456789012:instance-profile/*",
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned",
            "aws:ResourceTag/topology.kubernetes.io/region": "eu-west-1"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass": "*"
          }
        }
      }
    ]
  })
}

resource "aws_iam_role_policy" "EKSIntegration" {
  name   = "EKSIntegration"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowAPIServerEndpointDiscovery",
        "Effect": "Allow",
        "Action": "eks:DescribeCluster",
        "Resource": "arn:aws:eks:eu-west-1:123456789012:cluster/shop"
      }
    ]
  })
}

resource "aws_iam_role_policy" "Interruption" {
  name   = "Interruption"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowInterruptionQueueActions",
        "Effect": "Allow",
        "Action": [
          "sqs:DeleteMessage",
          "sqs:GetQueueUrl",
          "sqs:ReceiveMessage"
        ],
        "Resource": "arn:aws:sqs:eu-west-1:123456789012:chandler-shop"
      }
    ]
  })
}

resource "aws_iam_role_policy" "ZonalShift" {
  name   = "ZonalShift"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowZonalShiftStatusReadOnly",
        "Effect": "Allow",
        "Action": "arc-zonal-shift:GetManagedResource",
        "Resource": "*",
        "Condition": {
          "StringEquals": {
            "arc-zonal-shift:ResourceIdentifier": "arn:aws:eks:eu-west-1:123456789012:cluster/shop"
          }
        }
      }
    ]
  })
}

resource "aws_iam_role_policy" "ResourceDiscovery" {
  name   = "ResourceDiscovery"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowRegionalReadActions",
        "Effect": "Allow",
        "Action": [
          "ec2:DescribeCapacityReservations",
          "ec2:DescribeImages",
          "ec2:DescribeInstances",
          "ec2:DescribeInstanceStatus",
          "ec2:DescribeInstanceTypeOfferings",
          "ec2:DescribeInstanceTypes",
          "ec2:DescribeLaunchTemplates",
          "ec2:DescribePlacementGroups",
          "ec2:DescribeSecurityGroups",
          "ec2:DescribeSpotPriceHistory",
          "ec2:DescribeSubnets"
        ],
        "Resource": "*",
        "Condition": {
          "StringEquals": {
            "aws:RequestedRegion": "eu-west-1"
          }
        }
      },
      {
        "Sid": "AllowSSMReadActions",
        "Effect": "Allow",
        "Action": "ssm:GetParameter",
        "Resource": "arn:aws:ssm:eu-west-1::parameter/aws/service/*"
      },
      {
        "Sid": "AllowPricingReadActions",
        "Effect": "Allow",
        "Action": "pricing:GetProducts",
        "Resource": "*"
      },
      {
        "Sid": "AllowUnscopedInstanceProfileListAction",
        "Effect": "Allow",
        "Action": "iam:ListInstanceProfiles",
        "Resource": "*"
      },
      {
        "Sid": "AllowInstanceProfileReadActions",
        "Effect": "Allow",
        "Action": "iam:GetInstanceProfile",
        "Resource": "arn:aws:iam::123456789012:instance-profile/*"
      }
    ]
  })
}

resource "aws_iam_role_policy" "Chandler" {
  name   = "Chandler"
  role   = aws_iam_role.controller.name
  policy = jsonencode({
    "Version": "2012-10-17",
    "Statement": [
      {
        "Sid": "AllowScopedReboot",
        "Effect": "Allow",
        "Action": "ec2:RebootInstances",
        "Resource": [
          "arn:aws:ec2:eu-west-1:*:instance/*"
        ],
        "Condition": {
          "StringEquals": {
            "aws:ResourceTag/kubernetes.io/cluster/shop": "owned"
          },
          "StringLike": {
            "aws:ResourceTag/karpenter.sh/nodepool": "*"
          }
        }
      }
    ]
  })
}

resource "aws_ec2_tag" "subnet-0a1" {
  resource_id = "subnet-0a1"
  key         = "karpenter.sh/discovery"
  value       = "shop"
}

resource "aws_ec2_tag" "subnet-0b2" {
  resource_id = "subnet-0b2"
  key         = "karpenter.sh/discovery"
  value       = "shop"
}

resource "aws_ec2_tag" "sg-0c3" {
  resource_id = "sg-0c3"
  key         = "karpenter.sh/discovery"
  value       = "shop"
}
