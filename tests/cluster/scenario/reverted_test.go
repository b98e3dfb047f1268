package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// saidReverted is in the line that the agent logs when another writer takes its entries away.
const saidReverted = "takes allocatedResourcesStatus of pod"

// reassert is the agent's longest wait before it writes the field again, scaled down from 5 minutes; contest
// is then what 10 minutes are by default.
const (
	reassert = 40 * time.Second
	contest  = 2 * reassert
)

// testReverted: nothing keeps the kubelet from taking the agent's entries away, or from putting its own
// in their place: a driver with CDI IDs makes the two differ. The condition is right all the same, the
// agent stops insisting, and says so once.
func testReverted(t *testing.T, l *lab.Lab, program string, kubeletGate bool) {
	l.Kubelet.SetGate(t, kubeletGate)
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, CDI: kubeletGate, Beat: beat})
	args := []string{"--reassert-interval", reassert.String()}
	watchers := 1
	if kubeletGate {
		watchers++ // the kubelet's
		args = append(args, "--publish", "always")
	}
	agent := l.StartAgent(t, program, args...)
	waitStream(t, driver, "v1", watchers)
	s := newStory(t, l, recorder, driver, "reverted")
	s.claim = shownClaim(s.pod)
	created := time.Now()
	s.createPod()
	s.waitOurs(created)
	s.waitTakenAway(2)
	waitHolder(t, agent, "Contested")
	s.live(nil)
	for time.Since(created) < contest {
		time.Sleep(time.Until(created.Add(contest))) // what the agent does not do can only be seen by waiting
	}
	all := s.requests(s.start).Verb("patch")
	t.Logf("%d patches in all, %d of them with the field", len(all), len(all.Containing("allocatedResourcesStatus")))
	// One for each state of the condition, and six attempts to hold the field. An agent that insists would
	// have patched after each tick.
	if limit := len(lifeConditions) + 6; len(all) > limit {
		t.Errorf("%d patches, at most %d expected:\n%s", len(all), limit, all)
	}
	s.checkConditions()
	lab.Equal(t, "times the agent said that its writes do not stick", agent.Said(saidReverted), 1)
}

// waitHolder waits until the agent's only pod that is there has so its field.
func waitHolder(t *testing.T, agent *lab.Agent, want string) {
	t.Helper()
	lab.Wait(t, "the field to be "+want, patience+ticks, func() (bool, string) {
		var pods []struct{ Field, Name, Deleted string }
		agent.Cache(t, "pods", &pods)
		for _, pod := range pods {
			if pod.Deleted == "" {
				return pod.Field == want, pod.Field
			}
		}
		return false, "no pod"
	})
}

// ours says whether an entry of the agent's is in the field.
func (s *story) ours(pod *corev1.Pod) bool {
	return strings.Contains(lab.Field(pod), s.driver.Name+"/pool/gpu-0 ")
}

// waitOurs waits until an entry of the agent's has been in the field, if only for a moment.
func (s *story) waitOurs(since time.Time) {
	s.t.Helper()
	lab.Wait(s.t, "the agent's entry to have been in the field of pod "+s.pod, patience, func() (bool, string) {
		_, seen := s.recorder.First(s.pod, since, s.ours)
		return seen, lab.Field(s.recorder.Latest(s.pod))
	})
}

// waitTakenAway waits until the entry has vanished so many times.
func (s *story) waitTakenAway(times int) {
	s.t.Helper()
	lab.Wait(s.t, fmt.Sprintf("the agent's entry to have been taken away %d times", times), 2*patience, func() (bool, string) {
		taken := 0
		seen := s.recorder.History(s.pod, func(pod *corev1.Pod) string { return fmt.Sprint(s.ours(pod)) })
		for i, now := range seen {
			if i > 0 && now == "false" {
				taken++
			}
		}
		return taken >= times, strings.Join(seen, " ")
	})
}
