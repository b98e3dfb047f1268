package main

import (
	"slices"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// bench is one run: one cluster, whose kubelet gate is on at first, while the kubelet is measured, and off,
// with the guard, from then on, for the agent and the bare client.
type bench struct {
	t        *reporter
	o        options
	lab      *lab.Lab
	recorder *lab.Recorder
	results  *results
	agent    *lab.Agent
}

func (b *bench) wants(rows ...string) bool {
	return slices.ContainsFunc(rows, func(row string) bool { return slices.Contains(b.o.rows, row) })
}

// measure goes through the rows in an order that needs one restart of the kubelet. Rows of a single pod are
// measured without the hundred: a kubelet whose gate is off sends requests for each pod that the guard holds.
func (b *bench) measure() {
	b.t.Logf("=== kubelet: gate on, no agent, no guard")
	if b.wants("latency", "lease", "resume") {
		b.measureSingle(kubelet)
	}
	if b.wants("burst") {
		pods := b.createPods()
		b.measureBurst(kubelet, pods)
		pods.remove()
	}
	if b.o.agent == "" {
		return
	}
	b.t.Logf("=== agent: kubelet gate off, guard on")
	b.lab.Kubelet.SetGate(b.t, false)
	b.lab.ApplyGuard(b.t, b.o.guard)
	if b.wants("latency", "lease", "resume") {
		b.startAgent()
		b.measureSingle(agent)
		b.stopAgent()
	}
	if b.wants("sockets") {
		b.measureSockets()
	}
	if b.wants("burst", "quiet", "memory") {
		b.measureMany()
	}
}

// measureMany measures what needs a hundred pods, the agent's part.
func (b *bench) measureMany() {
	b.startAgent()
	pods := b.createPods()
	pods.waitShown("Healthy", time.Time{})
	if b.wants("burst") {
		patches := b.measureBurst(agent, pods)
		b.stopAgent()
		b.measureBareClient(pods, patches)
		b.startAgent()
		pods.waitStream()
	}
	if b.wants("quiet") {
		b.measureQuiet()
	}
	if b.wants("memory") {
		b.measureMemory(pods)
	}
	b.stopAgent()
	pods.remove()
}

// startAgent starts the agent, with a store of its own.
func (b *bench) startAgent() { b.agent = b.lab.StartAgent(b.t, b.o.agent) }

func (b *bench) stopAgent() {
	if err := b.agent.Stop(); err != nil {
		b.t.Fatalf("the agent's end: %v", err)
	}
}

// settle lets the cluster come to rest between two measurements.
func settle() { time.Sleep(2 * time.Second) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
