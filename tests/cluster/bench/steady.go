package main

import (
	"fmt"
	"os"
	"time"

	"dra-health-agent.test/cluster/lab"
)

const (
	// aliveInterval is how often the agent may say in its store that it is alive.
	aliveInterval = 10 * time.Second
	// memoryLimit and growthLimit are in MiB. The growth allowed is what a heap moves by without a leak: a
	// leak of one report, or of one byte for each device in each, is far above it.
	memoryLimit = 32
	growthLimit = 1
	// warmUp reports come before the first look at the memory.
	warmUp = 10_000
)

// measureQuiet: all devices are sent again every 5 s and nothing changes.
func (b *bench) measureQuiet() {
	settle()
	pid, mark, start := b.agent.PID(), b.lab.Audit.Mark(), time.Now()
	cpu, written, transitions := cpuTime(pid), writtenBytes(pid), b.transitions()
	writes, last := 0, b.storeState()
	b.t.Logf("quiet for %v", b.o.quiet)
	for time.Since(start) < b.o.quiet {
		time.Sleep(200 * time.Millisecond)
		if now := b.storeState(); now != last {
			writes, last = writes+1, now
		}
	}
	took := time.Since(start)
	requests := b.lab.Audit.Since(b.t, mark).By(lab.AgentUser)
	row := b.results.row("quiet", fmt.Sprintf("quiet, %d devices sent every %v: CPU", deviceCount, heartbeat), "% of a core")
	row.single(agent, 100*(cpuTime(pid)-cpu).Seconds()/took.Seconds(),
		"%v: %d requests, of them %d other than the watch; store written %d times; %.0f bytes written in all; %.1f MiB resident",
		took.Round(time.Second), len(requests), len(requests.Not("watch")), writes, writtenBytes(pid)-written, rssMiB(pid))
	row.atMost("agent: requests other than the watch", float64(len(requests.Not("watch"))), 0)
	row.atMost("agent: writes of the store", float64(writes), float64(took/aliveInterval)+1)
	row.atMost("agent: transitions", float64(b.transitions()-transitions), 0)
}

// storeState changes with every write to the store.
func (b *bench) storeState() string {
	state := ""
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(b.agent.Store + suffix); err == nil {
			state += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		}
	}
	return state
}

func (b *bench) transitions() int {
	var transitions []any
	b.agent.Cache(b.t, "transitions", &transitions)
	return len(transitions)
}

// measureMemory: full reports as fast as the agent takes them, and a change now and then.
func (b *bench) measureMemory(pods *podSet) {
	pid := b.agent.PID()
	before := rssMiB(pid)
	cpu, start := cpuTime(pid), time.Now()
	b.flood(pods, warmUp)
	warm := rssMiB(pid)
	b.flood(pods, b.o.reports-warmUp)
	took := time.Since(start)
	after := rssMiB(pid)
	row := b.results.row("memory", fmt.Sprintf("memory, %d devices, %d pods", deviceCount, podCount), "MiB")
	row.single(agent, after, "%.1f MiB before, %.1f after %d reports, %.1f after %d; %.0f reports a second, %.0f us of CPU each",
		before, warm, warmUp, after, b.o.reports, float64(b.o.reports)/took.Seconds(),
		float64((cpuTime(pid)-cpu).Microseconds())/float64(b.o.reports))
	row.atMost("agent: resident MiB at the end", after, memoryLimit)
	row.atMost(fmt.Sprintf("agent: MiB more than after %d reports", warmUp), after-warm, growthLimit)
}

// flood sends so many reports of all devices. Meanwhile one device changes every second.
func (b *bench) flood(pods *podSet, reports int) {
	sent := func() int {
		streams := pods.driver.Stats(b.t).Streams
		return streams[len(streams)-1].Sent
	}
	end, changed := sent()+reports, time.Now()
	pods.driver.Flood(b.t, reports)
	lab.Wait(b.t, fmt.Sprintf("%d reports to be sent", reports), time.Hour, func() (bool, string) {
		if time.Since(changed) > time.Second {
			changed = time.Now()
			device := &pods.devices[0]
			if device.Health == "Healthy" {
				device.Health, device.Message = "Unhealthy", "again"
			} else {
				device.Health, device.Message = "Healthy", ""
			}
			pods.driver.Report(b.t, *device)
		}
		now := sent()
		return now >= end, fmt.Sprintf("%d to go", end-now)
	})
}
