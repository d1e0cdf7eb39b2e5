package main

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	requirements "sigs.k8s.io/karpenter/pkg/scheduling"
)

// restOutcome is the cluster when none of upstream's methods finds a command any more.
type restOutcome struct {
	Commands     int        `json:"commands"`
	PodsMoved    int        `json:"podsMoved"`
	PodsLeftOver int        `json:"podsLeftOver"`
	PricePerHour float64    `json:"pricePerHour"`
	MS           float64    `json:"ms"`
	CPUMS        float64    `json:"cpuMs"`
	Nodes        []restNode `json:"nodes"`
}

type restNode struct {
	Name         string   `json:"name"`
	InstanceType string   `json:"instanceType"`
	Zone         string   `json:"zone"`
	CapacityType string   `json:"capacityType"`
	Pods         []string `json:"pods"`
}

// maxCommands is the limit for a cluster that does not become stable.
const maxCommands = 10_000

// runRest executes upstream's commands one after the other, as its controller gives them: emptiness, several nodes,
// one node, and after a command from the beginning. Replacements are launched at the cheapest offering, and pods go
// where the simulation placed them, or, in the mode `scheduled`, where kube-scheduler's scores are best.
func runRest(given *disruptionRequest) (*restOutcome, error) {
	ctx, err := disruptionContext(given.SpotToSpot)
	if err != nil {
		return nil, err
	}
	// A pass that takes longer than three minutes would be cut off.
	disruption.SingleNodeConsolidationTimeoutDuration = time.Hour
	now := newWorld(&given.Input)
	outcome := &restOutcome{}
	bind := newScheduler()
	cpuBefore, started := cpuTime(), time.Now()
	for {
		opened, err := now.open(ctx)
		if err != nil {
			return nil, err
		}
		commands, err := opened.next(ctx)
		if err != nil {
			return nil, err
		}
		if len(commands) == 0 {
			break
		}
		for _, command := range commands {
			if given.Mode == "scheduled" {
				moved, left, err := bind.apply(ctx, now, command, outcome.Commands)
				if err != nil {
					return nil, err
				}
				outcome.PodsMoved, outcome.PodsLeftOver = outcome.PodsMoved+moved, outcome.PodsLeftOver+left
			} else {
				outcome.PodsMoved += now.apply(command, outcome.Commands)
			}
			outcome.Commands++
		}
		if outcome.Commands > maxCommands {
			return nil, fmt.Errorf("the cluster of upstream is not stable after %d commands", maxCommands)
		}
	}
	outcome.MS, outcome.CPUMS = milliseconds(time.Since(started)), milliseconds(cpuTime()-cpuBefore)
	outcome.PricePerHour = now.price()
	for _, row := range now.rows {
		outcome.Nodes = append(outcome.Nodes, restNodeOf(row))
	}
	return outcome, nil
}

// next are the commands of the first method that has any.
func (d *disrupted) next(ctx context.Context) ([]disruption.Command, error) {
	for _, method := range []disruption.Method{d.emptiness, d.multi, d.single} {
		candidates, allowed, err := d.candidates(ctx, method)
		if err != nil {
			return nil, err
		}
		if len(candidates) == 0 {
			continue
		}
		commands, err := method.ComputeCommands(ctx, allowed, candidates...)
		if err != nil || len(commands) > 0 {
			return commands, err
		}
	}
	return nil, nil
}

