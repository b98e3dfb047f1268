package scenario

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// tryPatience is how long the agent lets the kubelet's entries differ before it writes its own: a tick and
// some, and the write.
const tryPatience = 12*time.Second + patience

// kubeletFirst runs a pod whose device has a CDI ID beside a kubelet that writes the field, and then an agent.
func kubeletFirst(t *testing.T, l *lab.Lab, program, pod string) (*story, *lab.Agent) {
	l.Kubelet.SetGate(t, true)
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, CDI: true, Beat: beat})
	waitStream(t, driver, kubeletsVersion(), 1)
	s := newStory(t, l, recorder, driver, pod)
	s.claim = shownClaim(pod)
	s.createPod()
	s.waitKubelets("Healthy", patience)
	agent := l.StartAgent(t, program)
	waitStream(t, driver, "v1", 2)
	s.waitCondition(conditionHealthy)
	waitHolder(t, agent, "Deferred")
	return s, agent
}

// waitKubelets waits until the field has the kubelet's entry, under a CDI ID, with a health.
func (s *story) waitKubelets(health string, patience time.Duration) {
	s.t.Helper()
	s.recorder.WaitFor(s.t, s.pod, "field of the kubelet", "true", patience, func(pod *corev1.Pod) string {
		field := lab.Field(pod)
		if !s.ours(pod) && strings.Contains(field, "claim:gpu ") && strings.Contains(field, " "+health) {
			return "true"
		}
		return field
	})
}

// testDeferred: the kubelet writes the field, and nothing keeps its entries: the agent publishes the
// condition and leaves the field alone while the kubelet says the same of the device.
func testDeferred(t *testing.T, l *lab.Lab, program string) {
	s, agent := kubeletFirst(t, l, program, "deferred")
	s.report("Unhealthy", "ECC error")
	s.waitCondition(conditionUnhealthy)
	s.waitKubelets(kubeletSays("Unhealthy", "ECC error"), patience)
	s.report("Healthy", "")
	s.waitCondition(conditionHealthy)
	s.waitKubelets("Healthy", patience)
	waitDifferences(t, agent, 0)
	patches := s.requests(s.start).Verb("patch")
	lab.Equal(t, "patches with the field", len(patches.Containing("allocatedResourcesStatus")), 0)
	// One that meets a write of the kubelet's is refused by its own tests, and made again.
	lab.Equal(t, "patches", len(patches.Code(http.StatusOK)), 3)

	// A kubelet notices a lease's end up to a minute late: that is the difference to be seen.
	s.driver.Silence(t)
	s.waitCondition(conditionUnknown)
	difference := waitDifferences(t, agent, 1)[0]
	lab.Equal(t, "difference", difference.Agent+" "+difference.Kubelet, "Unknown Healthy")
	if !strings.Contains(difference.Reason, "once a minute") {
		t.Errorf("the difference is explained by %q", difference.Reason)
	}
	s.driver.Resume(t)
	s.waitCondition(conditionHealthy)
	waitDifferences(t, agent, 0)
	waitHolder(t, agent, "Deferred")
}

// difference is a row of `cache diff`.
type difference struct{ Agent, Kubelet, Reason string }

func waitDifferences(t *testing.T, agent *lab.Agent, count int) []difference {
	t.Helper()
	var rows []difference
	lab.Wait(t, "differences in cache diff", patience, func() (bool, string) {
		rows = nil
		agent.Cache(t, "diff", &rows)
		texts := make([]string, len(rows))
		for i, row := range rows {
			texts[i] = row.Agent + " " + row.Kubelet + ": " + row.Reason
		}
		return len(rows) == count, strings.Join(texts, "; ")
	})
	return rows
}

// testTakenOver: the same, but a guard keeps old entries as soon as the agent's condition is there. The agent
// notices that the kubelet's stay old, and takes the field over.
func testTakenOver(t *testing.T, l *lab.Lab, program string) {
	l.ApplyGuard(t, guardManifests)
	s, agent := kubeletFirst(t, l, program, "taken-over")
	s.report("Unhealthy", "ECC error")
	s.waitCondition(conditionUnhealthy)
	s.recorder.WaitFor(t, s.pod, "field", s.line("Unhealthy", "ECC error"), tryPatience, field)
	waitHolder(t, agent, "Own")
	s.report("Healthy", "")
	s.recorder.WaitFor(t, s.pod, "field", s.line("Healthy", ""), patience, field)
	holdStill(t, l, s.recorder, s.pod)
}
