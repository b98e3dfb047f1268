package main

import (
	"fmt"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

const (
	podCount      = 100
	devicesPerPod = 8
	deviceCount   = 1000 // the rest belongs to nobody
	heartbeat     = 5 * time.Second
)

// podSet is a hundred pods with eight devices each, all of one driver.
type podSet struct {
	*bench
	driver  *lab.Driver
	names   []string
	devices []lab.Device // all of the driver's, those of the pods first
	scope   *reporter
}

// createPods creates the pods and waits until they run.
func (b *bench) createPods() *podSet {
	p := &podSet{bench: b, scope: &reporter{}}
	p.driver = b.lab.StartDriver(b.t, lab.DriverOptions{
		Name: "many.example.com", V1: true, V1alpha1: true, Beat: heartbeat, NoRecord: true,
	})
	for i := range deviceCount {
		p.devices = append(p.devices, lab.Device{Pool: "pool", Device: fmt.Sprintf("gpu-%d", i), Health: "Healthy", Timeout: 60})
	}
	p.driver.Report(b.t, p.devices...)
	start := time.Now()
	for i := range podCount {
		p.names = append(p.names, fmt.Sprintf("many-%d", i))
	}
	p.each(func(i int, name string) {
		var allocations []lab.Allocation
		for _, d := range p.devices[i*devicesPerPod : (i+1)*devicesPerPod] {
			allocations = append(allocations, lab.Allocation{Request: "gpu", Driver: p.driver.Name, Pool: d.Pool, Device: d.Device})
		}
		b.lab.NewClaim(p.scope, name, allocations...)
		b.lab.NewPod(p.scope, name, map[string]string{"gpu": name})
	})
	lab.Wait(b.t, "all pods to run", 3*time.Minute, func() (bool, string) {
		running := 0
		for _, name := range p.names {
			if pod := b.recorder.Latest(name); pod != nil && pod.Status.Phase == corev1.PodRunning {
				running++
			}
		}
		return running == podCount, fmt.Sprintf("%d running", running)
	})
	b.t.Logf("%d pods with %d devices each run after %.1f s", podCount, devicesPerPod, time.Since(start).Seconds())
	return p
}

// each calls f for all pods, a few at a time.
func (p *podSet) each(f func(i int, name string)) {
	var wait sync.WaitGroup
	room := make(chan struct{}, 10)
	for i, name := range p.names {
		room <- struct{}{}
		wait.Go(func() {
			defer func() { <-room }()
			f(i, name)
		})
	}
	wait.Wait()
	if p.scope.Failed() {
		p.t.Fatalf("pods: not created or not removed")
	}
}

// remove deletes the pods, and stops their driver.
func (p *podSet) remove() {
	p.each(func(_ int, name string) { p.lab.DeletePod(p.scope, name) })
	p.scope.guarded(func() {}) // their claims
	_ = p.driver.Stop()
}

// waitStream waits until the agent has the driver's first report.
func (p *podSet) waitStream() {
	lab.Wait(p.t, "the agent to listen", patience, func() (bool, string) {
		streams := p.driver.Stats(p.t).Streams
		newest := streams[len(streams)-1]
		return newest.Ended == nil && newest.Sent > 0, fmt.Sprint(streams)
	})
}

// report sends the devices of all pods in one report.
func (p *podSet) report(health, message string) time.Time {
	used := p.devices[:podCount*devicesPerPod]
	for i := range used {
		used[i].Health, used[i].Message = health, message
	}
	return p.driver.Report(p.t, used...)
}

// waitShown waits until every pod has shown all its devices with a health since a moment, and returns when
// the first and the last pod did.
func (p *podSet) waitShown(health string, since time.Time) (first, last time.Time) {
	lab.Wait(p.t, "all pods to show "+health, 2*time.Minute, func() (bool, string) {
		shown := 0
		first, last = time.Time{}, time.Time{}
		for _, name := range p.names {
			at, seen := p.recorder.First(name, since, func(pod *corev1.Pod) bool {
				return strings.Count(lab.Field(pod), " "+health) == devicesPerPod
			})
			if !seen {
				continue
			}
			shown++
			if first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
		}
		return shown == podCount, fmt.Sprintf("%d of %d", shown, podCount)
	})
	return first, last
}
