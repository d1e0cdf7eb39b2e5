#!/bin/sh
# What the controller of the EKS cluster shop needs in AWS, written by "chandler configure eks".
set -eu

export AWS_REGION=eu-west-1 AWS_DEFAULT_REGION=eu-west-1
cluster=shop

# AWS may not know what was created a moment ago: tries again for up to three minutes.
retry() {
  attempt=1
  until "$@"; do
    [ "$attempt" -lt 12 ] || return 1
    attempt=$((attempt + 1))
    echo "trying again in 15 seconds" >&2
    sleep 15
  done
}

# refuse TEXT: ends the script.
refuse() {
  echo "$1; nothing was changed" >&2
  exit 1
}

# look COMMAND…: what AWS answers as $found, which is empty if there is no such thing. Any other failure ends the script.
errors=$(mktemp)
trap 'rm -f "$errors"' EXIT
look() {
  if ! found=$(aws "$@" --output text 2>"$errors"); then
    if ! grep -Eq 'NoSuchEntity|ResourceNotFoundException|NonExistentQueue|QueueDoesNotExist' "$errors"; then
      cat "$errors" >&2
      exit 1
    fi
    found=
  fi
}

account=$(aws sts get-caller-identity --query Account --output text)
if [ "$account" != 123456789012 ]; then
  refuse "these credentials are of the account $account, not of 123456789012"
fi

# What is there already: nothing is changed if it is of somebody else.
look iam get-role --role-name KarpenterNodeRole-shop --query "Role.Tags[?Key=='chandler.sh/cluster'].Value | [0]"
case "$found" in
'' | arn:aws:eks:eu-west-1:123456789012:cluster/shop) ;;
*) refuse 'the role KarpenterNodeRole-shop exists, and is not of this cluster; choose another name' ;;
esac
node_role=$found
look iam get-role --role-name chandler-shop --query "Role.Tags[?Key=='chandler.sh/cluster'].Value | [0]"
case "$found" in
'' | arn:aws:eks:eu-west-1:123456789012:cluster/shop) ;;
*) refuse 'the role chandler-shop exists, and is not of this cluster; choose another name' ;;
esac
controller_role=$found
look eks describe-access-entry --cluster-name "$cluster" --principal-arn arn:aws:iam::123456789012:role/KarpenterNodeRole-shop --query accessEntry.type
case "$found" in
'' | EC2_LINUX) ;;
*) refuse 'the access entry of arn:aws:iam::123456789012:role/KarpenterNodeRole-shop is not of the type EC2_LINUX; delete it' ;;
esac
entry=$found
look sqs get-queue-url --queue-name chandler-shop --query QueueUrl
queue=$found
if [ -n "$queue" ]; then
  look sqs get-queue-attributes --queue-url "$queue" --attribute-names Policy --query Attributes.Policy
  case "$found" in
  *arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-SpotInterruption*) ;;
  *) refuse 'the queue chandler-shop exists, and its policy does not name the rules of this cluster; choose another name' ;;
  esac
