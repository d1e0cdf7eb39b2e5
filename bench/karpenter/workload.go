package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/scheduling"
)

// workload is the file that the TypeScript side wrote: the very input that our own engine gets.
type workload struct {
	Name    string   `json:"name"`
	Input   snapshot `json:"input"`
	Workers int      `json:"workers"`
	// Rounds is how often the same pods are planned, at most. Zero: once.
	Rounds int `json:"rounds"`
	// LimitSeconds cuts Solve off, as upstream's provisioner does after a minute. Zero: no cut.
	LimitSeconds float64 `json:"limitSeconds"`
}

type snapshot struct {
	Pods            []*corev1.Pod        `json:"pods"`
	BoundPods       []*corev1.Pod        `json:"boundPods"`
	Nodes           []nodeRow            `json:"nodes"`
	Pools           []poolRow            `json:"pools"`
	Catalogues      map[string][]typeRow `json:"catalogues"`
	WellKnownLabels []string             `json:"wellKnownLabels"`
}

type poolRow struct {
	NodePool  *v1.NodePool `json:"nodePool"`
	Catalogue string       `json:"instanceTypes"`
}

type nodeRow struct {
	Name        string              `json:"name"`
	Labels      map[string]string   `json:"labels"`
	Taints      []corev1.Taint      `json:"taints"`
	Allocatable corev1.ResourceList `json:"allocatable"`
	Capacity    corev1.ResourceList `json:"capacity"`
}

type typeRow struct {
	Name         string                           `json:"name"`
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Capacity     corev1.ResourceList              `json:"capacity"`
	Overhead     overheadRow                      `json:"overhead"`
	Offerings    []offeringRow                    `json:"offerings"`
}

type overheadRow struct {
	KubeReserved      corev1.ResourceList `json:"kubeReserved"`
	SystemReserved    corev1.ResourceList `json:"systemReserved"`
	EvictionThreshold corev1.ResourceList `json:"evictionThreshold"`
}

type offeringRow struct {
	Requirements []corev1.NodeSelectorRequirement `json:"requirements"`
	Price        float64                          `json:"price"`
	Available    bool                             `json:"available"`
}

func readWorkload(path string) (*workload, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	read := &workload{}
	if err := json.NewDecoder(file).Decode(read); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return read, nil
}

// instanceTypes are fresh for every pool, as a cloud provider returns them.
func (s *snapshot) instanceTypes() map[string][]*cloudprovider.InstanceType {
	byPool := map[string][]*cloudprovider.InstanceType{}
	for _, pool := range s.Pools {
		for _, row := range s.Catalogues[pool.Catalogue] {
			byPool[pool.NodePool.Name] = append(byPool[pool.NodePool.Name], row.instanceType())
		}
	}
	return byPool
}

func (s *snapshot) nodePools() []*v1.NodePool {
	var pools []*v1.NodePool
	for _, pool := range s.Pools {
		pools = append(pools, pool.NodePool)
	}
	return pools
}

func (row nodeRow) node() *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: row.Name, Labels: row.Labels},
		Spec:       corev1.NodeSpec{ProviderID: "bench://" + row.Name, Taints: row.Taints},
		Status:     corev1.NodeStatus{Allocatable: row.Allocatable, Capacity: row.Capacity},
	}
}

func (row typeRow) instanceType() *cloudprovider.InstanceType {
	offerings := make(cloudprovider.Offerings, 0, len(row.Offerings))
	for _, o := range row.Offerings {
		offerings = append(offerings, &cloudprovider.Offering{
			Requirements: requirementsOf(o.Requirements),
			Price:        o.Price,
			Available:    o.Available,
		})
	}
	return &cloudprovider.InstanceType{
		Name:         row.Name,
		Requirements: requirementsOf(row.Requirements),
		Capacity:     row.Capacity,
		Overhead: &cloudprovider.InstanceTypeOverhead{
			KubeReserved:      row.Overhead.KubeReserved,
			SystemReserved:    row.Overhead.SystemReserved,
			EvictionThreshold: row.Overhead.EvictionThreshold,
		},
		Offerings: offerings,
	}
}

func requirementsOf(rows []corev1.NodeSelectorRequirement) scheduling.Requirements {
	requirements := scheduling.NewRequirements()
	for _, r := range rows {
		requirements.Add(scheduling.NewRequirement(r.Key, r.Operator, r.Values...))
	}
	return requirements
}