// apply returns how many pods have moved.
func (w *world) apply(command disruption.Command, number int) int {
	pods := map[string]*corev1.Pod{}
	gone := map[string]bool{}
	for _, candidate := range command.Candidates {
		gone[candidate.Name()] = true
	}
	var rows []clusterRow
	for _, row := range w.rows {
		if !gone[row.Name] {
			rows = append(rows, row)
			continue
		}
		for _, pod := range row.Pods {
			pods[pod.Namespace+"/"+pod.Name] = pod
		}
	}
	moved := len(pods)
	take := func(wanted []*corev1.Pod, node string) []*corev1.Pod {
		var taken []*corev1.Pod
		for _, each := range wanted {
			key := each.Namespace + "/" + each.Name
			if pod, known := pods[key]; known {
				copied := pod.DeepCopy()
				copied.Spec.NodeName = node
				taken = append(taken, copied)
				delete(pods, key)
			}
		}
		return taken
	}
	for _, existing := range command.Results.ExistingNodes {
		for i := range rows {
			if rows[i].Name == existing.Name() {
				rows[i].Pods = append(rows[i].Pods, take(existing.Pods, rows[i].Name)...)
			}
		}
	}
	for i, replacement := range command.Replacements {
		name := fmt.Sprintf("upstream-%04d-%d", number, i)
		chosen, offering := cheapestOf(replacement.InstanceTypeOptions, replacement.Requirements)
		rows = append(rows, launched(name, replacement.NodePoolName, chosen, offering, take(replacement.Pods, name)))
	}
	if len(pods) > 0 {
		panic(fmt.Sprintf("%d pods of the command have no place", len(pods)))
	}
	w.rows = rows
	return moved
}

func launched(
	name, pool string, chosen *cloudprovider.InstanceType, offering *cloudprovider.Offering, pods []*corev1.Pod,
) clusterRow {
	labels := map[string]string{corev1.LabelHostname: name, v1.NodePoolLabelKey: pool}
	for _, source := range []requirements.Requirements{chosen.Requirements, offering.Requirements} {
		for key, requirement := range source {
			if requirement.Operator() == corev1.NodeSelectorOpIn && requirement.Len() == 1 {
				labels[key] = requirement.Any()
			}
		}
	}
	claim := &v1.NodeClaim{ObjectMeta: metav1.ObjectMeta{
		Name: "claim-" + name, Labels: maps.Clone(labels), CreationTimestamp: metav1.Now(),
	}}
	claim.StatusConditions().SetTrue(v1.ConditionTypeInitialized)
	claim.StatusConditions().SetTrue(v1.ConditionTypeConsolidatable)
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Status: corev1.NodeStatus{
			Allocatable: chosen.Allocatable(),
			Capacity:    chosen.Capacity,
			Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
		},
	}
	return ready(clusterRow{Name: name, Node: node, Claim: claim, Pods: pods})
}

func cheapestOf(
	types cloudprovider.InstanceTypes, allowed requirements.Requirements,
) (*cloudprovider.InstanceType, *cloudprovider.Offering) {
	var bestType *cloudprovider.InstanceType
	var best *cloudprovider.Offering
	for _, t := range types {
		for _, o := range t.Offerings {
			fits := o.Available && allowed.IsCompatible(o.Requirements, requirements.AllowUndefinedWellKnownLabels)
			if fits && (best == nil || o.Price < best.Price) {
				bestType, best = t, o
			}
		}
	}
	if best == nil {
		panic("a replacement without an offering")
	}
	return bestType, best
}

func (w *world) price() float64 {
	sum := 0.0
	for _, row := range w.rows {
		at := restNodeOf(row)
		for _, t := range w.types[row.Node.Labels[v1.NodePoolLabelKey]] {
			if t.Name != at.InstanceType {
				continue
			}
			for _, o := range t.Offerings {
				if o.Zone() == at.Zone && o.CapacityType() == at.CapacityType {
					sum += o.Price
				}
			}
		}
	}
	return sum
}

func restNodeOf(row clusterRow) restNode {
	at := restNode{
		Name:         row.Name,
		InstanceType: row.Node.Labels[corev1.LabelInstanceTypeStable],
		Zone:         row.Node.Labels[corev1.LabelTopologyZone],
		CapacityType: row.Node.Labels[v1.CapacityTypeLabelKey],
		Pods:         []string{},
	}
	for _, pod := range row.Pods {
		at.Pods = append(at.Pods, pod.Namespace+"/"+pod.Name)
	}
	return at
}
