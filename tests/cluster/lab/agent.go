package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
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

// StartAgent runs the agent on the lab's node, with a new log, and unless args say otherwise with a new store and
// listening nowhere. It ends with the TB, which fails when the agent does not end as it should.
func (l *Lab) StartAgent(t TB, program string, args ...string) *Agent {
	t.Helper()
	return l.StartAgentAs(t, program, l.Kubeconfig(AgentUser), args...)
}

// StartAgentAs does the same with the credentials of a kubeconfig file.
func (l *Lab) StartAgentAs(t TB, program, kubeconfig string, args ...string) *Agent {
	t.Helper()
	l.agents++
	name := fmt.Sprintf("agent-%d", l.agents)
	args, _ = withDefault(args, "--listen-address", "off") // several agents of one machine would share the port
	args, store := withDefault(args, "--store", l.path("run", name, "health.db"))
	a := &Agent{lab: l, program: program, Store: store}
	a.Process = l.newProcess(name, func() *exec.Cmd {
		return exec.Command(program, append([]string{"run", "--node-name", l.Node, "--kubeconfig", kubeconfig,
			"--kubelet-root", l.KubeletRoot(), "--log-level", "debug"}, args...)...)
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

// Cache reads the store with the agent's own inspection command: devices, drivers, pods, transitions, info.
func (a *Agent) Cache(t TB, what string, out any, args ...string) {
	t.Helper()
	text := a.cache(t, append([]string{what, "-o", "json"}, args...)...)
	if err := json.Unmarshal(text, out); err != nil {
		t.Fatalf("cache %s: %v: %s", what, err, text)
	}
}

// Export returns the lines of `cache export`.
func (a *Agent) Export(t TB) []string {
	t.Helper()
	return strings.Split(strings.TrimSpace(string(a.cache(t, "export"))), "\n")
}

func (a *Agent) cache(t TB, args ...string) []byte {
	t.Helper()
	cmd := exec.Command(a.program, append(append([]string{"cache"}, args...), "--store", a.Store)...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	text, err := cmd.Output()
	if err != nil {
		t.Fatalf("cache %s: %v: %s%s", strings.Join(args, " "), err, &complaint, text)
	}
	return text
}

// FreeAddress is one that an agent can listen on.
func (l *Lab) FreeAddress(t TB) string {
	t.Helper()
	name := fmt.Sprintf("listen-%d", len(l.ports))
	if err := l.choosePorts(name); err != nil {
		t.Fatalf("ports: %v", err)
	}
	return fmt.Sprintf("127.0.0.1:%d", l.ports[name])
}

// Ready asks the agent with its own command whether it is ready, and returns the exit code and what it printed.
func (a *Agent) Ready(t TB, address string) (code int, text string) {
	t.Helper()
	return Run(t, a.program, "health", "--ready", "--listen-address", address)
}

// Run runs a program to its end, which it is to find within half a minute, and returns its exit code and all it
// printed.
func Run(t TB, program string, args ...string) (code int, text string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	output, err := exec.CommandContext(ctx, program, args...).CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v", program, err)
	}
	if exit != nil {
		code = exit.ExitCode()
	}
	return code, string(output)
}

// MovedAside lists the stores that the agent has put aside as broken, without what SQLite has beside a file.
func (a *Agent) MovedAside(t TB) []string {
	t.Helper()
	files, err := filepath.Glob(a.Store + ".broken-*")
	if err != nil {
		t.Fatalf("%v", err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		return strings.HasSuffix(file, "-wal") || strings.HasSuffix(file, "-shm")
	})
}

// withDefault returns args with a flag, which is added where it is missing, and the flag's value.
func withDefault(args []string, flag, value string) ([]string, string) {
	if i := slices.Index(args, flag); i >= 0 && i+1 < len(args) {
		return args, args[i+1]
	}
	return append(slices.Clone(args), flag, value), value
}
