// The peer's side of the scheduling benchmark: reads one workload that the TypeScript side wrote, gives it to
// upstream Karpenter's scheduler, and prints what came out as one JSON line. The workload decides everything
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
	if len(os.Args) != 2 {
		fail(fmt.Errorf("usage: %s workload.json", os.Args[0]))
	}
	input, err := readWorkload(os.Args[1])
	if err != nil {
		fail(err)
	}
	result, err := run(input)
	if err != nil {
		fail(err)
	}
	if err := json.NewEncoder(os.Stdout).Encode(result); err != nil {
		fail(err)
	}
}

func milliseconds(d time.Duration) float64 {
	return float64(d.Microseconds()) / 1000
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
