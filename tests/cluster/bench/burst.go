package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// measureBurst lets all devices of all pods change in one report, again and again, and returns the patches
// of the last two rounds: there and back.
func (b *bench) measureBurst(who string, pods *podSet) [2]lab.Requests {
	var samples, firsts []float64
	var gets, patches int
	var kept [2]lab.Requests
	rounds := b.o.rounds + b.o.rounds%2 // they end where they began: Healthy
	for i := range rounds {
		settle()
		b.recorder.Forget()
		mark := b.lab.Audit.Mark()
		health, message := "Unhealthy", "thermal limit"
		if i%2 == 1 {
			health, message = "Healthy", ""
		}
		at := pods.report(health, message)
		first, last := pods.waitShown(health, at)
		samples = append(samples, last.Sub(at).Seconds())
		firsts = append(firsts, milliseconds(first.Sub(at)))
		time.Sleep(500 * time.Millisecond) // whatever is sent beyond what was needed counts too
		requests := b.lab.Audit.Since(b.t, mark).By(b.user(who))
		gets += len(requests.Verb("get").On("pods"))
		patches += len(requests.Verb("patch").On("pods/status"))
		kept[i%2] = requests.Verb("patch").On("pods/status")
	}
	row := b.burstRow()
	row.samples(who, samples, "%d rounds, each %.1f GET and %.1f PATCH; first visible after %.0f ms",
		rounds, float64(gets)/float64(rounds), float64(patches)/float64(rounds), median(firsts))
	if who == agent {
		row.atMost("agent: GET per round", float64(gets)/float64(rounds), 0)
		row.atMost("agent: PATCH per round", float64(patches)/float64(rounds), podCount)
		row.ratio(kubelet, 0.5)
	}
	return kept
}

func (b *bench) burstRow() *row {
	return b.results.row("burst", fmt.Sprintf("%d pods x %d devices, one report, last visible", podCount, devicesPerPod), "s")
}

// measureBareClient sends the agent's own patches again, with nothing but an HTTP client.
func (b *bench) measureBareClient(pods *podSet, patches [2]lab.Requests) {
	b.t.Logf("=== bare client: the agent's patches again, agent stopped")
	var files [2]string
	for i := range patches {
		files[i] = b.writePatches(patches[i], i)
	}
	var samples []float64
	rounds := b.o.rounds + b.o.rounds%2
	for i := range rounds {
		settle()
		b.recorder.Forget()
		started := b.runBareClient(files[i%2], b.o.connections)
		_, last := pods.waitShown([2]string{"Unhealthy", "Healthy"}[i%2], started)
		samples = append(samples, last.Sub(started).Seconds())
	}
	row := b.burstRow()
	row.samples(bareClient, samples, "%d rounds on %d connections", rounds, b.o.connections)
	row.ratio(bareClient, 1.3)
}

// writePatches writes the bodies of one round for the bare client.
func (b *bench) writePatches(patches lab.Requests, round int) string {
	var lines strings.Builder
	for _, p := range patches {
		fmt.Fprintf(&lines, "/api/v1/namespaces/%s/pods/%s/status\t%s\n", lab.Namespace, p.Pod, p.Body)
	}
	path := fmt.Sprintf("%s/patches-%d", b.lab.Dir, round)
	if err := os.WriteFile(path, []byte(lines.String()), 0o600); err != nil {
		b.t.Fatalf("%v", err)
	}
	return path
}

// runBareClient returns when it began to send.
func (b *bench) runBareClient(patches string, connections int) time.Time {
	cmd := exec.Command(b.o.bareClient, b.lab.URL(), b.lab.CA(), lab.AgentToken, fmt.Sprint(connections), patches)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	var times struct {
		Started int64 `json:"started"`
	}
	if err == nil {
		err = json.Unmarshal(output, &times)
	}
	if err != nil {
		b.t.Fatalf("bare client: %v: %s", err, output)
	}
	return time.Unix(0, times.Started)
}
