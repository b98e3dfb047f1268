package scenario

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// testFailedPod: a pod fails while its device is Unhealthy. It goes on saying so, and when it is deleted the store
// still tells what it had.
func testFailedPod(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	s := newStory(t, l, recorder, driver, "failed")
	s.createPod(neverRestart)
	s.waitCondition(conditionHealthy)
	s.report("Unhealthy", "ECC error")
	s.recorder.WaitFor(t, s.pod, "field", s.line("Unhealthy", "ECC error"), patience, field)

	checkUnchanged(t, l, recorder, s.pod, func() {
		l.CRI.Exit(t, s.pod, "main", 1)
		recorder.WaitFor(t, s.pod, "phase", "Failed", patience, phase)
		lab.Hold(t, "a failed pod's last word", ticks, time.Second, func() error {
			if pod := l.GetPod(t, s.pod); lab.Condition(pod) != conditionUnhealthy || field(pod) != s.line("Unhealthy", "ECC error") {
				return fmt.Errorf("it says %s", says(pod))
			}
			return nil
		})
		s.report("Healthy", "") // the device recovers, but not for this pod
		lab.Wait(t, "the recovery in the store", patience, func() (bool, string) {
			now := turns(stored(t, agent))
			return now == "Unknown -> Healthy, Healthy -> Unhealthy, Unhealthy -> Healthy", now
		})
		waitSent(t, driver, 2)
	})

	uid := string(recorder.Latest(s.pod).UID)
	l.DeletePod(t, s.pod)
	pod := waitDeleted(t, agent, s.pod)
	lab.Equal(t, "the pod in the store", fmt.Sprint(pod.Namespace, "/", pod.Name, " ", pod.Condition, " ", pod.Ended != nil), lab.Namespace+"/failed Unhealthy true")
	if len(pod.Allocations) != 1 || pod.Allocations[0].Device != s.device.Device || pod.Allocations[0].To == nil {
		t.Errorf("allocations of the pod in the store: %+v", pod.Allocations)
	}
	for _, name := range []string{s.pod, lab.Namespace + "/" + s.pod, uid} {
		found := stored(t, agent, "--pod", name)
		if !slices.ContainsFunc(found, func(t transition) bool { return t.To == "Unhealthy" && t.Message == "ECC error" }) {
			t.Errorf("cache transitions --pod %s: %v", name, found)
		}
	}
	lab.Equal(t, "transitions of a pod that never was", len(stored(t, agent, "--pod", "other")), 0)
}

// storedPod is a row of `cache pods`.
type storedPod struct {
	UID, Namespace, Name, Condition string
	Ended, Deleted                  *time.Time
	Allocations                     []struct {
		Device string
		To     *time.Time
	}
}

// waitDeleted waits until the store has a pod as deleted.
func waitDeleted(t *testing.T, agent *lab.Agent, name string) storedPod {
	t.Helper()
	var pods []storedPod
	lab.Wait(t, "pod "+name+" to be deleted in the store", patience, func() (bool, string) {
		pods = nil
		agent.Cache(t, "pods", &pods, "--pod", name)
		return len(pods) == 1 && pods[0].Deleted != nil, fmt.Sprintf("%+v", pods)
	})
	return pods[0]
}
