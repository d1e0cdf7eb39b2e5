// Upstream's side of the differential run: reads one cluster per line of standard input, plans it with upstream
// Karpenter's scheduler, and writes one line with the plans. A cluster is a list of Kubernetes objects and the instance
// types of each NodePool; this program decides nothing about them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/controller-runtime/pkg/log"
	v1 "sigs.k8s.io/karpenter/pkg/apis/v1"
	"sigs.k8s.io/karpenter/pkg/operator/logging"
)

// maxLineBytes bounds one cluster; a random one has less than a hundredth of it.
const maxLineBytes = 64 << 20

func main() {
	log.SetLogger(logging.NopLogger)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<20), maxLineBytes)
	answers := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		if err := answers.Encode(answer(lines.Bytes())); err != nil {
			fail(err)
		}
	}
	if err := lines.Err(); err != nil {
		fail(err)
	}
}

// answer never fails the process: a cluster that upstream cannot plan is answered with its error.
func answer(line []byte) response {
	asked := &request{}
	if err := json.Unmarshal(line, asked); err != nil {
		return response{Error: fmt.Sprintf("reading the request: %s", err)}
	}
	v1.WellKnownLabels.Insert(asked.WellKnownLabels...)
	given := response{ID: asked.ID, Plans: []plan{}}
	for range asked.Runs {
		made, err := solve(asked)
		if err != nil {
			return response{ID: asked.ID, Error: err.Error()}
		}
		given.Plans = append(given.Plans, made)
	}
	return given
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
