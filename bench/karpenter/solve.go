package main

import (
	"context"
	"errors"
	"flag"
	"math"
	"syscall"
	"time"

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

// run gives the workload to a fresh scheduler, once.
func run(given *workload) (*outcome, error) {
	input := &given.Input
	v1.WellKnownLabels.Insert(input.WellKnownLabels...)
	ctx, err := contextWithOptions()
	if err != nil {
		return nil, err
	}
	setupStarted := time.Now()
	scheduler, err := newScheduler(ctx, input, given.Workers)
	if err != nil {
		return nil, err
	}
	setup := time.Since(setupStarted)

	if given.LimitSeconds > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(given.LimitSeconds*float64(time.Second)))
		defer cancel()
		ctx = limited
	}
	cpuBefore := cpuTime()
	started := time.Now()
	results, err := scheduler.Solve(ctx, input.Pods)
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

func newScheduler(ctx context.Context, input *snapshot, workers int) (*scheduling.Scheduler, error) {
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
	types := input.instanceTypes()
	opts := scheduling.NumConcurrentReconciles(workers)
	nodes := cluster.DeepCopyNodes()
	topology, err := scheduling.NewTopology(ctx, client, cluster, nodes, pools, types, input.Pods, opts)
	if err != nil {
		return nil, err
	}
	recorder := events.NewRecorder(&record.FakeRecorder{})
	return scheduling.NewScheduler(
		ctx, client, pools, cluster, nodes, topology, types, nil, recorder, now, nil, nil, opts,
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
		PodsPerSecond: float64(counted) / took.solve.Seconds(),
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
