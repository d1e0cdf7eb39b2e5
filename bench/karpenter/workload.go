package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// workload is the file that both engines are given: Kubernetes objects as they are, and the catalogue.
type workload struct {
	Name              string         `json:"name"`
	Pods              []*corev1.Pod  `json:"pods"`
	Pools             []*v1.NodePool `json:"pools"`
	Types             []typeRow      `json:"types"`
	Nodes             []*corev1.Node `json:"nodes"`
	BoundPods         []*corev1.Pod  `json:"boundPods"`
	WellKnownLabels   []string       `json:"wellKnownLabels"`
	IgnorePreferences bool           `json:"ignorePreferences"`
	Workers           int            `json:"workers"`
	// LimitSeconds cuts Solve off, as the provisioner upstream does after a minute. Zero: no cut.
	LimitSeconds float64 `json:"limitSeconds"`
}

type typeRow struct {
	Name         string                           `json:"name"`
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Capacity     corev1.ResourceList              `json:"capacity"`
	Overhead     corev1.ResourceList              `json:"overhead"`
	Offerings    []offeringRow                    `json:"offerings"`
}

type offeringRow struct {
	Zone         string  `json:"zone"`
	CapacityType string  `json:"capacityType"`
	Price        float64 `json:"price"`
	Available    bool    `json:"available"`
}

func readWorkload(path string) (*workload, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	input := &workload{}
	if err := json.NewDecoder(file).Decode(input); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return input, nil
}

func (w *workload) instanceTypes() []*cloudprovider.InstanceType {
	types := make([]*cloudprovider.InstanceType, 0, len(w.Types))
	for _, row := range w.Types {
		requirements := scheduling.NewRequirements()
		for _, r := range row.Requirements {
			requirements.Add(scheduling.NewRequirement(r.Key, r.Operator, r.Values...))
		}
		types = append(types, &cloudprovider.InstanceType{
			Name:         row.Name,
			Requirements: requirements,
			Capacity:     row.Capacity,
			Overhead:     &cloudprovider.InstanceTypeOverhead{KubeReserved: row.Overhead},
			Offerings:    row.offerings(),
		})
	}
	return types
}

func (row typeRow) offerings() cloudprovider.Offerings {
	offerings := make(cloudprovider.Offerings, 0, len(row.Offerings))
	for _, o := range row.Offerings {
		offerings = append(offerings, &cloudprovider.Offering{
			Requirements: scheduling.NewLabelRequirements(map[string]string{
				corev1.LabelTopologyZone: o.Zone,
				v1.CapacityTypeLabelKey:  o.CapacityType,
			}),
			Price:     o.Price,
			Available: o.Available,
		})
	}
	return offerings
}