fi
look events describe-rule --name chandler-shop-SpotInterruption --query EventPattern
case "$found" in
'' | *'"EC2 Spot Instance Interruption Warning"'*) ;;
*) refuse 'the rule chandler-shop-SpotInterruption exists, and is for other events; delete it' ;;
esac
look events list-targets-by-rule --rule chandler-shop-SpotInterruption --query "Targets[?Id=='ChandlerInterruptionQueue'].Arn"
case "$found" in
'' | arn:aws:sqs:eu-west-1:123456789012:chandler-shop) ;;
*) refuse 'the target ChandlerInterruptionQueue of the rule chandler-shop-SpotInterruption is not arn:aws:sqs:eu-west-1:123456789012:chandler-shop; remove it' ;;
esac
look events describe-rule --name chandler-shop-Rebalance --query EventPattern
case "$found" in
'' | *'"EC2 Instance Rebalance Recommendation"'*) ;;
*) refuse 'the rule chandler-shop-Rebalance exists, and is for other events; delete it' ;;
esac
look events list-targets-by-rule --rule chandler-shop-Rebalance --query "Targets[?Id=='ChandlerInterruptionQueue'].Arn"
case "$found" in
'' | arn:aws:sqs:eu-west-1:123456789012:chandler-shop) ;;
*) refuse 'the target ChandlerInterruptionQueue of the rule chandler-shop-Rebalance is not arn:aws:sqs:eu-west-1:123456789012:chandler-shop; remove it' ;;
esac
look events describe-rule --name chandler-shop-InstanceStateChange --query EventPattern
case "$found" in
'' | *'"EC2 Instance State-change Notification"'*) ;;
*) refuse 'the rule chandler-shop-InstanceStateChange exists, and is for other events; delete it' ;;
esac
look events list-targets-by-rule --rule chandler-shop-InstanceStateChange --query "Targets[?Id=='ChandlerInterruptionQueue'].Arn"
case "$found" in
'' | arn:aws:sqs:eu-west-1:123456789012:chandler-shop) ;;
*) refuse 'the target ChandlerInterruptionQueue of the rule chandler-shop-InstanceStateChange is not arn:aws:sqs:eu-west-1:123456789012:chandler-shop; remove it' ;;
esac
look events describe-rule --name chandler-shop-CapacityReservation --query EventPattern
case "$found" in
'' | *'"EC2 Capacity Reservation Instance Interruption Warning"'*) ;;
*) refuse 'the rule chandler-shop-CapacityReservation exists, and is for other events; delete it' ;;
esac
look events list-targets-by-rule --rule chandler-shop-CapacityReservation --query "Targets[?Id=='ChandlerInterruptionQueue'].Arn"
case "$found" in
'' | arn:aws:sqs:eu-west-1:123456789012:chandler-shop) ;;
*) refuse 'the target ChandlerInterruptionQueue of the rule chandler-shop-CapacityReservation is not arn:aws:sqs:eu-west-1:123456789012:chandler-shop; remove it' ;;
esac
look events describe-rule --name chandler-shop-ScheduledChange --query EventPattern
case "$found" in
'' | *'"AWS Health Event"'*) ;;
*) refuse 'the rule chandler-shop-ScheduledChange exists, and is for other events; delete it' ;;
esac
look events list-targets-by-rule --rule chandler-shop-ScheduledChange --query "Targets[?Id=='ChandlerInterruptionQueue'].Arn"
case "$found" in
'' | arn:aws:sqs:eu-west-1:123456789012:chandler-shop) ;;
*) refuse 'the target ChandlerInterruptionQueue of the rule chandler-shop-ScheduledChange is not arn:aws:sqs:eu-west-1:123456789012:chandler-shop; remove it' ;;
esac
look iam get-open-id-connect-provider --open-id-connect-provider-arn arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F --query "join(' ', ClientIDList) || 'none'"
provider=$found
case " $found " in
'  ' | *' sts.amazonaws.com '*) ;;
*) refuse 'the OIDC provider arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F lacks the audience sts.amazonaws.com; add it' ;;
esac
look ec2 describe-subnets --subnet-ids subnet-0a1 subnet-0b2 --query "Subnets[].Tags[] | [?Key=='karpenter.sh/discovery' && Value!='shop'].Value"
[ -z "$found" ] || refuse "of subnet-0a1 subnet-0b2, some have the tag karpenter.sh/discovery of another cluster: $found"
look ec2 describe-security-groups --group-ids sg-0c3 --query "SecurityGroups[].Tags[] | [?Key=='karpenter.sh/discovery' && Value!='shop'].Value"
[ -z "$found" ] || refuse "of sg-0c3, some have the tag karpenter.sh/discovery of another cluster: $found"

# The role of nodes.
trust='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Service":"ec2.amazonaws.com"},"Action":"sts:AssumeRole"}]}'
if [ -n "$node_role" ]; then
  aws iam update-assume-role-policy --role-name KarpenterNodeRole-shop --policy-document "$trust"
else
  aws iam create-role \
    --role-name KarpenterNodeRole-shop \
    --description 'Nodes of the EKS cluster shop' \
    --assume-role-policy-document "$trust" \
    --tags Key=chandler.sh/cluster,Value=arn:aws:eks:eu-west-1:123456789012:cluster/shop >/dev/null
fi
aws iam attach-role-policy --role-name KarpenterNodeRole-shop --policy-arn arn:aws:iam::aws:policy/AmazonEKSWorkerNodePolicy
aws iam attach-role-policy --role-name KarpenterNodeRole-shop --policy-arn arn:aws:iam::aws:policy/AmazonEKS_CNI_Policy
aws iam attach-role-policy --role-name KarpenterNodeRole-shop --policy-arn arn:aws:iam::aws:policy/AmazonEC2ContainerRegistryPullOnly
aws iam attach-role-policy --role-name KarpenterNodeRole-shop --policy-arn arn:aws:iam::aws:policy/AmazonSSMManagedInstanceCore
if [ -z "$entry" ]; then
  retry aws eks create-access-entry --cluster-name "$cluster" --type EC2_LINUX --principal-arn arn:aws:iam::123456789012:role/KarpenterNodeRole-shop >/dev/null
