package lab

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"
)

// Contained runs a pod's only container under runc, without a kubelet and without an image store.
type Contained struct {
	*Process
	id    string
	state string // runc's folder
}

// accountFolder is where a pod finds the credentials of its service account.
const accountFolder = "/var/run/secrets/kubernetes.io/serviceaccount"

// NewContained prepares a container of a pod with an image's root folder and a service account's token. Start it with
// Start; it ends with the TB.
func (l *Lab) NewContained(t TB, name, image string, pod *corev1.PodSpec, token string) *Contained {
	t.Helper()
	bundle, account := l.path("run", name), l.path("run", name, "account")
	if err := os.MkdirAll(account, 0o755); err != nil {
		t.Fatalf("%v", err)
	}
	config := l.ociConfig(t, bundle, image, pod)
	// In a network of its own the agent would have its default address for itself.
	if err := l.choosePorts(name); err != nil {
		t.Fatalf("ports: %v", err)
	}
	config.Process.Env = append(config.Process.Env, fmt.Sprintf("DRA_HEALTH_LISTEN_ADDRESS=127.0.0.1:%d", l.ports[name]))
	// Unique on the machine, like the control group that runc makes for it.
	c := &Contained{id: filepath.Base(l.Dir) + "-" + name, state: l.path("run", "runc")}
	config.Linux.CgroupsPath = "/" + c.id
	config.Mounts = append(config.Mounts, specs.Mount{
		Destination: accountFolder, Type: "bind", Source: account, Options: []string{"rbind", "rprivate", "ro"},
	})
	ca, err := os.ReadFile(l.CA())
	if err != nil {
		t.Fatalf("%v", err)
	}
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	for file, content := range map[string][]byte{
		filepath.Join(account, "token"): []byte(token), filepath.Join(account, "ca.crt"): ca,
		filepath.Join(account, "namespace"): []byte(AccountNamespace), filepath.Join(bundle, "config.json"): text,
	} {
		if err := os.WriteFile(file, content, 0o600); err != nil {
			t.Fatalf("%v", err)
		}
	}
	c.Process = l.newProcess(name, func() *exec.Cmd {
		cmd := c.runc("run", "--bundle", bundle, c.id)
		// Killed, runc would leave the container behind.
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGTERM}
		return cmd
	})
	c.grace = time.Duration(*pod.TerminationGracePeriodSeconds) * time.Second
	t.Cleanup(func() {
		_ = c.Stop()
		_ = c.runc("delete", "--force", c.id).Run()
	})
	return c
}

func (c *Contained) runc(args ...string) *exec.Cmd {
	return exec.Command("runc", append([]string{"--root", c.state}, args...)...)
}

// Start runs the container.
func (c *Contained) Start(t TB) {
	t.Helper()
	c.start(t)
}

// Exec runs a command in the container, as a probe does, and returns what it wrote and how it ended.
func (c *Contained) Exec(command ...string) (string, error) {
	out, err := c.runc(append([]string{"exec", c.id}, command...)...).CombinedOutput()
	return string(out), err
}

// Status is the kernel's view of the container's process, of /proc/PID/status.
func (c *Contained) Status(t TB) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(c.proc(t), "status"))
	if err != nil {
		t.Fatalf("container %s: %v", c.id, err)
	}
	status := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if key, value, found := strings.Cut(line, ":"); found {
			status[key] = strings.TrimSpace(value)
		}
	}
	return status
}

// Root is the path under which the container's root folder, with its mounts, can be reached from outside.
func (c *Contained) Root(t TB) string {
	t.Helper()
	return filepath.Join(c.proc(t), "root")
}

func (c *Contained) proc(t TB) string {
	t.Helper()
	out, err := c.runc("state", c.id).Output()
	var state struct{ PID int }
	if err == nil {
		err = json.Unmarshal(out, &state)
	}
	if err != nil {
		t.Fatalf("container %s: %v", c.id, err)
	}
	return filepath.Join("/proc", strconv.Itoa(state.PID))
}
