package scenario

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// saidDropped is in the line that the agent logs when the API server does not keep the field.
const saidDropped = "does not keep allocatedResourcesStatus"

// testDropped: the API server does not know the field. It answers 200 and drops it; the agent notices,
// sends the condition alone from then on, and says so once. When the API server comes back with its gate
// on the agent tries again.
func testDropped(t *testing.T, l *lab.Lab, program string) {
	l.Kubelet.SetGate(t, false)
	l.APIServer.Restart(t, false)
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	waitStream(t, driver, "v1", 1)
	s := newStory(t, l, recorder, driver, "dropped")
	s.createPod()
	s.waitCondition(conditionHealthy)
	mark := l.Audit.Mark()
	s.live(nil)

	lab.Equal(t, "all fields of the pod", strings.Join(recorder.History(s.pod, lab.Field), "\n"), "")
	s.checkConditions()
	patches := s.requests(mark).Verb("patch").Code(http.StatusOK)
	lab.Equal(t, "patches for four changes", len(patches), len(lifeSteps))
	lab.Equal(t, "of them with the field", patches.Containing("allocatedResourcesStatus").String(), "")
	lab.Equal(t, "times the agent said that the field is dropped", agent.Said(saidDropped), 1)

	restarted := time.Now()
	l.APIServer.Restart(t, true)
	s.waitOurs(restarted)
	s.checkConditions()
}
