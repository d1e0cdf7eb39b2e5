// Package specs pins the release of Karpenter's AWS provider with the API specs that run on Chandler's CRDs.
package specs

import _ "github.com/aws/karpenter-provider-aws/pkg/apis/v1"