fi

# The interruption queue.
attributes='{"MessageRetentionPeriod":"300","SqsManagedSseEnabled":"true","Policy":"{\"Version\":\"2012-10-17\",\"Statement\":[{\"Sid\":\"AllowInterruptionEvents\",\"Effect\":\"Allow\",\"Principal\":{\"Service\":\"events.amazonaws.com\"},\"Action\":\"sqs:SendMessage\",\"Resource\":\"arn:aws:sqs:eu-west-1:123456789012:chandler-shop\",\"Condition\":{\"ArnEquals\":{\"aws:SourceArn\":[\"arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-SpotInterruption\",\"arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-Rebalance\",\"arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-InstanceStateChange\",\"arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-CapacityReservation\",\"arn:aws:events:eu-west-1:123456789012:rule/chandler-shop-ScheduledChange\"]}}},{\"Sid\":\"DenyHTTP\",\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"sqs:*\",\"Resource\":\"arn:aws:sqs:eu-west-1:123456789012:chandler-shop\",\"Condition\":{\"Bool\":{\"aws:SecureTransport\":\"false\"}}}]}"}'
if [ -n "$queue" ]; then
  aws sqs set-queue-attributes --queue-url "$queue" --attributes "$attributes"
else
  aws sqs create-queue --queue-name chandler-shop --attributes "$attributes" --output text
fi

# Needed so that spot nodes are drained before they are interrupted.
aws events put-rule --name chandler-shop-SpotInterruption --event-pattern '{"source":["aws.ec2"],"detail-type":["EC2 Spot Instance Interruption Warning"]}' >/dev/null
[ "$(aws events put-targets --rule chandler-shop-SpotInterruption --targets '[{"Id":"ChandlerInterruptionQueue","Arn":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]' --query FailedEntryCount --output text)" = 0 ]

# Needed so that rebalance recommendations are seen.
aws events put-rule --name chandler-shop-Rebalance --event-pattern '{"source":["aws.ec2"],"detail-type":["EC2 Instance Rebalance Recommendation"]}' >/dev/null
[ "$(aws events put-targets --rule chandler-shop-Rebalance --targets '[{"Id":"ChandlerInterruptionQueue","Arn":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]' --query FailedEntryCount --output text)" = 0 ]

# Needed so that instances that somebody stops or terminates are noticed at once.
aws events put-rule --name chandler-shop-InstanceStateChange --event-pattern '{"source":["aws.ec2"],"detail-type":["EC2 Instance State-change Notification"]}' >/dev/null
[ "$(aws events put-targets --rule chandler-shop-InstanceStateChange --targets '[{"Id":"ChandlerInterruptionQueue","Arn":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]' --query FailedEntryCount --output text)" = 0 ]

# Needed so that nodes in reservations that end are drained.
aws events put-rule --name chandler-shop-CapacityReservation --event-pattern '{"source":["aws.ec2"],"detail-type":["EC2 Capacity Reservation Instance Interruption Warning"]}' >/dev/null
[ "$(aws events put-targets --rule chandler-shop-CapacityReservation --targets '[{"Id":"ChandlerInterruptionQueue","Arn":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]' --query FailedEntryCount --output text)" = 0 ]

# Needed so that nodes are drained before scheduled maintenance.
aws events put-rule --name chandler-shop-ScheduledChange --event-pattern '{"source":["aws.health"],"detail-type":["AWS Health Event"]}' >/dev/null
[ "$(aws events put-targets --rule chandler-shop-ScheduledChange --targets '[{"Id":"ChandlerInterruptionQueue","Arn":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]' --query FailedEntryCount --output text)" = 0 ]

# The role of the controller.
if [ -z "$provider" ]; then
  aws iam create-open-id-connect-provider --url https://oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F --client-id-list sts.amazonaws.com >/dev/null
fi
trust='{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"Federated":"arn:aws:iam::123456789012:oidc-provider/oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F"},"Action":"sts:AssumeRoleWithWebIdentity","Condition":{"StringEquals":{"oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F:aud":"sts.amazonaws.com","oidc.eks.eu-west-1.amazonaws.com/id/0A1B2C3D4E5F:sub":"system:serviceaccount:kube-system:chandler"}}}]}'
if [ -n "$controller_role" ]; then
  aws iam update-assume-role-policy --role-name chandler-shop --policy-document "$trust"
