package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"math"
	"runtime"
	"slices"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/record"
	"k8s.io/utils/clock"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/cloudprovider"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
	"sigs.k8s.io/karpenter/pkg/controllers/state"
	"sigs.k8s.io/karpenter/pkg/events"
	"sigs.k8s.io/karpenter/pkg/operator/injection"
	"sigs.k8s.io/karpenter/pkg/operator/options"
	requirements "sigs.k8s.io/karpenter/pkg/scheduling"
	"sigs.k8s.io/karpenter/pkg/utils/nodepool"
)

// run gives the workload to a fresh scheduler, again and again: the nodes and instance types stay, as in a running
// controller, and the pods are new objects every time. It reports the round with the median time; the first round, which
// warms up, counts only when there is no other.
func run(given *workload) (*outcome, error) {
	input := &given.Input
	v1.WellKnownLabels.Insert(input.WellKnownLabels...)
	ctx, err := contextWithOptions()
	if err != nil {
		return nil, err
	}
	running, err := newCluster(ctx, input)
	if err != nil {
		return nil, err
	}
	var rounds []*outcome
	for began := time.Now(); len(rounds) < max(given.Rounds, 1); {
		round, err := running.solve(ctx, given)
		if err != nil {
			return nil, err
		}
		rounds = append(rounds, round)
		if time.Since(began) > maxTotal {
			break
		}
	}
	warm := rounds[min(1, len(rounds)-1):]
	slices.SortFunc(warm, func(a, b *outcome) int { return cmp.Compare(a.MS+a.SetupMS, b.MS+b.SetupMS) })
	return warm[(len(warm)-1)/2], nil
}

// maxTotal ends the rounds of a workload that takes long.
const maxTotal = 20 * time.Second

// solve plans once. Setup is what upstream's provisioner does for each plan besides Solve: the topology and the scheduler.
// Its copies of the nodes are not counted.
func (c *runningCluster) solve(ctx context.Context, given *workload) (*outcome, error) {
	pods := make([]*corev1.Pod, len(given.Input.Pods))
	for i, pod := range given.Input.Pods {
		pods[i] = pod.DeepCopy()
	}
	nodes := c.state.DeepCopyNodes()
	runtime.GC()
	cpuBefore := cpuTime()
	setupStarted := time.Now()
	scheduler, err := c.newScheduler(ctx, pods, nodes, given.Workers)
	if err != nil {
		return nil, err
	}
	setup := time.Since(setupStarted)

	if given.LimitSeconds > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(given.LimitSeconds*float64(time.Second)))
		defer cancel()
		ctx = limited
	}
	started := time.Now()
	results, err := scheduler.Solve(ctx, pods)
	took := timing{setup: setup, solve: time.Since(started), cpu: cpuTime() - cpuBefore}
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, err
	}
	return summarize(given, results, took, err != nil), nil
}

type timing struct {
	setup, solve, cpu time.Duration
}

// cpuTime is what the process has used of all cores. It hardly depends on what else the machine does.
func cpuTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// contextWithOptions carries upstream's own defaults, untouched by this machine's environment.
func contextWithOptions() (context.Context, error) {
	set := &options.FlagSet{FlagSet: flag.NewFlagSet("karpenter", flag.ContinueOnError)}
	defaults := &options.Options{}
	defaults.AddFlags(set)
	if err := defaults.Parse(set); err != nil {
		return nil, err
	}
	return options.ToContext(injection.WithControllerName(context.Background(), "provisioner"), defaults), nil
}

// runningCluster is what a controller holds between two plans.
type runningCluster struct {
	client *reader
	clock  clock.Clock
	state  *state.Cluster
	pools  []*v1.NodePool
	types  map[string][]*cloudprovider.InstanceType
}

func newCluster(ctx context.Context, input *snapshot) (*runningCluster, error) {
	client := newReader(input)
	now := clock.RealClock{}
	cluster := state.NewCluster(now, client, nil)
	for _, row := range input.Nodes {
		if err := cluster.UpdateNode(ctx, row.node()); err != nil {
			return nil, err
		}
	}
	for _, pod := range input.BoundPods {
		if err := cluster.UpdatePod(ctx, pod); err != nil {
			return nil, err
		}
	}
	pools := input.nodePools()
	nodepool.OrderByWeight(pools)
	return &runningCluster{client: client, clock: now, state: cluster, pools: pools, types: input.instanceTypes()}, nil
}

func (c *runningCluster) newScheduler(
	ctx context.Context, pods []*corev1.Pod, nodes []*state.StateNode, workers int,
) (*scheduling.Scheduler, error) {
	opts := scheduling.NumConcurrentReconciles(workers)
	topology, err := scheduling.NewTopology(ctx, c.client, c.state, nodes, c.pools, c.types, pods, opts)
	if err != nil {
		return nil, err
	}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	return scheduling.NewScheduler(
		ctx, c.client, c.pools, c.state, nodes, topology, c.types, nil, recorder, c.clock, nil, nil, opts,
	), nil
}

func summarize(given *workload, results scheduling.Results, took timing, timedOut bool) *outcome {
	placed, price := 0, 0.0
	for _, claim := range results.NewNodeClaims {
		placed += len(claim.Pods)
		price += cheapest(claim.InstanceTypeOptions, claim.Requirements)
	}
	for _, node := range results.ExistingNodes {
		placed += len(node.Pods)
	}
	// A solve that was cut off has not looked at the rest: only what it placed counts as speed.
	counted := len(given.Input.Pods)
	if timedOut {
		counted = placed
	}
	return &outcome{
		Workload:      given.Name,
		Pods:          len(given.Input.Pods),
		MS:            milliseconds(took.solve),
		SetupMS:       milliseconds(took.setup),
		CPUMS:         milliseconds(took.cpu),
		PodsPerSecond: float64(counted) / (took.setup + took.solve).Seconds(),
		Placed:        placed,
		Nodes:         len(results.NewNodeClaims),
		PricePerHour:  price,
		TimedOut:      timedOut,
	}
}

// cheapest is the price of a claim: its cheapest available offering that its requirements allow.
func cheapest(types cloudprovider.InstanceTypes, allowed requirements.Requirements) float64 {
	best := math.Inf(1)
	for _, t := range types {
		for _, o := range t.Offerings {
			if o.Available && o.Price < best && allowed.IsCompatible(o.Requirements, requirements.AllowUndefinedWellKnownLabels) {
				best = o.Price
			}
		}
	}
	return best
}
