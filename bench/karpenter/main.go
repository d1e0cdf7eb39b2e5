// The peer's side of the benchmarks of scheduling and disruption: reads one workload that the TypeScript side wrote,
// gives it to upstream Karpenter, and prints what came out as one JSON line. The workload decides everything
// about pods, types, pools and nodes; this program decides nothing but where the clock starts and stops.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
)

// outcome is one plan. SetupMS is what upstream spends on each plan before Solve (topology counts, templates, daemon
// groups); MS is Solve alone, which is what its own benchmark times. CPUMS is what both took of all cores together.
type outcome struct {
	Workload      string  `json:"workload"`
	Pods          int     `json:"pods"`
	MS            float64 `json:"ms"`
	SetupMS       float64 `json:"setupMs"`
	CPUMS         float64 `json:"cpuMs"`
	PodsPerSecond float64 `json:"podsPerSecond"`
	Placed        int     `json:"placed"`
	Nodes         int     `json:"nodes"`
	PricePerHour  float64 `json:"pricePerHour"`
	TimedOut      bool    `json:"timedOut"`
}

func main() {
	log.SetLogger(logging.NopLogger)
	if len(os.Args) < 2 || len(os.Args) > 3 {
		fail(fmt.Errorf("usage: %s workload.json [disruption]", os.Args[0]))
	}
	result, err := answer(os.Args[1], len(os.Args) == 3)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func answer(path string, disrupt bool) (any, error) {
	if !disrupt {
		input, err := readWorkload(path)
		if err != nil {
			return nil, err
		}
		return run(input)
	}
	given, err := readDisruption(path)
	if err != nil {
		return nil, err
	}
	switch given.Mode {
	case "pass":
		return runPass(given)
	case "rest", "scheduled":
		return runRest(given)
	}
	return nil, fmt.Errorf("no mode %q: pass, rest or scheduled", given.Mode)
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
