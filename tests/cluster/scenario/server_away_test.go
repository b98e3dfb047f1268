package scenario

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// outage is how long the API server is gone.
const outage = 150 * time.Second

// quiet is how long nothing more must be asked for afterwards.
const quiet = 15 * time.Second

// testServerAway: devices change all the time while there is no API server. When it is back each pod says the newest
// state, in one step and with one patch, and that is all.
func testServerAway(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	w := newUnrest(t, l, "server-away", 1)
	start := l.Audit.Mark()
	agent := l.StartAgent(t, program)
	w.waitAgreement(recorder)
	recorder.Forget()
	before := map[string]string{}
	for _, pod := range w.pods {
		before[pod] = says(recorder.Latest(pod))
	}

	mark, complaints := l.Audit.Mark(), complaintsOf(agent)
	l.APIServer.Kill()
	w.stir(outage)
	if logged := complaintsOf(agent) - complaints; logged < 1 || logged > 10 {
		t.Errorf("%d warnings and errors logged without API server", logged)
	}
	w.turnAll() // so that each pod has news
	l.APIServer.Start(t, true)
	w.waitAgreement(recorder)
	waitWatched(t, l, mark)

	// A server that has restarted may say on the first watch that it has forgotten where that was: one list more.
	settled := l.Audit.Mark()
	lab.Hold(t, "no more requests", quiet, time.Second, func() error {
		if more := l.Audit.Since(t, settled).By(lab.AgentUser).Not("watch").Not("list"); len(more) > 0 {
			return fmt.Errorf("%s", more)
		}
		return nil
	})
	requests := l.Audit.Since(t, mark).By(lab.AgentUser)
	for _, pod := range w.pods {
		want := before[pod] + then + says(recorder.Latest(pod))
		lab.Equal(t, "all that pod "+pod+" said", strings.Join(recorder.History(pod, says), then), want)
		lab.Equal(t, "accepted patches of pod "+pod, len(requests.Verb("patch").For(pod).Code(http.StatusOK)), 1)
	}
	if lists := requests.Verb("list"); len(lists) > 2 {
		t.Errorf("listed again and again: %s", lists)
	}
	t.Logf("requests of the agent since:\n%s", requests)
	if most := len(w.pods) + 10; len(requests) > most { // and some that a server which is starting refuses
		t.Errorf("%d requests, at most %d expected", len(requests), most)
	}
	judgeAll(t, l, recorder, w, agent, start)
}

// complaintsOf counts the warnings and errors in an agent's log.
func complaintsOf(agent *lab.Agent) int {
	return strings.Count(agent.Log(), "Z warning ") + strings.Count(agent.Log(), "Z error ")
}

// testServerRestarts: an API server that is back with the same pods is no news.
func testServerRestarts(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	l.StartAgent(t, program)
	s := newSettled(t, l, recorder, driver, "server-restarts", int(longLease.Seconds()))
	checkUnchanged(t, l, recorder, s.pod, func() {
		mark := l.Audit.Mark()
		l.APIServer.Restart(t, true)
		waitWatched(t, l, mark)
		waitSent(t, driver, 2)
	})
	s.report("Healthy", "")
	s.waitCondition(conditionHealthy)
}

// waitWatched waits until the agent watches pods again.
func waitWatched(t *testing.T, l *lab.Lab, since lab.Mark) {
	t.Helper()
	lab.Wait(t, "the agent to watch pods again", patience, func() (bool, string) {
		requests := l.Audit.Since(t, since).By(lab.AgentUser)
		return len(requests.Verb("watch").Code(http.StatusOK)) > 0, requests.String()
	})
}
