package scenario

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// TestKubeletAlone runs the cluster without the agent: what it relies on is there, the kubelet's own
// reporting works, and every part comes back after a restart.
func TestKubeletAlone(t *testing.T) {
	l := newLab(t, lab.Options{APIServerGate: true, KubeletGate: true})
	if olderKubelet != "" {
		lab.Equal(t, "version of the kubelet", l.Kubelet.Version, olderKubelet)
	}
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: time.Second})
	device := lab.Device{Pool: "pool", Device: "gpu-0", Health: "Healthy", Timeout: 30}
	driver.Report(t, device)
	claim := shownClaim("alone")
	l.NewClaim(t, claim, lab.Allocation{Request: "gpu", Driver: driver.Name, Pool: device.Pool, Device: device.Device})
	l.NewPod(t, "alone", map[string]string{"gpu": claim})
	l.WaitRunning(t, "alone")
	const healthy = "main claim:gpu gpu.example.com/pool/gpu-0 Healthy"
	recorder.WaitFor(t, "alone", "field", healthy, patience, lab.Field)

	// A request counts in the audit log, under the right user.
	mark := l.Audit.Mark()
	device.Health, device.Message = "Unhealthy", "ECC"
	driver.Report(t, device)
	recorder.WaitFor(t, "alone", "field", "main claim:gpu gpu.example.com/pool/gpu-0 "+kubeletSays("Unhealthy", "ECC"), patience, lab.Field)
	patches := l.Audit.Since(t, mark).By(l.KubeletUser()).Verb("patch").On("pods/status")
	lab.Equal(t, "patches of the kubelet", len(patches.For("alone")), 1)

	l.CRI.Exit(t, "alone", "main", 1)
	restarts := func(pod *corev1.Pod) string {
		return fmt.Sprint(pod.Status.ContainerStatuses[0].RestartCount)
	}
	recorder.WaitFor(t, "alone", "restarts", "1", patience, restarts)

	// Each part comes back: the driver, which has forgotten its devices, the API server and the kubelet.
	driver.Kill()
	driver.Start(t)
	l.APIServer.Restart(t, true)
	l.Kubelet.Restart(t, true)
	device.Health, device.Message = "Healthy", ""
	driver.Report(t, device)
	recorder.WaitFor(t, "alone", "field", healthy, 2*patience, lab.Field)
	streams := driver.Stats(t).Streams
	lab.Equal(t, "service of the newest stream", streams[len(streams)-1].Method, "/"+kubeletsVersion()+".DRAResourceHealth/NodeWatchResources")
}
