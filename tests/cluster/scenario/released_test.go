package scenario

import (
	"context"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"dra-health-agent.test/cluster/lab"
)

// testReleased: the agent dies for good, the guard keeps what it said last, and an operator gives the pods back:
// those of the node with the agent's own account, then all, and the guard first, as an administrator.
func testReleased(t *testing.T, l *lab.Lab, program string) {
	l.Kubelet.SetGate(t, false)
	guard := lab.Render(t, guardManifests)
	l.Apply(t, guard)
	l.WaitGuard(t, true)
	guarded := true
	t.Cleanup(func() {
		if guarded { // the test failed before
			l.Remove(t, guard)
		}
	})
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	waitStream(t, driver, "v1", 1)
	s := newStory(t, l, recorder, driver, "released")
	s.createPod()
	s.waitCondition(conditionHealthy)
	s.report("Unhealthy", "ECC error")
	unhealthy := s.line("Unhealthy", "ECC error")
	recorder.WaitFor(t, s.pod, "field", unhealthy, patience, field)

	node := []string{"--node-name", l.Node, "--kubeconfig", l.Kubeconfig(lab.AgentUser), "--store", agent.Store}
	if said, err := release(program, node...); err == nil || !strings.Contains(said, "stop it first") {
		t.Errorf("release beside a running agent: %v, %s", err, said)
	}

	agent.Kill()
	s.report("Healthy", "") // nobody tells the pod any more
	lab.Hold(t, "the last word of a dead agent", ticks, time.Second, func() error {
		if shown := lab.Field(l.GetPod(t, s.pod)); !strings.HasPrefix(shown, unhealthy+" (since ") {
			t.Fatalf("the field says %q, without since when it was so", shown)
		}
		return nil
	})
	s.release(program, node...)
	s.waitGivenBack()

	agent.Start(t)
	s.waitCondition(conditionHealthy)
	agent.Kill()
	s.release(program, "--all-nodes", "--kubeconfig", l.Kubeconfig(lab.AdminUser))
	guarded = false
	l.WaitGuard(t, false)
	policies := l.Client.AdmissionregistrationV1().MutatingAdmissionPolicies()
	if _, err := policies.Get(context.Background(), "dra-health-agent-guard", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the guard's policy is still there: %v", err)
	}
	s.waitGivenBack()
}

func release(program string, args ...string) (string, error) {
	said, err := exec.Command(program, append([]string{"release"}, args...)...).CombinedOutput()
	return string(said), err
}

// release gives the pod back. That is one patch, after which neither condition nor entries are there.
func (s *story) release(program string, args ...string) {
	s.t.Helper()
	said, err := release(program, args...)
	s.t.Logf("release: %s", said)
	if err != nil || !strings.Contains(said, "released "+lab.Namespace+"/"+s.pod) {
		s.t.Fatalf("release: %v, %s", err, said)
	}
}

// waitGivenBack waits until the pod carries neither the agent's condition nor an entry.
func (s *story) waitGivenBack() {
	s.t.Helper()
	s.recorder.WaitFor(s.t, s.pod, "condition and field", "", patience, func(pod *corev1.Pod) string {
		return lab.Condition(pod) + lab.Field(pod)
	})
}
