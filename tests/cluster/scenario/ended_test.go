package scenario

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// heldPastEnd: a pod fails while its device is Unhealthy, and goes on saying so.
func heldPastEnd(s *story) {
	s.report("Unhealthy", "ECC error")
	s.createPod(neverRestart)
	want := s.line("Unhealthy", "ECC error")
	s.recorder.WaitFor(s.t, s.pod, "field", want, patience, field)
	s.lab.CRI.Exit(s.t, s.pod, "main", 1)
	s.recorder.WaitFor(s.t, s.pod, "phase", string(corev1.PodFailed), patience, phase)
	lab.Hold(s.t, "field of the failed pod", ticks, 100*time.Millisecond, func() error {
		if got := field(s.recorder.Latest(s.pod)); got != want {
			return fmt.Errorf("%q", got)
		}
		return nil
	})
}

func neverRestart(spec *corev1.PodSpec) { spec.RestartPolicy = corev1.RestartPolicyNever }

func phase(pod *corev1.Pod) string { return string(pod.Status.Phase) }
