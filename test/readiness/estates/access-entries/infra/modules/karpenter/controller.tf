data "aws_iam_policy_document" "controller_trust" {
  statement {
    actions = ["sts:AssumeRole", "sts:TagSession"]
    principals {
      type        = "Service"
      identifiers = ["pods.eks.amazonaws.com"]
    }
  }
}

resource "aws_iam_role" "controller" {
  name               = "${var.cluster_name}-karpenter"
  assume_role_policy = data.aws_iam_policy_document.controller_trust.json
}

resource "aws_eks_pod_identity_association" "karpenter" {
  cluster_name    = var.cluster_name
  namespace       = "kube-system"
  service_account = "karpenter"
  role_arn        = aws_iam_role.controller.arn
}

data "aws_iam_policy_document" "controller" {
  statement {
    sid       = "Launch"
    actions   = ["ec2:RunInstances", "ec2:CreateFleet"]
    resources = ["*"]
  }

  statement {
    sid       = "Tag"
    actions   = ["ec2:CreateLaunchTemplate", "ec2:CreateTags"]
    resources = ["*"]
    condition {
      test     = "StringEquals"
      variable = "aws:RequestTag/kubernetes.io/cluster/${var.cluster_name}"
      values   = ["owned"]
    }
  }

  statement {
    sid       = "Remove"
    actions   = ["ec2:TerminateInstances", "ec2:DeleteLaunchTemplate"]
    resources = ["*"]
    condition {
      test     = "StringEquals"
      variable = "aws:ResourceTag/kubernetes.io/cluster/${var.cluster_name}"
      values   = ["owned"]
    }
  }

  statement {
    sid       = "PassNodeRole"
    actions   = ["iam:PassRole"]
    resources = [aws_iam_role.node.arn]
    condition {
      test     = "StringEquals"
      variable = "iam:PassedToService"
      values   = ["ec2.amazonaws.com"]
    }
  }

  statement {
    sid = "Profiles"
    actions = [
      "iam:AddRoleToInstanceProfile",
      "iam:CreateInstanceProfile",
      "iam:DeleteInstanceProfile",
      "iam:GetInstanceProfile",
      "iam:ListInstanceProfiles",
      "iam:RemoveRoleFromInstanceProfile",
      "iam:TagInstanceProfile",
    ]
    resources = ["arn:aws:iam::${var.account_id}:instance-profile/*"]
  }

  statement {
    sid       = "Read"
    actions   = ["ec2:Describe*", "pricing:GetProducts", "ssm:GetParameter", "eks:DescribeCluster"]
    resources = ["*"]
  }

  statement {
    sid       = "Interruption"
    actions   = ["sqs:DeleteMessage", "sqs:GetQueueUrl", "sqs:ReceiveMessage"]
    resources = [aws_sqs_queue.interruption.arn]
  }
}

resource "aws_iam_policy" "controller" {
  name   = "${var.cluster_name}-karpenter"
  policy = data.aws_iam_policy_document.controller.json
}

resource "aws_iam_role_policy_attachment" "controller" {
  role       = aws_iam_role.controller.name
  policy_arn = aws_iam_policy.controller.arn
}

resource "aws_sqs_queue" "interruption" {
  name                      = "${var.cluster_name}-interruption"
  message_retention_seconds = 300
  sqs_managed_sse_enabled   = true
}

resource "aws_sqs_queue_policy" "interruption" {
  queue_url = aws_sqs_queue.interruption.url
  policy    = data.aws_iam_policy_document.queue.json
}

data "aws_iam_policy_document" "queue" {
  statement {
    actions   = ["sqs:SendMessage"]
    resources = [aws_sqs_queue.interruption.arn]
    principals {
      type        = "Service"
      identifiers = ["events.amazonaws.com", "sqs.amazonaws.com"]
    }
  }
}

locals {
  events = {
    health    = { source = "aws.health", detail-type = "AWS Health Event" }
    spot      = { source = "aws.ec2", detail-type = "EC2 Spot Instance Interruption Warning" }
    rebalance = { source = "aws.ec2", detail-type = "EC2 Instance Rebalance Recommendation" }
    state     = { source = "aws.ec2", detail-type = "EC2 Instance State-change Notification" }
  }
}

resource "aws_cloudwatch_event_rule" "interruption" {
  for_each = local.events
  name     = "${var.cluster_name}-${each.key}"
  event_pattern = jsonencode({
    source      = [each.value.source]
    detail-type = [each.value.detail-type]
  })
}

resource "aws_cloudwatch_event_target" "interruption" {
  for_each = local.events
  rule     = aws_cloudwatch_event_rule.interruption[each.key].name
  arn      = aws_sqs_queue.interruption.arn
}
