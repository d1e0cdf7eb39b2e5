package main

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/utils/nodepool"
)

// scheduler places pods as kube-scheduler's default scores would, in a random order: not where a simulation had them.
// It is the same rule as in `bench/disruption/scheduler-rest.ts`.
type scheduler struct {
	random *rand.Rand
}

const schedulerSeed = 7

func newScheduler() *scheduler {
	return &scheduler{random: rand.New(rand.NewSource(schedulerSeed))}
}

// apply executes a command: its pods go where the scores are best, and what fits nowhere is provisioned. It returns how
// many pods have moved, and how many of them were left over.
func (s *scheduler) apply(ctx context.Context, w *world, command disruption.Command, number int) (int, int, error) {
	gone := map[string]bool{}
	for _, candidate := range command.Candidates {
		gone[candidate.Name()] = true
	}
	var rows []clusterRow
	var moved []*corev1.Pod
	for _, row := range w.rows {
		if gone[row.Name] {
			moved = append(moved, row.Pods...)
		} else {
			rows = append(rows, row)
		}
	}
	w.rows = rows
	for i, replacement := range command.Replacements {
		name := fmt.Sprintf("upstream-%04d-%d", number, i)
		chosen, offering := cheapestOf(replacement.InstanceTypeOptions, replacement.Requirements)
		w.rows = append(w.rows, launched(name, replacement.NodePoolName, chosen, offering, nil))
	}
	type ranked struct {
		pod *corev1.Pod
		at  float64
	}
	order := make([]ranked, len(moved))
	for i, pod := range moved {
		order[i] = ranked{pod, s.random.Float64()}
	}
	slices.SortStableFunc(order, func(a, b ranked) int { return cmp.Compare(a.at, b.at) })
	var left []*corev1.Pod
	for _, each := range order {
		if !w.bind(each.pod) {
			left = append(left, each.pod)
		}
	}
	return len(moved), len(left), w.provision(ctx, left, number)
}

// bind puts the pod on the node with the best score; false: it fits nowhere.
func (w *world) bind(pod *corev1.Pod) bool {
	best, most := -1, math.Inf(-1)
	for i := range w.rows {
		if score, fits := scoreOf(&w.rows[i], pod); fits && score > most {
			best, most = i, score
		}
	}
	if best < 0 {
		return false
	}
	w.rows[best].Pods = append(w.rows[best].Pods, placedOn(pod, w.rows[best].Name))
	return true
}

// scoreOf adds LeastAllocated and BalancedAllocation, with equal weight.
func scoreOf(row *clusterRow, pod *corev1.Pod) (float64, bool) {
	allocatable := row.Node.Status.Allocatable
	if int64(len(row.Pods)) >= allocatable.Pods().Value() {
		return 0, false
	}
	for key, value := range pod.Spec.NodeSelector {
		if row.Node.Labels[key] != value {
			return 0, false
		}
	}
	cpu, memory := float64(allocatable.Cpu().MilliValue()), float64(allocatable.Memory().Value())
	freeCPU, freeMemory := cpu, memory
	for _, each := range append(slices.Clone(row.Pods), pod) {
		requests := each.Spec.Containers[0].Resources.Requests
		freeCPU -= float64(requests.Cpu().MilliValue())
		freeMemory -= float64(requests.Memory().Value())
	}
	if freeCPU < 0 || freeMemory < 0 {
		return 0, false
	}
	cpuShare, memoryShare := freeCPU/cpu, freeMemory/memory
	return (cpuShare+memoryShare)/2 + 1 - math.Abs(cpuShare-memoryShare)/2, true
}

// provision does what upstream's provisioner does for pods that fit nowhere.
func (w *world) provision(ctx context.Context, pods []*corev1.Pod, number int) error {
	if len(pods) == 0 {
		return nil
	}
	opened, err := w.open(ctx)
	if err != nil {
		return err
	}
	nodepool.OrderByWeight(w.pools)
	running := &runningCluster{
		client: opened.client, clock: opened.clock, state: opened.cluster, pools: w.pools, types: w.types,
	}
	pending := map[string]*corev1.Pod{}
	var asked []*corev1.Pod
	for _, pod := range pods {
		pending[pod.Namespace+"/"+pod.Name] = pod
		asked = append(asked, placedOn(pod, ""))
	}
	made, err := running.newScheduler(ctx, asked, opened.cluster.DeepCopyNodes(), 1)
	if err != nil {
		return err
	}
	results, err := made.Solve(ctx, asked)
	if err != nil {
		return err
	}
	take := func(placed []*corev1.Pod, node string) []*corev1.Pod {
		var taken []*corev1.Pod
		for _, each := range placed {
			key := each.Namespace + "/" + each.Name
			if pod, known := pending[key]; known {
				taken = append(taken, placedOn(pod, node))
				delete(pending, key)
			}
		}
		return taken
	}
	for _, existing := range results.ExistingNodes {
		for i := range w.rows {
			if w.rows[i].Name == existing.Name() {
				w.rows[i].Pods = append(w.rows[i].Pods, take(existing.Pods, existing.Name())...)
			}
		}
	}
	for i, claim := range results.NewNodeClaims {
		name := fmt.Sprintf("provisioned-%04d-%d", number, i)
		chosen, offering := cheapestOf(claim.InstanceTypeOptions, claim.Requirements)
		w.rows = append(w.rows, launched(name, claim.NodePoolName, chosen, offering, take(claim.Pods, name)))
	}
	if len(pending) > 0 {
		return fmt.Errorf("%d pods have no place", len(pending))
	}
	return nil
}

func placedOn(pod *corev1.Pod, node string) *corev1.Pod {
	copied := pod.DeepCopy()
	copied.Spec.NodeName = node
	return copied
}
