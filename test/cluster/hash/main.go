// A harness that answers with what upstream's own Go code says: drift hashes, conditions, and how values
// are read and printed. One JSON request per line on standard input, one JSON answer per line on
// standard output, in the same order. It decides nothing; the test beside it compares.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
)

type request struct {
	Kind     string          `json:"kind"`
	Object   json.RawMessage `json:"object"`
	CABundle *string         `json:"caBundle"`
	After    string          `json:"after"`
}

type answer struct {
	Value string `json:"value,omitempty"`
	Error string `json:"error,omitempty"`
}

var answerers = map[string]func(request) (string, error){
	"NodePool":        hashNodePool,
	"AKSNodeClass":    hashAKSNodeClass,
	"EC2NodeClass/v5": hashEC2NodeClassV5,
	"EC2NodeClass/v6": hashEC2NodeClassV6,
	"Conditions":      walkConditions,
	"Quantity":        printQuantity,
	"Sum":             printSum,
	"Duration":        printDuration,
	"CronNext":        printCronNext,
}

func main() {
	// A pod of Karpenter runs in UTC, and the hash of a taint's timeAdded depends on the local zone.
	time.Local = time.FixedZone("UTC", 0)

	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 0, 1<<20), 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		line, err := json.Marshal(respond(in.Bytes()))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		out.Write(append(line, '\n'))
	}
	if err := in.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func respond(line []byte) answer {
	var req request
	if err := json.Unmarshal(line, &req); err != nil {
		return answer{Error: err.Error()}
	}
	run, known := answerers[req.Kind]
	if !known {
		return answer{Error: "unknown kind " + req.Kind}
	}
	value, err := run(req)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}
