package lab

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Agent is the program under test, with a store of its own.
type Agent struct {
	*Process
	Store   string
	lab     *Lab
	program string
}

// StartAgent runs the agent on the lab's node, with a new store and a new log. It ends with the TB, which
// fails when the agent does not end as it should.
func (l *Lab) StartAgent(t TB, program string, args ...string) *Agent {
	t.Helper()
	return l.StartAgentAs(t, program, l.Kubeconfig(AgentUser), args...)
}

// StartAgentAs does the same with the credentials of a kubeconfig file.
func (l *Lab) StartAgentAs(t TB, program, kubeconfig string, args ...string) *Agent {
	t.Helper()
	l.agents++
	name := fmt.Sprintf("agent-%d", l.agents)
	a := &Agent{lab: l, program: program, Store: l.path("run", name, "health.db")}
	a.Process = l.newProcess(name, func() *exec.Cmd {
		return exec.Command(program, append([]string{"run", "--node-name", l.Node, "--kubeconfig", kubeconfig,
			"--kubelet-root", l.KubeletRoot(), "--store", a.Store, "--log-level", "debug"}, args...)...)
	})
	a.grace = 5 * time.Second
	a.Start(t)
	t.Cleanup(func() {
		if err := a.Stop(); err != nil {
			t.Errorf("the agent's end: %v\n%s", err, a.tail(20))
		}
	})
	return a
}

// Start runs the agent again after Stop or Kill, with its store.
func (a *Agent) Start(t TB) {
	t.Helper()
	a.lab.run(t, a.Process)
}

// Said counts the lines of the agent's log, of info level and above, that hold a text.
func (a *Agent) Said(text string) int {
	count := 0
	for _, line := range strings.Split(a.Log(), "\n") {
		if strings.Contains(line, text) && !strings.Contains(line, "debug") && !strings.Contains(line, "trace") {
			count++
		}
	}
	return count
}

// Cache reads the store with the agent's own inspection command: devices, drivers, pods, transitions.
func (a *Agent) Cache(t TB, what string, out any) {
	t.Helper()
	cmd := exec.Command(a.program, "cache", what, "--store", a.Store, "-o", "json")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	if err != nil {
		t.Fatalf("cache %s: %v: %s%s", what, err, &complaint, text)
	}
}
