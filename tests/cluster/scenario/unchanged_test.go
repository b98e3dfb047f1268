package scenario

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// says is all that the agent says on a pod, to the letter.
func says(pod *corev1.Pod) string {
	text := lab.Field(pod)
	if c := lab.AgentCondition(pod); c != nil {
		text += fmt.Sprintf("\n%s %s %q %v", c.Status, c.Reason, c.Message, c.LastTransitionTime)
	}
	return text
}

// then stands between what a pod said and what it said next.
const then = "\n--- then\n"

// checkUnchanged: whatever happens, no version of the pod says anything else than before, and the agent does not even
// try to write it.
func checkUnchanged(t *testing.T, l *lab.Lab, recorder *lab.Recorder, pod string, happens func()) {
	t.Helper()
	recorder.Forget()
	before, mark := says(recorder.Latest(pod)), l.Audit.Mark()
	happens()
	lab.Equal(t, "all that pod "+pod+" said", strings.Join(recorder.History(pod, says), then), before)
	patches := l.Audit.Since(t, mark).By(lab.AgentUser).Verb("patch").For(pod)
	lab.Equal(t, "patches of pod "+pod, patches.String(), "")
}

// waitSent waits until a driver has sent so many more reports on its newest stream.
func waitSent(t *testing.T, driver *lab.Driver, reports int) {
	t.Helper()
	newest := func() (stream, sent int) {
		streams := driver.Stats(t).Streams
		if len(streams) == 0 {
			return 0, 0
		}
		return len(streams), streams[len(streams)-1].Sent
	}
	start, before := newest()
	lab.Wait(t, fmt.Sprintf("%d more reports of driver %s", reports, driver.Name), patience, func() (bool, string) {
		stream, sent := newest()
		if stream != start {
			start, before = stream, 0
		}
		return sent >= before+reports, fmt.Sprintf("%d on stream %d", sent-before, stream)
	})
}

// waitEndpoint waits until the agent takes a driver's word from an endpoint of this name.
func waitEndpoint(t *testing.T, agent *lab.Agent, driver, name string) {
	t.Helper()
	lab.Wait(t, "driver "+driver+" to be heard at "+name, patience, func() (bool, string) {
		var drivers []struct{ Name, State, Endpoint string }
		agent.Cache(t, "drivers", &drivers)
		for _, d := range drivers {
			if d.Name == driver {
				return d.State == "Streaming" && strings.Contains(d.Endpoint, name), d.State + " " + d.Endpoint
			}
		}
		return false, "no such driver"
	})
}
