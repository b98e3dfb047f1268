package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

const (
	patience = time.Minute
	// resumeLimit is how long a resumed device is waited for; a kubelet tells it after a minute or so.
	resumeLimit = 90 * time.Second
	// leases are measured often where that is quick.
	agentLeases = 5
)

// single is one pod with one device on an otherwise idle node.
type single struct {
	*bench
	driver *lab.Driver
	device lab.Device
}

// measureSingle measures the rows of a single pod for who is in charge now.
func (b *bench) measureSingle(who string) {
	s := &single{bench: b, device: lab.Device{Pool: "pool", Device: "gpu-0", Health: "Healthy", Timeout: 30}}
	s.driver = b.lab.StartDriver(b.t, lab.DriverOptions{Name: "single.example.com", V1: true, V1alpha1: true, Beat: 2 * time.Second})
	s.driver.Report(b.t, s.device)
	scope := &reporter{}
	completed := scope.guarded(func() { // what it creates goes with it
		b.lab.NewClaim(scope, "single", lab.Allocation{Request: "gpu", Driver: s.driver.Name, Pool: "pool", Device: "gpu-0"})
		b.lab.NewPod(scope, "single", map[string]string{"gpu": "single"})
		b.lab.WaitRunning(scope, "single")
		s.waitShown(scope, "Healthy", time.Time{})
		if b.wants("lease", "resume") {
			s.leases(scope, who)
		}
		if b.wants("latency") {
			patches := s.latency(scope, who)
			if who == agent {
				b.stopAgent()
				s.bareLatency(patches)
			}
		}
	})
	if !completed {
		b.t.Fatalf("single pod: not measured")
	}
	_ = s.driver.Stop()
}

// latency: one change after another, from the driver's report to the watch. Returns the patches.
func (s *single) latency(t lab.TB, who string) lab.Requests {
	s.device.Timeout = 30
	s.driver.Report(t, s.device)
	settle()
	mark := s.lab.Audit.Mark()
	var samples []float64
	var reported []time.Time
	for i := range s.o.changes {
		s.device.Health, s.device.Message = "Unhealthy", "ECC error"
		if i%2 == 1 {
			s.device.Health, s.device.Message = "Healthy", ""
		}
		at := s.driver.Report(t, s.device)
		reported = append(reported, at)
		samples = append(samples, milliseconds(s.waitShown(t, s.device.Health, at).Sub(at)))
		time.Sleep(time.Second + time.Duration(rand.IntN(500))*time.Millisecond)
	}
	requests := s.lab.Audit.Since(t, mark).By(s.user(who)).For("single")
	row := s.latencyRow()
	gets, patches := len(requests.Verb("get")), len(requests.Verb("patch"))
	row.samples(who, samples, "%d changes: %d GET, %d PATCH; %s", s.o.changes, gets, patches, breakdown(reported, requests))
	if who == agent {
		row.ratio(kubelet, 0.5)
		row.atMost("agent: GET", float64(gets), 0)
		row.atMost("agent: PATCH per change", float64(patches)/float64(s.o.changes), 1)
	}
	return requests.Verb("patch")
}

func (s *single) latencyRow() *row {
	return s.results.row("latency", "one change, driver to API, median", "ms")
}

// bareLatency sends the agent's last two patches again, there and back, from the sending to the watch: what
// is left of the time when there is neither a driver nor a store.
func (s *single) bareLatency(patches lab.Requests) {
	healths := [2]string{"Unhealthy", "Healthy"}
	if s.o.changes%2 == 1 { // the last change was to Unhealthy
		healths = [2]string{"Healthy", "Unhealthy"}
	}
	var files [2]string
	for i, patch := range patches[max(0, len(patches)-2):] {
		files[i] = s.writePatches(lab.Requests{patch}, i)
	}
	var samples []float64
	for i := range max(2, s.o.changes/2) {
		time.Sleep(time.Second)
		started := s.runBareClient(files[i%2], 1)
		samples = append(samples, milliseconds(s.waitShown(s.t, healths[i%2], started).Sub(started)))
	}
	s.latencyRow().samples(bareClient, samples, "from its sending, %d times", len(samples))
}

// breakdown tells where the time of a change goes, in medians: until the first request reaches the API server,
// and within it.
func breakdown(reported []time.Time, requests lab.Requests) string {
	var before, within []float64
	for i, r := range requests {
		if i < len(reported) && len(requests) == len(reported) {
			before = append(before, milliseconds(r.Received.Sub(reported[i])))
		}
		if r.Verb == "patch" {
			within = append(within, milliseconds(r.Answered.Sub(r.Received)))
		}
	}
	text := fmt.Sprintf("API server %.1f ms for a PATCH", median(within))
	if len(before) > 0 {
		text += fmt.Sprintf(", %.1f ms before it", median(before))
	}
	return text
}

// leases: the driver falls silent, and resumes with the same health.
func (s *single) leases(t lab.TB, who string) {
	s.device.Health, s.device.Message, s.device.Timeout = "Healthy", "", 5
	var late, resumed []float64
	rounds := 1 // takes a kubelet two minutes
	if who == agent {
		rounds = agentLeases
	}
	var above bool
	for range rounds {
		at := s.driver.Report(t, s.device)
		s.waitShown(t, "Healthy", time.Time{})
		time.Sleep(time.Until(at.Add(3 * time.Second))) // a heartbeat or two
		s.driver.Silence(t)
		shown := s.waitShown(t, "Unknown", at)
		streams := s.driver.Stats(t).Streams
		end := streams[len(streams)-1].Last.Add(5 * time.Second)
		late = append(late, shown.Sub(end).Seconds())
		if !s.wants("resume") {
			s.driver.Resume(t)
			continue
		}
		var took float64
		took, above = s.resume(t)
		resumed = append(resumed, took)
	}
	row := s.results.row("lease", "lease ends, driver silent: late by", "s")
	row.samples(who, late, "lease of 5 s, %d times", rounds)
	if who == agent {
		row.atMost("agent: late by, worst", slices.Max(late), 1)
	}
	if s.wants("resume") {
		row = s.results.row("resume", "silent driver resumes, same health", "s")
		row.samples(who, resumed, "%d times", rounds)
		row.Figures[who].Above = above
		if who == agent {
			row.atMost("agent: worst", slices.Max(resumed), 1)
		}
	}
}

// resume returns how long the return took to be shown, or the limit and that it is above.
func (s *single) resume(t lab.TB) (seconds float64, above bool) {
	at := s.driver.Resume(t)
	for time.Since(at) < resumeLimit {
		if shown, seen := s.shown("Healthy", at); seen {
			return shown.Sub(at).Seconds(), false
		}
		time.Sleep(10 * time.Millisecond)
	}
	return resumeLimit.Seconds(), true
}

// shown is when the pod first showed the device's health at or after a moment; see Recorder.First.
func (s *single) shown(health string, since time.Time) (time.Time, bool) {
	return s.recorder.First("single", since, func(pod *corev1.Pod) bool {
		return strings.Contains(lab.Field(pod), "/pool/gpu-0 "+health)
	})
}

func (s *single) waitShown(t lab.TB, health string, since time.Time) time.Time {
	var shown time.Time
	lab.Wait(t, "health "+health+" to be shown", 2*patience, func() (bool, string) {
		at, seen := s.shown(health, since)
		shown = at
		return seen, lab.Field(s.recorder.Latest("single"))
	})
	return shown
}

// user is the name of who in the audit log.
func (b *bench) user(who string) string {
	if who == kubelet {
		return b.lab.KubeletUser()
	}
	return lab.AgentUser
}
