package main

import (
	"encoding/json"
	"fmt"
	"time"

	"github.com/awslabs/operatorpkg/status"
	clocktesting "k8s.io/utils/clock/testing"
	karpenter "sigs.k8s.io/karpenter/pkg/apis/v1"
)

type conditionStep struct {
	Now     time.Time `json:"now"`
	Set     string    `json:"set"`
	Type    string    `json:"type"`
	Reason  string    `json:"reason"`
	Message string    `json:"message"`
	// The object's metadata from this step on.
	Generation int64 `json:"generation"`
	Deleting   bool  `json:"deleting"`
}

// Upstream's condition set of a NodeClaim, led through the steps; answers with the conditions at the end.
// Between steps the claim is written as JSON and read again, as between two reconciles.
func walkConditions(req request) (string, error) {
	var walk struct {
		NodeClaim json.RawMessage `json:"nodeClaim"`
		Steps     []conditionStep `json:"steps"`
	}
	if err := json.Unmarshal(req.Object, &walk); err != nil {
		return "", err
	}
	stored := []byte(walk.NodeClaim)
	for _, step := range walk.Steps {
		var claim karpenter.NodeClaim
		if err := json.Unmarshal(stored, &claim); err != nil {
			return "", err
		}
		if err := takeStep(&claim, step); err != nil {
			return "", err
		}
		next, err := json.Marshal(claim)
		if err != nil {
			return "", err
		}
		stored = next
	}
	var claim karpenter.NodeClaim
	if err := json.Unmarshal(stored, &claim); err != nil {
		return "", err
	}
	out, err := json.Marshal(claim.Status.Conditions)
	return string(out), err
}

func takeStep(claim *karpenter.NodeClaim, step conditionStep) error {
	claim.Generation = step.Generation
	if step.Deleting {
		deleted := claim.CreationTimestamp
		claim.DeletionTimestamp = &deleted
	}
	set := claim.StatusConditions(status.WithClock(clocktesting.NewFakeClock(step.Now)))
	switch step.Set {
	case "True":
		set.SetTrueWithReason(step.Type, step.Reason, step.Message)
	case "False":
		set.SetFalse(step.Type, step.Reason, step.Message)
	case "Unknown":
		set.SetUnknownWithReason(step.Type, step.Reason, step.Message)
	case "Clear":
		return set.Clear(step.Type)
	default:
		return fmt.Errorf("unknown step %q", step.Set)
	}
	return nil
}
