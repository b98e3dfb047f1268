package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// testKubeletAway: a kubelet that restarts changes nothing of what pods say, and while it is gone they are told what
// is new all the same.
func testKubeletAway(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	s := newSettled(t, l, recorder, driver, "kubelet-away", int(longLease.Seconds()))
	checkUnchanged(t, l, recorder, s.pod, func() {
		l.Kubelet.Restart(t, false)
		waitTick(t, l, s.pod)
	})

	if err := l.Kubelet.Stop(); err != nil {
		t.Logf("%v", err)
	}
	s.report("Healthy", "")
	s.recorder.WaitFor(t, s.pod, "field", s.line("Healthy", ""), patience, field)
	checkUnchanged(t, l, recorder, s.pod, func() {
		l.Kubelet.Start(t, false)
		waitTick(t, l, s.pod)
		waitSent(t, driver, 2)
	})
	lab.Equal(t, "transitions", turns(stored(t, agent)), "Unknown -> Healthy, Healthy -> Unhealthy, Unhealthy -> Healthy")
}

// waitTick waits until the kubelet has tried twice to remove the field.
func waitTick(t *testing.T, l *lab.Lab, pod string) {
	t.Helper()
	mark := l.Audit.Mark()
	lab.Wait(t, "the kubelet to write the status of pod "+pod+" twice", patience+ticks, func() (bool, string) {
		patches := l.Audit.Since(t, mark).By(l.KubeletUser()).Verb("patch").For(pod)
		return len(patches) >= 2, patches.String()
	})
}
