package scenario

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// syncs is longer than a lease of 30 s and the minute and a half for which a kubelet may leave a pod alone.
const syncs = 150 * time.Second

// shown is one driver with one device, and one pod, without the agent. Where it is not what is tested, the
// pod calls its claim by the name of the ResourceClaim.
type shown struct {
	*story
	line string // of the field, up to the health
}

var shownCases = []struct {
	name  string
	cdi   bool
	check func(*shown)
}{
	{"under the first CDI ID, for plain containers only", true, (*shown).containers},
	{"claim of another name", false, (*shown).otherName},
	{"silent driver", false, (*shown).silence},
	{"driver killed", false, (*shown).killed},
	{"pod that fails", false, (*shown).failed},
}

// TestKubeletShows holds what docs/kubelet.md says of the kubelet's own reporting: gates on, no agent.
func TestKubeletShows(t *testing.T) {
	l := newLab(t, lab.Options{APIServerGate: true, KubeletGate: true})
	recorder := l.Record(t)
	drivers := make([]*lab.Driver, len(shownCases))
	for i, c := range shownCases {
		drivers[i] = l.StartDriver(t, lab.DriverOptions{
			Name: fmt.Sprintf("gpu-%d.example.com", i), V1: true, V1alpha1: true, CDI: c.cdi, Beat: beat,
		})
	}
	t.Run("cases", func(t *testing.T) { // ends when all of the parallel tests have
		for i, c := range shownCases {
			t.Run(c.name, func(t *testing.T) {
				t.Parallel()
				waitStream(t, drivers[i], kubeletsVersion(), 1)
				s := &shown{story: newStory(t, l, recorder, drivers[i], fmt.Sprintf("shown-%d", i))}
				s.line = fmt.Sprintf("main claim:%s %s/pool/gpu-0 ", s.pod, s.driver.Name)
				c.check(s)
			})
		}
	})
}

// create creates the pod under the claim's own name.
func (s *shown) create(edit ...func(*corev1.PodSpec)) {
	s.lab.NewClaim(s.t, s.claim, lab.Allocation{Request: "gpu", Driver: s.driver.Name, Pool: s.device.Pool, Device: s.device.Device})
	s.lab.NewPod(s.t, s.pod, map[string]string{s.claim: s.claim}, edit...)
	s.lab.WaitRunning(s.t, s.pod)
}

func (s *shown) wait(want string, patience time.Duration) time.Duration {
	s.t.Helper()
	return s.recorder.WaitFor(s.t, s.pod, "field", want, patience, lab.Field)
}

func (s *shown) containers() {
	s.create(func(spec *corev1.PodSpec) {
		always := corev1.ContainerRestartPolicyAlways
		side := lab.Container("side", corev1.ResourceClaim{Name: s.claim})
		side.RestartPolicy = &always
		spec.InitContainers = []corev1.Container{side}
	})
	line := fmt.Sprintf("main claim:%s %s/gpu=gpu-0 ", s.pod, s.driver.Name)
	s.wait(line+"Healthy", patience)
	s.report("Unhealthy", "ECC error")
	s.wait(line+kubeletSays("Unhealthy", "ECC error"), patience)
}

// otherName: a 1.34 kubelet shows nothing, although it has heard of the device.
func (s *shown) otherName() {
	s.createPod()
	line := "main claim:gpu " + s.driver.Name + "/pool/gpu-0 "
	if olderKubelet == "" {
		s.wait(line+"Healthy", patience)
		return
	}
	s.report("Unhealthy", "ECC error")
	lab.Hold(s.t, "nothing is shown", ticks, 100*time.Millisecond, func() error {
		if got := lab.Field(s.recorder.Latest(s.pod)); got != "" {
			return fmt.Errorf("%q", got)
		}
		return nil
	})
}

// silence: the end of a lease is noticed when the pod is synced for another reason, or once a minute or so. A
// 1.34 kubelet does not know the driver's timeout: its own is 30 s.
func (s *shown) silence() {
	s.create()
	s.wait(s.line+"Healthy", patience)
	s.driver.Silence(s.t)
	streams := s.driver.Stats(s.t).Streams
	last := streams[len(streams)-1].Last
	s.wait(s.line+"Unknown", syncs)
	after := time.Since(last)
	s.t.Logf("Unknown %.1f s after the last report, whose timeout is %d s", after.Seconds(), lease)
	least := lease * time.Second
	if olderKubelet != "" {
		least = 30 * time.Second
	}
	if after < least {
		s.t.Errorf("Unknown %v after the last report, before %v", after, least)
	}
}

// killed: all health of the driver is forgotten at once, and learned again with its first report.
func (s *shown) killed() {
	s.create()
	s.wait(s.line+"Healthy", patience)
	s.driver.Kill()
	s.t.Logf("Unknown %.1f s after the driver was killed", s.wait(s.line+"Unknown", syncs).Seconds())
	s.driver.Start(s.t)
	s.report("Healthy", "")
	s.t.Logf("Healthy %.1f s after it reported again", s.wait(s.line+"Healthy", patience).Seconds())
}

// failed: the health of the device is gone from the pod at the moment when it is asked for.
func (s *shown) failed() {
	s.report("Unhealthy", "ECC error")
	s.create(neverRestart)
	s.wait(s.line+kubeletSays("Unhealthy", "ECC error"), patience)
	s.lab.CRI.Exit(s.t, s.pod, "main", 1)
	s.recorder.WaitFor(s.t, s.pod, "phase", string(corev1.PodFailed), patience, phase)
	s.wait("", patience)
}