else
  aws iam create-role \
    --role-name chandler-shop \
    --description 'The controller of the EKS cluster shop' \
    --assume-role-policy-document "$trust" \
    --tags Key=chandler.sh/cluster,Value=arn:aws:eks:eu-west-1:123456789012:cluster/shop >/dev/null
fi
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name NodeLifecycle \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowScopedEC2InstanceAccessActions","Effect":"Allow","Action":["ec2:RunInstances","ec2:CreateFleet"],"Resource":["arn:aws:ec2:eu-west-1::image/*","arn:aws:ec2:eu-west-1::snapshot/*","arn:aws:ec2:eu-west-1:*:security-group/*","arn:aws:ec2:eu-west-1:*:subnet/*","arn:aws:ec2:eu-west-1:*:capacity-reservation/*","arn:aws:ec2:eu-west-1:*:placement-group/*"]},{"Sid":"AllowScopedEC2LaunchTemplateAccessActions","Effect":"Allow","Action":["ec2:RunInstances","ec2:CreateFleet"],"Resource":["arn:aws:ec2:eu-west-1:*:launch-template/*"],"Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned"},"StringLike":{"aws:ResourceTag/karpenter.sh/nodepool":"*"}}},{"Sid":"AllowScopedEC2InstanceActionsWithTags","Effect":"Allow","Action":["ec2:RunInstances","ec2:CreateFleet","ec2:CreateLaunchTemplate"],"Resource":["arn:aws:ec2:eu-west-1:*:fleet/*","arn:aws:ec2:eu-west-1:*:instance/*","arn:aws:ec2:eu-west-1:*:volume/*","arn:aws:ec2:eu-west-1:*:network-interface/*","arn:aws:ec2:eu-west-1:*:launch-template/*","arn:aws:ec2:eu-west-1:*:spot-instances-request/*"],"Condition":{"StringEquals":{"aws:RequestTag/kubernetes.io/cluster/shop":"owned","aws:RequestTag/eks:eks-cluster-name":"shop"},"StringLike":{"aws:RequestTag/karpenter.sh/nodepool":"*"}}},{"Sid":"AllowScopedResourceTagging","Effect":"Allow","Action":"ec2:CreateTags","Resource":["arn:aws:ec2:eu-west-1:*:instance/*"],"Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned"},"StringLike":{"aws:ResourceTag/karpenter.sh/nodepool":"*"},"StringEqualsIfExists":{"aws:RequestTag/eks:eks-cluster-name":"shop"},"ForAllValues:StringEquals":{"aws:TagKeys":["eks:eks-cluster-name","karpenter.sh/nodeclaim","Name"]}}},{"Sid":"AllowScopedResourceCreationTagging","Effect":"Allow","Action":"ec2:CreateTags","Resource":["arn:aws:ec2:eu-west-1:*:fleet/*","arn:aws:ec2:eu-west-1:*:instance/*","arn:aws:ec2:eu-west-1:*:volume/*","arn:aws:ec2:eu-west-1:*:network-interface/*","arn:aws:ec2:eu-west-1:*:launch-template/*","arn:aws:ec2:eu-west-1:*:spot-instances-request/*"],"Condition":{"StringEquals":{"aws:RequestTag/kubernetes.io/cluster/shop":"owned","aws:RequestTag/eks:eks-cluster-name":"shop","ec2:CreateAction":["RunInstances","CreateFleet","CreateLaunchTemplate"]},"StringLike":{"aws:RequestTag/karpenter.sh/nodepool":"*"}}},{"Sid":"AllowScopedDeletion","Effect":"Allow","Action":["ec2:TerminateInstances","ec2:DeleteLaunchTemplate"],"Resource":["arn:aws:ec2:eu-west-1:*:instance/*","arn:aws:ec2:eu-west-1:*:launch-template/*"],"Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned"},"StringLike":{"aws:ResourceTag/karpenter.sh/nodepool":"*"}}}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name IAMIntegration \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowPassingInstanceRole","Effect":"Allow","Action":"iam:PassRole","Resource":"arn:aws:iam::123456789012:role/KarpenterNodeRole-shop","Condition":{"StringEquals":{"iam:PassedToService":"ec2.amazonaws.com"}}},{"Sid":"AllowScopedInstanceProfileCreationActions","Effect":"Allow","Action":"iam:CreateInstanceProfile","Resource":"arn:aws:iam::123456789012:instance-profile/*","Condition":{"StringEquals":{"aws:RequestTag/kubernetes.io/cluster/shop":"owned","aws:RequestTag/eks:eks-cluster-name":"shop","aws:RequestTag/topology.kubernetes.io/region":"eu-west-1"},"StringLike":{"aws:RequestTag/karpenter.k8s.aws/ec2nodeclass":"*"}}},{"Sid":"AllowScopedInstanceProfileTagActions","Effect":"Allow","Action":"iam:TagInstanceProfile","Resource":"arn:aws:iam::123456789012:instance-profile/*","Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned","aws:ResourceTag/topology.kubernetes.io/region":"eu-west-1","aws:RequestTag/kubernetes.io/cluster/shop":"owned","aws:RequestTag/eks:eks-cluster-name":"shop","aws:RequestTag/topology.kubernetes.io/region":"eu-west-1"},"StringLike":{"aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass":"*","aws:RequestTag/karpenter.k8s.aws/ec2nodeclass":"*"}}},{"Sid":"AllowScopedInstanceProfileActions","Effect":"Allow","Action":["iam:AddRoleToInstanceProfile","iam:RemoveRoleFromInstanceProfile","iam:DeleteInstanceProfile"],"Resource":"arn:aws:iam::123456789012:instance-profile/*","Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned","aws:ResourceTag/topology.kubernetes.io/region":"eu-west-1"},"StringLike":{"aws:ResourceTag/karpenter.k8s.aws/ec2nodeclass":"*"}}}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name EKSIntegration \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowAPIServerEndpointDiscovery","Effect":"Allow","Action":"eks:DescribeCluster","Resource":"arn:aws:eks:eu-west-1:123456789012:cluster/shop"}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name Interruption \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowInterruptionQueueActions","Effect":"Allow","Action":["sqs:DeleteMessage","sqs:GetQueueUrl","sqs:ReceiveMessage"],"Resource":"arn:aws:sqs:eu-west-1:123456789012:chandler-shop"}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name ZonalShift \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowZonalShiftStatusReadOnly","Effect":"Allow","Action":"arc-zonal-shift:GetManagedResource","Resource":"*","Condition":{"StringEquals":{"arc-zonal-shift:ResourceIdentifier":"arn:aws:eks:eu-west-1:123456789012:cluster/shop"}}}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name ResourceDiscovery \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowRegionalReadActions","Effect":"Allow","Action":["ec2:DescribeCapacityReservations","ec2:DescribeImages","ec2:DescribeInstances","ec2:DescribeInstanceStatus","ec2:DescribeInstanceTypeOfferings","ec2:DescribeInstanceTypes","ec2:DescribeLaunchTemplates","ec2:DescribePlacementGroups","ec2:DescribeSecurityGroups","ec2:DescribeSpotPriceHistory","ec2:DescribeSubnets"],"Resource":"*","Condition":{"StringEquals":{"aws:RequestedRegion":"eu-west-1"}}},{"Sid":"AllowSSMReadActions","Effect":"Allow","Action":"ssm:GetParameter","Resource":"arn:aws:ssm:eu-west-1::parameter/aws/service/*"},{"Sid":"AllowPricingReadActions","Effect":"Allow","Action":"pricing:GetProducts","Resource":"*"},{"Sid":"AllowUnscopedInstanceProfileListAction","Effect":"Allow","Action":"iam:ListInstanceProfiles","Resource":"*"},{"Sid":"AllowInstanceProfileReadActions","Effect":"Allow","Action":"iam:GetInstanceProfile","Resource":"arn:aws:iam::123456789012:instance-profile/*"}]}'
aws iam put-role-policy \
  --role-name chandler-shop \
  --policy-name Chandler \
  --policy-document '{"Version":"2012-10-17","Statement":[{"Sid":"AllowScopedReboot","Effect":"Allow","Action":"ec2:RebootInstances","Resource":["arn:aws:ec2:eu-west-1:*:instance/*"],"Condition":{"StringEquals":{"aws:ResourceTag/kubernetes.io/cluster/shop":"owned"},"StringLike":{"aws:ResourceTag/karpenter.sh/nodepool":"*"}}}]}'

# Subnets and the security group of nodes.
aws ec2 create-tags \
  --resources subnet-0a1 subnet-0b2 sg-0c3 \
  --tags "Key=karpenter.sh/discovery,Value=$cluster"
