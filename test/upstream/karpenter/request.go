package main

import (
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

type request struct {
	ID int `json:"id"`
	// Runs is how often the cluster is planned: upstream breaks ties by the order of Go's maps.
	Runs            int                  `json:"runs"`
	Objects         objects              `json:"objects"`
	InstanceTypes   map[string][]typeRow `json:"instanceTypes"`
	WellKnownLabels []string             `json:"wellKnownLabels"`
	Options         optionsRow           `json:"options"`
}

type optionsRow struct {
	IgnorePreferences   bool `json:"ignorePreferences"`
	BestEffortMinValues bool `json:"bestEffortMinValues"`
}

type typeRow struct {
	Name                   string                           `json:"name"`
	Requirements           []corev1.NodeSelectorRequirement `json:"requirements"`
	Capacity               corev1.ResourceList              `json:"capacity"`
	Overhead               overheadRow                      `json:"overhead"`
	Offerings              []offeringRow                    `json:"offerings"`
	VolumeAttachmentLimits map[string]int                   `json:"volumeAttachmentLimits"`
}

type overheadRow struct {
	KubeReserved      corev1.ResourceList `json:"kubeReserved"`
	SystemReserved    corev1.ResourceList `json:"systemReserved"`
	EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
}

type offeringRow struct {
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Price        float64                          `json:"price"`
	Available    *bool                            `json:"available"`
}

type response struct {
	ID    int    `json:"id"`
	Plans []plan `json:"plans"`
	// Error is what stopped upstream; then there are no plans.
	Error string `json:"error,omitempty"`
}

type plan struct {
	Claims     []claimRow     `json:"claims"`
	Placements []placementRow `json:"placements"`
	Refusals   []refusalRow   `json:"refusals"`
}

type claimRow struct {
	NodePool      string            `json:"nodePool"`
	Labels        map[string]string `json:"labels"`
	Requirements  []requirementRow  `json:"requirements"`
	InstanceTypes []string          `json:"instanceTypes"`
	Pods          []string          `json:"pods"`
	// MinValuesRelaxed: the policy is BestEffort, and fewer values had to do.
	MinValuesRelaxed bool `json:"minValuesRelaxed"`
}

type requirementRow struct {
	Key       string   `json:"key"`
	Operator  string   `json:"operator"`
	Values    []string `json:"values,omitempty"`
	MinValues *int     `json:"minValues,omitempty"`
}

type placementRow struct {
	Node string   `json:"node"`
	Pods []string `json:"pods"`
}

type refusalRow struct {
	Pod    string `json:"pod"`
	Reason string `json:"reason"`
}

func (row typeRow) instanceType() *cloudprovider.InstanceType {
	offerings := make(cloudprovider.Offerings, 0, len(row.Offerings))
	for _, o := range row.Offerings {
		offerings = append(offerings, &cloudprovider.Offering{
			Requirements: scheduling.NewNodeSelectorRequirements(o.Requirements...),
			Price:        o.Price,
			Available:    o.Available == nil || *o.Available,
		})
	}
	return &cloudprovider.InstanceType{
		Name:                   row.Name,
		Requirements:           scheduling.NewNodeSelectorRequirements(row.Requirements...),
		Capacity:               row.Capacity,
		VolumeAttachmentLimits: row.VolumeAttachmentLimits,
		Overhead: &cloudprovider.InstanceTypeOverhead{
			KubeReserved:      row.Overhead.KubeReserved,
			SystemReserved:    row.Overhead.SystemReserved,
			EvictionThreshold: row.Overhead.EvictionThreshold,
		},
		Offerings: offerings,
	}
}
