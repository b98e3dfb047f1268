// bench compares the kubelet's own reporting of device health, the agent, and a bare client that sends the
// agent's patches again, in one run on one cluster. It prints a table, writes the same as JSON, and fails
// when a ratio, a count or a figure of memory that decides is not reached. Times themselves only inform.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// options of a run.
type options struct {
	agent, bareClient, bin, guard string
	json                          string
	rows                          []string
	changes, rounds, connections  int
	quiet                         time.Duration
	reports                       int
}

// allRows in the order in which they are measured.
var allRows = []string{"latency", "lease", "resume", "sockets", "burst", "quiet", "memory"}

func main() {
	var o options
	var rows string
	flag.StringVar(&o.agent, "agent", "", "the agent's program; empty: only the kubelet is measured")
	flag.StringVar(&o.bareClient, "bare-client", "", "the bare client's program")
	flag.StringVar(&o.bin, "bin", "", "folder with the programs of the cluster")
	flag.StringVar(&o.guard, "guard", "../../manifests/guard", "folder with the guard's manifests")
	flag.StringVar(&o.json, "json", "", "file for the results as JSON; empty: none")
	flag.StringVar(&rows, "rows", strings.Join(allRows, ","), "what to measure")
	flag.IntVar(&o.changes, "changes", 40, "single changes to take the median of")
	flag.IntVar(&o.rounds, "rounds", 9, "bursts to take the median of, at least 2")
	flag.IntVar(&o.connections, "connections", 4, "of the bare client, as many as the agent has")
	flag.DurationVar(&o.quiet, "quiet", 10*time.Minute, "how long to look at the quiet state")
	flag.IntVar(&o.reports, "reports", 100_000, "reports to send for the memory row, at least 20000")
	flag.Parse()
	o.rows = strings.Split(rows, ",")
	for _, row := range o.rows {
		if !slices.Contains(allRows, row) {
			fmt.Fprintf(os.Stderr, "unknown row %q; there are: %s\n", row, strings.Join(allRows, ", "))
			os.Exit(2)
		}
	}
	if o.rounds < 2 || o.changes < 1 || o.reports < 20_000 {
		fmt.Fprintln(os.Stderr, "too few changes, rounds or reports")
		os.Exit(2)
	}
	os.Exit(run(o))
}

// run returns the exit code: 0 when all is reached, 1 when something is not, 3 when it could not be measured.
func run(o options) int {
	t := &reporter{}
	results := &results{Machine: thisMachine(), Started: time.Now(), Options: fmt.Sprintf("%+v", o)}
	complete := t.guarded(func() {
		b := &bench{t: t, o: o, results: results}
		b.lab = lab.New(t, lab.Options{Bin: o.bin, APIServerGate: true, KubeletGate: true})
		b.recorder = b.lab.Record(t)
		b.measure()
	})
	results.Took = time.Since(results.Started).Round(time.Second).String()
	results.print(os.Stdout)
	if err := results.write(o.json); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 3
	}
	switch {
	case !complete:
		return 3
	case !results.reached():
		return 1
	}
	return 0
}
