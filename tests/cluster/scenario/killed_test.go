package scenario

import (
	"net/http"
	"os"
	"strconv"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// How often the agent is killed, unless KILLS says otherwise, and how long it lives and is dead at most.
const (
	usualKills   = 200
	longestLife  = 800 * time.Millisecond
	longestDeath = 200 * time.Millisecond
)

// longLease is one that does not end while a test runs; its drivers send heartbeats.
const longLease = 60 * time.Second

// testKilled: the agent dies by SIGKILL at any moment, again and again, while devices fail and recover. Some deaths
// are by chance between the store and the API server, some before the first report. What drivers noted, the audit
// log, the pods' versions and the store must tell one story.
func testKilled(t *testing.T, l *lab.Lab, program string) {
	kills, seed := fromEnvironment(t, "KILLS", usualKills), fromEnvironment(t, "SEED", int(time.Now().UnixNano()))
	t.Logf("%d kills, SEED=%d", kills, seed)
	recorder := l.Record(t)
	w := newUnrest(t, l, "killed", uint64(seed))
	start := l.Audit.Mark()
	agent := l.StartAgent(t, program)
	w.waitAgreement(recorder)
	recorder.Forget()

	began := time.Now()
	for range kills {
		w.stir(time.Duration(w.chance.Int64N(int64(longestLife))))
		agent.Kill()
		if w.chance.IntN(2) == 0 {
			w.stir(time.Duration(w.chance.Int64N(int64(longestDeath)))) // missed, unless it is still so afterwards
		}
		agent.Start(t)
	}
	t.Logf("%d kills and %d changes in %.1f s", kills, w.last, time.Since(began).Seconds())
	w.turnAll() // so that the last agent has to speak
	w.waitAgreement(recorder)

	h := judgeAll(t, l, recorder, w, agent, start)
	if accepted := l.Audit.Since(t, start).By(lab.AgentUser).Verb("patch").Code(http.StatusOK); len(accepted) < kills/2 || len(h.stored) < kills/2 {
		t.Errorf("the agent hardly lived: nothing was tested")
	}
}

// judgeAll lets all witnesses of an unrest be heard, the requests since a mark.
func judgeAll(t *testing.T, l *lab.Lab, recorder *lab.Recorder, w *unrest, agent *lab.Agent, start lab.Mark) history {
	t.Helper()
	h := history{stored: stored(t, agent)}
	for _, driver := range w.drivers {
		h.reported = append(h.reported, reported(t, driver)...)
		checkNoPause(t, driver, longLease)
	}
	for _, request := range l.Audit.Since(t, start).By(lab.AgentUser).Verb("patch") {
		if request.Body == "" && request.Code != http.StatusOK {
			t.Logf("died while it sent: %s", request) // the API server got half a body
			continue
		}
		h.sent = append(h.sent, patched(t, request))
	}
	for _, pod := range w.pods {
		for _, version := range recorder.Versions(pod) {
			h.shown = append(h.shown, publicationOf(version))
		}
	}
	for _, wrong := range h.judge() {
		t.Error(wrong)
	}
	t.Logf("%d reported, %d patches sent, %d versions of pods, %d transitions stored",
		len(h.reported), len(h.sent), len(h.shown), len(h.stored))
	w.checkStore(agent, h.stored)
	return h
}

func fromEnvironment(t *testing.T, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return value
}

// checkNoPause: a driver that was heard by nobody for a lease would be a reason for Unknown.
func checkNoPause(t *testing.T, driver *lab.Driver, lease time.Duration) {
	t.Helper()
	sent := driver.Sent(t)
	for i := 1; i < len(sent); i++ {
		if pause := sent[i].At.Sub(sent[i-1].At); pause > lease/2 {
			t.Errorf("driver %s was not heard for %v", driver.Name, pause)
		}
	}
}
