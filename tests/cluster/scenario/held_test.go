package scenario

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/diff"

	"dra-health-agent.test/cluster/lab"
)

// heldCases are the combinations with the guard, each with a driver of its own.
var heldCases = []struct {
	name         string
	v1, v1alpha1 bool
	version      string // that the agent shall choose
	check        func(*story)
}{
	{"driver v1 and v1alpha1", true, true, "v1", heldLife},
	{"driver v1 only", true, false, "v1", heldLife},
	{"driver v1alpha1 only", false, true, "v1alpha1", heldLife},
	{"two containers and a sidecar", true, true, "v1", heldContainers},
	{"price", true, true, "v1", heldPrice},
}

// testHeld: the kubelet's gate is off, the guard holds what the agent writes. One agent and drivers of
// every kind of health service side by side.
func testHeld(t *testing.T, l *lab.Lab, program string) {
	l.Kubelet.SetGate(t, false)
	l.ApplyGuard(t, guardManifests)
	recorder := l.Record(t)
	drivers := make([]*lab.Driver, len(heldCases))
	for i, c := range heldCases {
		drivers[i] = l.StartDriver(t, lab.DriverOptions{
			Name: fmt.Sprintf("gpu-%d.example.com", i), V1: c.v1, V1alpha1: c.v1alpha1, Beat: beat,
		})
	}
	l.StartAgent(t, program)
	t.Run("drivers", func(t *testing.T) { // ends when all of the parallel tests have
		for i, c := range heldCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				waitStream(t, drivers[i], c.version, 1)
				c.check(newStory(t, l, recorder, drivers[i], fmt.Sprintf("held-%d", i)))
				lab.Equal(t, "streams that the driver ever saw", len(drivers[i].Stats(t).Streams), 1)
			})
		}
	})
}

// heldLife: the field follows the device, with the condition, in one patch for each change; it never
// blinks; and when nothing happens nothing is sent.
func heldLife(s *story) {
	s.createPod()
	s.recorder.WaitFor(s.t, s.pod, "field", s.line("Healthy", ""), patience, field)
	s.waitCondition(conditionHealthy)
	published := s.lab.Audit.Mark()
	want := []string{s.line("Healthy", "")}
	s.live(func(next step) {
		want = append(want, s.line(next.health, next.message))
		s.recorder.WaitFor(s.t, s.pod, "field", s.line(next.health, next.message), patience, field)
	})
	holdStill(s.t, s.lab, s.recorder, s.pod)
	sent := s.requests(published)
	patches := sent.Verb("patch").On("pods/status")
	lab.Equal(s.t, "patches for four changes", len(patches.Code(http.StatusOK)), len(lifeSteps))
	// A pod that has just started is still being written by the kubelet: a patch that meets its write is
	// refused by its own tests, and the agent reads the pod once.
	stale := len(patches.Code(http.StatusUnprocessableEntity))
	if others := sent.Not("patch"); len(patches) != len(lifeSteps)+stale || len(others) > stale {
		s.t.Errorf("more requests about the pod than are needed:\n%s", sent)
	}
	s.checkConditions()
	lab.Equal(s.t, "all fields of the pod", withoutStart(s.recorder.History(s.pod, field)), strings.Join(want, "\n"))
}

// sorted is a pod's status with its conditions in order: a kubelet's patch moves those of others to the front.
func sorted(pod *corev1.Pod) corev1.PodStatus {
	status := pod.Status.DeepCopy()
	slices.SortFunc(status.Conditions, func(a, b corev1.PodCondition) int { return cmp.Compare(a.Type, b.Type) })
	return *status
}

// holdStill: for more than two ticks of the kubelet the pod's status is the same in every poll, and the agent
// asks for nothing. The first tick after a write of the agent's makes the kubelet a manager of the container
// statuses in metadata.managedFields, which is one new resource version; later ticks write nothing.
func holdStill(t *testing.T, l *lab.Lab, recorder *lab.Recorder, pod string) {
	t.Helper()
	before, mark := recorder.Latest(pod), l.Audit.Mark()
	versions := map[string]bool{before.ResourceVersion: true}
	lab.Hold(t, "pod "+pod+" unchanged", ticks, 100*time.Millisecond, func() error {
		now := l.GetPod(t, pod)
		if was, is := sorted(before), sorted(now); !equality.Semantic.DeepEqual(was, is) {
			return fmt.Errorf("status differs: %s", diff.Diff(was, is))
		}
		versions[now.ResourceVersion] = true
		if len(versions) > 2 {
			return fmt.Errorf("written again and again: resource versions %v", versions)
		}
		return nil
	})
	requests := l.Audit.Since(t, mark)
	lab.Equal(t, "requests of the agent about the pod meanwhile", requests.By(lab.AgentUser).For(pod).String(), "")
	if kubelet := requests.By(l.KubeletUser()).Verb("patch").For(pod); len(kubelet) < 2 {
		t.Errorf("the kubelet has tried to remove the field %d times only: nothing was tested", len(kubelet))
	}
}

// heldContainers: a claim used whole by a sidecar and request by request by two containers.
func heldContainers(s *story) {
	t, l, recorder, driver, pod := s.t, s.lab, s.recorder, s.driver, s.pod
	devices := []lab.Device{
		{Pool: "pool", Device: "gpu-a", Health: "Healthy", Timeout: lease},
		{Pool: "pool", Device: "gpu-b", Health: "Healthy", Timeout: lease},
	}
	driver.Report(t, devices...)
	l.NewClaim(t, pod,
		lab.Allocation{Request: "a", Driver: driver.Name, Pool: "pool", Device: "gpu-a"},
		lab.Allocation{Request: "b", Driver: driver.Name, Pool: "pool", Device: "gpu-b"})
	l.NewPod(t, pod, map[string]string{"gpu": pod}, twoContainersAndSidecar)
	l.WaitRunning(t, pod)
	lines := func(a, b string) string {
		a, b = driver.Name+"/pool/gpu-a "+a, driver.Name+"/pool/gpu-b "+b
		return strings.Join([]string{"one claim:gpu/a " + a, "side claim:gpu " + a, "side claim:gpu " + b, "two claim:gpu/b " + b}, "\n")
	}
	recorder.WaitFor(t, pod, "field", lines("Healthy", "Healthy"), patience, field)
	recorder.WaitFor(t, pod, "condition", conditionHealthy, patience, lab.Condition)
	devices[1].Health, devices[1].Message = "Unhealthy", "link down"
	driver.Report(t, devices[1])
	recorder.WaitFor(t, pod, "field", lines("Healthy", "Unhealthy link down"), patience, field)
	recorder.WaitFor(t, pod, "condition", conditionUnhealthy, patience, lab.Condition)
	holdStill(t, l, recorder, pod)
}

func twoContainersAndSidecar(spec *corev1.PodSpec) {
	always := corev1.ContainerRestartPolicyAlways
	side := lab.Container("side", corev1.ResourceClaim{Name: "gpu"})
	side.RestartPolicy = &always
	spec.InitContainers = []corev1.Container{side}
	spec.Containers = []corev1.Container{
		lab.Container("one", corev1.ResourceClaim{Name: "gpu", Request: "a"}),
		lab.Container("two", corev1.ResourceClaim{Name: "gpu", Request: "b"}),
	}
}
