package scenario

import (
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

const (
	beat  = time.Second
	lease = 5 // seconds
	// patience is far above what anything should take, so that a slow machine does not fail a test.
	patience = 30 * time.Second
	// ticks is longer than two of the kubelet's, which come every 10 s.
	ticks = 25 * time.Second
)

// The agent's condition, as lab.Condition shows it.
const (
	conditionHealthy   = "True AllDevicesHealthy"
	conditionUnhealthy = "False DeviceUnhealthy"
	conditionUnknown   = "Unknown DeviceHealthUnknown"
)

// lifeConditions is what the condition says in the course of a story's life, and never anything else.
var lifeConditions = []string{conditionHealthy, conditionUnhealthy, conditionHealthy, conditionUnknown, conditionHealthy}

// story is one driver with one device, and one pod that uses it.
type story struct {
	t        *testing.T
	lab      *lab.Lab
	recorder *lab.Recorder
	driver   *lab.Driver
	pod      string
	claim    string // the ResourceClaim, which the pod calls gpu
	device   lab.Device
	start    lab.Mark // in the audit log before the pod
}

// newStory takes a watched driver over and lets it report its device as healthy.
func newStory(t *testing.T, l *lab.Lab, recorder *lab.Recorder, driver *lab.Driver, pod string) *story {
	s := &story{t: t, lab: l, recorder: recorder, driver: driver, pod: pod, claim: pod, start: l.Audit.Mark()}
	s.device = lab.Device{Pool: "pool", Device: "gpu-0", Health: "Healthy", Timeout: lease}
	driver.Report(t, s.device)
	return s
}

// createPod creates the pod and waits for its containers to run.
func (s *story) createPod(edit ...func(*corev1.PodSpec)) {
	s.lab.NewClaim(s.t, s.claim, lab.Allocation{Request: "gpu", Driver: s.driver.Name, Pool: s.device.Pool, Device: s.device.Device})
	s.lab.NewPod(s.t, s.pod, map[string]string{"gpu": s.claim}, edit...)
	s.lab.WaitRunning(s.t, s.pod)
}

// step is one change in the life of the device.
type step struct {
	what      string
	act       func(*story)
	health    string // the device's, from then on
	message   string // the driver's
	condition string
}

// lifeSteps follows on a healthy start: a failure, a recovery, silence beyond the lease, a return.
var lifeSteps = []step{
	{"the failure", func(s *story) { s.report("Unhealthy", "ECC error") }, "Unhealthy", "ECC error", conditionUnhealthy},
	{"the recovery", func(s *story) { s.report("Healthy", "") }, "Healthy", "", conditionHealthy},
	{"the expiry", func(s *story) { s.driver.Silence(s.t) }, "Unknown", "", conditionUnknown},
	{"the return", func(s *story) { s.driver.Resume(s.t) }, "Healthy", "", conditionHealthy},
}

func (s *story) report(health, message string) {
	s.device.Health, s.device.Message = health, message
	s.driver.Report(s.t, s.device)
}

// live goes through the life, waiting for the condition at each step and calling then, if given.
func (s *story) live(then func(step)) {
	s.waitCondition(conditionHealthy)
	for _, next := range lifeSteps {
		s.t.Logf("--- %s: %s", s.pod, next.what)
		next.act(s)
		s.waitCondition(next.condition)
		if c := lab.AgentCondition(s.recorder.Latest(s.pod)); !strings.Contains(c.Message, next.message) {
			s.t.Errorf("condition at %s: message %q does not tell %q", next.what, c.Message, next.message)
		}
		if then != nil {
			then(next)
		}
	}
}

func (s *story) waitCondition(want string) {
	s.recorder.WaitFor(s.t, s.pod, "condition", want, patience, lab.Condition)
}

// line is what field shows of the device.
func (s *story) line(health, message string) string {
	return strings.TrimSpace("main claim:gpu " + s.driver.Name + "/pool/gpu-0 " + health + " " + message)
}

// field is lab.Field without the agent's own words: all of them where a device is Unknown, and since when
// where it is Unhealthy.
func field(pod *corev1.Pod) string {
	return agentsWords.ReplaceAllString(lab.Field(pod), "$1")
}

var agentsWords = regexp.MustCompile(`(?m)( Unknown) .*$| \(since [-0-9T:Z]+\)$`)

// checkConditions fails when the condition has ever said anything else than the life.
func (s *story) checkConditions() {
	s.t.Helper()
	seen := withoutStart(s.recorder.History(s.pod, lab.Condition))
	lab.Equal(s.t, "all conditions of pod "+s.pod, seen, strings.Join(lifeConditions, "\n"))
}

// withoutStart joins a history, leaving out that there was nothing before the agent had seen the pod.
func withoutStart(seen []string) string {
	if len(seen) > 0 && seen[0] == "" {
		seen = seen[1:]
	}
	return strings.Join(seen, "\n")
}

// requests of the agent about the pod since a mark in the audit log.
func (s *story) requests(mark lab.Mark) lab.Requests {
	all := s.lab.Audit.Since(s.t, mark).For(s.pod)
	return append(all.By(lab.AgentUser), all.By(lab.AccountUser)...)
}

// waitStream waits until a driver is watched by so many, one of them through a version of the service.
func waitStream(t *testing.T, driver *lab.Driver, version string, watchers int) {
	t.Helper()
	lab.Wait(t, "watchers of driver "+driver.Name, patience, func() (bool, string) {
		open, methods := 0, ""
		for _, stream := range driver.Stats(t).Streams {
			if stream.Ended == nil {
				open++
				methods += stream.Method + " "
			}
		}
		return open == watchers && strings.Contains(methods, "/"+version+".DRAResourceHealth/"), methods
	})
}

func neverRestart(spec *corev1.PodSpec) { spec.RestartPolicy = corev1.RestartPolicyNever }

func phase(pod *corev1.Pod) string { return string(pod.Status.Phase) }
