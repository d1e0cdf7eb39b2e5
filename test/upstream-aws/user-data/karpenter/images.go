package main

import (
	"context"
	"fmt"

	"github.com/aws/karpenter-provider-aws/pkg/providers/amifamily"
	"github.com/aws/karpenter-provider-aws/pkg/providers/ssm"
	karpv1 "sigs.k8s.io/karpenter/pkg/apis/v1"
)

type imagesRequest struct {
	Family            string `json:"family"`
	Version           string `json:"version"`
	KubernetesVersion string `json:"kubernetesVersion"`
}

// parameter is one that upstream asks SSM for, with what it then knows of the image.
type parameter struct {
	Name         string                                          `json:"name"`
	Mutable      bool                                            `json:"mutable"`
	Requirements [][]karpv1.NodeSelectorRequirementWithMinValues `json:"requirements"`
}

// recorder answers every parameter with an id of its own.
type recorder struct{ asked map[string]ssm.Parameter }

func (r *recorder) Get(_ context.Context, asked ssm.Parameter) (string, error) {
	id := fmt.Sprintf("ami-%d", len(r.asked))
	r.asked[id] = asked
	return id, nil
}

func images(asked imagesRequest) (answer, error) {
	recorded := &recorder{asked: map[string]ssm.Parameter{}}
	query, err := amifamily.GetAMIFamily(asked.Family, nil).DescribeImageQuery(
		context.Background(), recorded, asked.KubernetesVersion, asked.Version,
	)
	if err != nil {
		return answer{}, err
	}
	found := answer{}
	for id, each := range recorded.asked {
		listed := parameter{Name: each.Name, Mutable: each.IsMutable}
		for _, requirements := range query.KnownRequirements[id] {
			listed.Requirements = append(listed.Requirements, requirements.NodeSelectorRequirements())
		}
		found.Parameters = append(found.Parameters, listed)
	}
	return found, nil
}
