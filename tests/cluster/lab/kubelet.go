package lab

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"syscall"
	"text/template"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// kubeletConfig: no cgroups of its own, no evictions, all checks of the host relaxed.
var kubeletConfig = template.Must(template.New("kubelet").Parse(`
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: true}, webhook: {enabled: false}}
authorization: {mode: AlwaysAllow}
cgroupDriver: cgroupfs
cgroupsPerQOS: false
enforceNodeAllocatable: [none]
failCgroupV1: false
failSwapOn: false
localStorageCapacityIsolation: false
evictionHard: {memory.available: "1Mi", nodefs.available: "0%", imagefs.available: "0%", nodefs.inodesFree: "0%"}
containerRuntimeEndpoint: unix://{{.CRI}}
podLogsDir: {{.Dir}}/pod-logs
volumePluginDir: {{.Dir}}/volume-plugins
address: 127.0.0.1
port: {{.Port}}
healthzPort: {{.HealthPort}}
readOnlyPort: 0
maxPods: 200
featureGates: {{.Gates}}
`))

// nodeShell gives the kubelet its own view of the folders whose names are built into it. The mount
// namespace is new and private already.
const nodeShell = `mount --bind "$1" /var/lib/kubelet && mount -t tmpfs tmpfs /var/log && shift && exec "$@"`

// Kubelet is the lab's kubelet.
type Kubelet struct {
	*Process
	Version string // as its node says
	lab     *Lab
	gates   []string // those of health that it knows
	gate    bool
}

// KubeletRoot is the kubelet's root folder.
func (l *Lab) KubeletRoot() string { return l.path("kubelet") }

func (l *Lab) newKubelet(t TB, gate bool) {
	t.Helper()
	if err := os.MkdirAll("/var/lib/kubelet", 0o755); err != nil { // the mount point must exist on the host
		t.Fatalf("%v", err)
	}
	l.Kubelet = &Kubelet{lab: l, gates: healthGates(t, l.program("kubelet"))}
	l.Kubelet.Process = l.newProcess("kubelet", func() *exec.Cmd {
		cmd := l.onNode(l.program("kubelet"),
			"--config", l.path("kubelet.yaml"), "--kubeconfig", l.Kubeconfig(l.KubeletUser()),
			"--hostname-override", l.Node, "--root-dir", l.KubeletRoot(), "--v=2")
		// With a container it removes the files <log path>*, and the CRI fake knows no log paths: that is
		// every file of the folder it runs in.
		cmd.Dir = l.path("nothing")
		return cmd
	})
	l.Kubelet.Start(t, gate)
}

// onNode is a command that sees the lab's kubelet's root folder as /var/lib/kubelet.
func (l *Lab) onNode(command ...string) *exec.Cmd {
	cmd := exec.Command("/bin/sh", append([]string{"-c", nodeShell, "sh", l.KubeletRoot()}, command...)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: syscall.CLONE_NEWNS}
	return cmd
}

// Start runs the kubelet with the gates for health on or off, and waits until its node is Ready.
func (k *Kubelet) Start(t TB, gate bool) {
	t.Helper()
	k.gate = gate
	file, err := os.Create(k.lab.path("kubelet.yaml"))
	if err != nil {
		t.Fatalf("%v", err)
	}
	defer file.Close()
	err = kubeletConfig.Execute(file, map[string]any{
		"CRI": k.lab.CRI.endpoint, "Dir": k.lab.Dir, "Gates": setGates(k.gates, gate),
		"Port": k.lab.ports["kubelet"], "HealthPort": k.lab.ports["kubelet-health"],
	})
	if err != nil {
		t.Fatalf("%v", err)
	}
	started := time.Now().Truncate(time.Second)
	k.lab.run(t, k.Process)
	k.lab.ready(t, k.Process, 60*time.Second, func() error {
		node, err := k.lab.Client.CoreV1().Nodes().Get(context.Background(), k.lab.Node, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range node.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && !c.LastHeartbeatTime.Time.Before(started) {
				k.Version = node.Status.NodeInfo.KubeletVersion
				return nil
			}
		}
		return fmt.Errorf("node not ready")
	})
}

// Restart changes the gates, or only restarts.
func (k *Kubelet) Restart(t TB, gate bool) {
	t.Helper()
	if err := k.Stop(); err != nil {
		t.Logf("%v", err)
	}
	k.Start(t, gate)
}

// SetGate restarts the kubelet if its gates are not as wanted.
func (k *Kubelet) SetGate(t TB, gate bool) {
	t.Helper()
	if k.gate != gate {
		k.Restart(t, gate)
	}
}
