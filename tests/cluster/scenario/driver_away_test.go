package scenario

import (
	"strings"
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// waysToEnd a driver: asked to, it removes its sockets; a crash leaves them.
var waysToEnd = []struct {
	name string
	end  func(*testing.T, *lab.Driver)
}{
	{"stopped", func(t *testing.T, d *lab.Driver) {
		if err := d.Stop(); err != nil {
			t.Fatal(err)
		}
	}},
	{"killed", func(_ *testing.T, d *lab.Driver) { d.Kill() }},
}

// testDriverRestarts: a driver that is back before its lease has ended is no news.
func testDriverRestarts(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	s := newSettled(t, l, recorder, driver, "driver-restarts", int(longLease.Seconds()))
	for _, way := range waysToEnd {
		checkUnchanged(t, l, recorder, s.pod, func() {
			way.end(t, driver)
			driver.Start(t)
			driver.Report(t, s.device)
			waitEndpoint(t, agent, driver.Name, driver.Name)
			waitSent(t, driver, 2)
		})
	}
	lab.Equal(t, "transitions", turns(stored(t, agent)), "Unknown -> Healthy, Healthy -> Unhealthy")
	s.report("Healthy", "")
	s.waitCondition(conditionHealthy)
}

// newSettled is a story of a device with a lease of so many seconds that has failed, which its pod says.
func newSettled(t *testing.T, l *lab.Lab, recorder *lab.Recorder, driver *lab.Driver, pod string, lease int) *story {
	t.Helper()
	s := newStory(t, l, recorder, driver, pod)
	s.device.Timeout = lease
	s.report("Healthy", "")
	s.createPod()
	s.waitCondition(conditionHealthy)
	s.report("Unhealthy", "ECC error")
	s.recorder.WaitFor(t, pod, "field", s.line("Unhealthy", "ECC error"), patience, field)
	return s
}

// turns is the healths of transitions.
func turns(transitions []transition) string {
	var all []string
	for _, t := range transitions {
		all = append(all, t.From+" -> "+t.To)
	}
	return strings.Join(all, ", ")
}

// testDriverRolls: in a rolling update two instances of a driver serve at once. The new one is believed as soon as it
// has reported, whatever the old one still says, and the pod shows nothing of it.
func testDriverRolls(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	options := lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat, Instance: "old"}
	old := l.StartDriver(t, options)
	agent := l.StartAgent(t, program)
	s := newSettled(t, l, recorder, old, "driver-rolls", int(longLease.Seconds()))
	options.Instance = "new"
	checkUnchanged(t, l, recorder, s.pod, func() {
		s.driver = l.StartDriver(t, options)
		waitStream(t, s.driver, "v1", 1)
		waitSent(t, old, 2) // the new one has not said anything yet
		waitEndpoint(t, agent, old.Name, "old")
		s.driver.Report(t, s.device)
		waitEndpoint(t, agent, old.Name, "new")
		outdated := s.device
		outdated.Health, outdated.Message = "Healthy", "outdated"
		old.Report(t, outdated)
		waitSent(t, old, 2)
		if err := old.Stop(); err != nil {
			t.Fatal(err)
		}
		waitSent(t, s.driver, 2)
	})
	lab.Equal(t, "transitions", turns(stored(t, agent)), "Unknown -> Healthy, Healthy -> Unhealthy")
	s.report("Healthy", "")
	s.waitCondition(conditionHealthy)
	l.DeletePod(t, s.pod) // while its driver runs: the kubelet needs it
}

// testDriverAway: a driver that is away for longer than its lease makes its device Unknown once, and its return makes
// it what it was once.
func testDriverAway(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	agent := l.StartAgent(t, program)
	s := newSettled(t, l, recorder, driver, "driver-away", lease)
	want := turns(stored(t, agent))
	for _, way := range waysToEnd {
		recorder.Forget()
		mark := l.Audit.Mark()
		way.end(t, driver)
		s.waitCondition(conditionUnknown)
		t.Logf("%s: %s", way.name, lab.Field(recorder.Latest(s.pod)))
		driver.Start(t)
		driver.Report(t, s.device)
		s.waitCondition(conditionUnhealthy)
		waitSent(t, driver, 2)
		seen := strings.Join(recorder.History(s.pod, lab.Condition), ", ")
		lab.Equal(t, "conditions", seen, strings.Join([]string{conditionUnhealthy, conditionUnknown, conditionUnhealthy}, ", "))
		want += ", Unhealthy -> Unknown, Unknown -> Unhealthy"
		lab.Equal(t, "transitions", turns(stored(t, agent)), want)
		lab.Equal(t, "patches", len(s.requests(mark).Verb("patch")), 2)
	}
}
