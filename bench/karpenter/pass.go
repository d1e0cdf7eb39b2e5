package main

import (
	"context"
	"runtime"
	"time"

	"sigs.k8s.io/karpenter/pkg/controllers/disruption"
	"sigs.k8s.io/karpenter/pkg/controllers/provisioning/scheduling"
)

// passOutcome is how upstream judges every candidate of single-node consolidation, each in the cluster as it is.
type passOutcome struct {
	Candidates int `json:"candidates"`
	// Judged has one row for each candidate that was judged.
	Judged []judgement `json:"judged"`
	// MS and CPUMS are for one worker, which is what upstream's disruption uses.
	MS    float64 `json:"ms"`
	CPUMS float64 `json:"cpuMs"`
	// The same candidates, or some of them, with five workers in each simulation.
	ManyJudged int     `json:"manyJudged"`
	ManyMS     float64 `json:"manyMs"`
}

type judgement struct {
	Node string `json:"node"`
	// Decision is none, delete or replace.
	Decision string `json:"decision"`
	// SavingPerHour is what the command saves.
	SavingPerHour float64 `json:"savingPerHour"`
}

const (
	manyWorkers = 5
	// maxMany bounds the simulations with many workers, which are not faster.
	maxMany = 20
)

func runPass(given *disruptionRequest) (*passOutcome, error) {
	ctx, err := disruptionContext(given.SpotToSpot)
	if err != nil {
		return nil, err
	}
	opened, err := newWorld(&given.Input).open(ctx)
	if err != nil {
		return nil, err
	}
	all, _, err := opened.candidates(ctx, opened.single)
	if err != nil {
		return nil, err
	}
	chosen := spreadOver(all, given.MaxCandidates)
	// Once before the clock starts: pages of the heap, caches of the instance types.
	if _, err := opened.judge(ctx, chosen[0]); err != nil {
		return nil, err
	}
	runtime.GC()
	outcome := &passOutcome{Candidates: len(all)}
	cpuBefore, started := cpuTime(), time.Now()
	for _, candidate := range chosen {
		judged, err := opened.judge(ctx, candidate)
		if err != nil {
			return nil, err
		}
		outcome.Judged = append(outcome.Judged, *judged)
	}
	outcome.MS, outcome.CPUMS = milliseconds(time.Since(started)), milliseconds(cpuTime()-cpuBefore)
	some := spreadOver(chosen, maxMany)
	started = time.Now()
	for _, candidate := range some {
		if err := opened.simulate(ctx, candidate, manyWorkers); err != nil {
			return nil, err
		}
	}
	outcome.ManyJudged, outcome.ManyMS = len(some), milliseconds(time.Since(started))
	return outcome, nil
}

// judge is upstream's own single-node consolidation with one candidate.
func (d *disrupted) judge(ctx context.Context, candidate *disruption.Candidate) (*judgement, error) {
	d.cluster.MarkUnconsolidated()
	commands, err := d.single.ComputeCommands(ctx, map[string]int{candidate.NodePool.Name: 1}, candidate)
	if err != nil {
		return nil, err
	}
	judged := &judgement{Node: candidate.Name(), Decision: "none"}
	for _, command := range commands {
		judged.Decision = string(command.Decision())
		judged.SavingPerHour = command.EstimatedSavings()
	}
	return judged, nil
}

func (d *disrupted) simulate(ctx context.Context, candidate *disruption.Candidate, workers int) error {
	opts := []scheduling.Options{scheduling.IsConsolidationSimulation, scheduling.NumConcurrentReconciles(workers)}
	_, err := disruption.SimulateScheduling(
		ctx, d.client, d.cluster, d.provisioner, d.clock, silent{}, opts, disruption.SimulationOptions{}, candidate,
	)
	return err
}

// spreadOver takes at most so many, evenly from the whole list.
func spreadOver(all []*disruption.Candidate, most int) []*disruption.Candidate {
	if most == 0 || len(all) <= most {
		return all
	}
	some := make([]*disruption.Candidate, 0, most)
	for i := range most {
		some = append(some, all[i*len(all)/most])
	}
	return some
}
