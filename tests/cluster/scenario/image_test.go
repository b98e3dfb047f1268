package scenario

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

const imageRoot = "../../../scripts/image-root.sh"

// testImage runs the image in a container as the DaemonSet describes it, with the account's token, beside the kubelet:
// a device's life is in the pod, beside the kubelet's own writes, although the agent has nothing of root but its number.
func testImage(t *testing.T, l *lab.Lab, program string, manifests lab.Manifests) {
	if _, err := exec.LookPath("runc"); err != nil {
		t.Fatal("runc is needed: scripts/install-dependencies.sh test")
	}
	image := t.TempDir() + "/image"
	out, err := exec.Command(imageRoot, program, image).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", imageRoot, err, out)
	}
	t.Logf("%s", out)
	daemons := &appsv1.DaemonSet{}
	manifests.Typed(t, "DaemonSet", daemons)
	pod := &daemons.Spec.Template.Spec
	token := l.PodToken(t, l.Node)

	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, Beat: beat, OnNode: true})
	agent := l.NewContained(t, "container", image, pod, token)
	agent.Start(t)
	waitStream(t, driver, "v1", 1)
	confined(t, agent)
	s := newStory(t, l, recorder, driver, "contained")
	s.createPod()
	probes(t, agent, &pod.Containers[0])
	s.live(func(next step) {
		recorder.WaitFor(t, s.pod, "field", s.line(next.health, next.message), patience, field)
	})
	s.checkConditions()

	// An update that starts the new agent too early does no harm.
	second := l.NewContained(t, "second", image, pod, token)
	second.Start(t)
	lab.Wait(t, "the second agent to end", patience, func() (bool, string) { return second.Ended() != nil, second.Log() })
	if status := second.Ended().Error(); !strings.Contains(status, "exit status 4") || !strings.Contains(second.Log(), "only one agent may write it") {
		t.Errorf("a second agent on one store: %s\n%s", status, second.Log())
	}
	if err := agent.Stop(); err != nil {
		t.Errorf("the agent's end: %v\n%s", err, agent.Log())
	}
}

// probes does what a kubelet does until the container is ready.
func probes(t *testing.T, agent *lab.Contained, container *corev1.Container) {
	t.Helper()
	for _, probe := range []*corev1.Probe{container.LivenessProbe, container.ReadinessProbe} {
		lab.Wait(t, strings.Join(probe.Exec.Command, " ")+" to succeed", patience, func() (bool, string) {
			said, err := agent.Exec(probe.Exec.Command...)
			return err == nil, fmt.Sprint(err, said)
		})
	}
}

// confined: the container's process has what the DaemonSet gives it, which is nothing, and can write only to its own
// folder: not to those of the kubelet, and not to the root.
func confined(t *testing.T, agent *lab.Contained) {
	t.Helper()
	status := agent.Status(t)
	for key, want := range map[string]string{
		"Uid": "0\t0\t0\t0", "CapPrm": none, "CapEff": none, "CapBnd": none, "CapAmb": none, "NoNewPrivs": "1", "Seccomp": "2",
	} {
		lab.Equal(t, key, status[key], want)
	}
	for _, folder := range []string{"/", "/usr/bin", "/var/lib/kubelet/plugins", "/var/lib/kubelet/plugins_registry"} {
		if err := os.WriteFile(agent.Root(t)+folder+"/file", nil, 0o600); !errors.Is(err, syscall.EROFS) {
			t.Errorf("a file in %s: %v", folder, err)
		}
	}
	if _, err := os.Stat(agent.Root(t) + "/var/lib/dra-health-agent/health.db"); err != nil {
		t.Errorf("the store: %v", err)
	}
}

const none = "0000000000000000"
