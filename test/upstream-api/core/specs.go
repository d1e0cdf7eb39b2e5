// Package specs pins the release of Karpenter with the API specs that run on Chandler's CRDs.
package specs

import (
	_ "sigs.k8s.io/karpenter/pkg/apis/v1"
	_ "sigs.k8s.io/karpenter/pkg/apis/v1alpha1"
)
