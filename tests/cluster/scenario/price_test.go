package scenario

import (
	"fmt"
	"time"

	"dra-health-agent.test/cluster/lab"
)

const heldPods = 20

// heldPrice counts what holding costs: a kubelet whose gate is off tries to remove the field at each tick of
// 10 s, with a GET and a PATCH that changes nothing. A pod that is not held costs nothing.
func heldPrice(s *story) {
	const free = "held-not"
	s.lab.NewPod(s.t, free, nil)
	s.lab.WaitRunning(s.t, free)
	names := s.manyPods(heldPods)
	versions := make([]map[string]bool, len(names))
	for i := range versions {
		versions[i] = map[string]bool{}
	}
	mark := s.lab.Audit.Mark()
	lab.Hold(s.t, fmt.Sprintf("%d pods held", heldPods), time.Minute, time.Second, func() error {
		for i, name := range names {
			pod := s.recorder.Latest(name)
			if got, want := field(pod), s.line("Healthy", ""); got != want {
				return fmt.Errorf("pod %s: %s", name, got)
			}
			versions[i][pod.ResourceVersion] = true
			if len(versions[i]) > 2 { // as in holdStill
				return fmt.Errorf("pod %s was written again and again: resource versions %v", name, versions[i])
			}
		}
		return nil
	})
	requests := s.lab.Audit.Since(s.t, mark)
	kubelets := requests.By(s.lab.KubeletUser())
	gets, patches := 0, 0
	for _, name := range names {
		gets += len(kubelets.For(name).On("pods").Verb("get"))
		patches += len(kubelets.For(name).On("pods/status").Verb("patch"))
		lab.Equal(s.t, "requests of the agent about pod "+name, requests.By(lab.AgentUser).For(name).String(), "")
	}
	s.t.Logf("price of %d held pods in 60 s: %d GET and %d PATCH of the kubelet", heldPods, gets, patches)
	const ticksInMinute = 6
	for what, count := range map[string]int{"GET": gets, "PATCH": patches} {
		if low, high := heldPods*(ticksInMinute-1), heldPods*(ticksInMinute+1); count < low || count > high {
			s.t.Errorf("%s of the kubelet for %d held pods in 60 s: %d, expected %d to %d", what, heldPods, count, low, high)
		}
	}
	lab.Equal(s.t, "requests of the kubelet about a pod that is not held", kubelets.For(free).String(), "")
}

// manyPods creates pods that all share the story's device, and waits until each shows it.
func (s *story) manyPods(count int) []string {
	s.lab.NewClaim(s.t, s.claim, lab.Allocation{Request: "gpu", Driver: s.driver.Name, Pool: s.device.Pool, Device: s.device.Device})
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", s.pod, i)
		s.lab.NewPod(s.t, names[i], map[string]string{"gpu": s.claim})
	}
	lab.Wait(s.t, fmt.Sprintf("%d pods to show their device", count), 2*patience, func() (bool, string) {
		shown := 0
		for _, name := range names {
			pod := s.recorder.Latest(name)
			if pod != nil && field(pod) == s.line("Healthy", "") && pod.Status.ContainerStatuses[0].Ready {
				shown++
			}
		}
		return shown == count, fmt.Sprintf("%d do", shown)
	})
	return names
}
