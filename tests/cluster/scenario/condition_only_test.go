package scenario

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"

	"dra-health-agent.test/cluster/lab"
)

// testConditionOnly runs the agent with the arguments that the overlay gives it: the condition follows the device, and
// the field, which the guard would hold, is never written.
func testConditionOnly(t *testing.T, l *lab.Lab, program string) {
	daemons := &appsv1.DaemonSet{}
	lab.Render(t, conditionOnly).Typed(t, "DaemonSet", daemons)
	args := daemons.Spec.Template.Spec.Containers[0].Args
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, Beat: beat})
	l.StartAgentAs(t, program, l.TokenKubeconfig(t, "condition-only", l.PodToken(t, l.Node)), args[1:]...)
	waitStream(t, driver, "v1", 1)
	s := newStory(t, l, recorder, driver, "condition-only")
	s.createPod()
	s.live(nil)
	s.checkConditions()
	lab.Equal(t, "all fields of the pod", strings.Join(recorder.History(s.pod, lab.Field), "\n"), "")
}
