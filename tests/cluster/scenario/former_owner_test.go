package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// testFormerOwner: a pod with two devices fails, and while no agent is there its claim is released, another pod gets
// the first device, and both devices break. The failed pod says what it had: the late report of the second device
// is its own, that of the first is the new owner's.
func testFormerOwner(t *testing.T, l *lab.Lab, program string) {
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	report := func(health, message string) {
		for _, device := range []string{"gpu-0", "gpu-1"} {
			driver.Report(t, lab.Device{Pool: "pool", Device: device, Health: health, Message: message, Timeout: lease})
		}
	}
	line := func(device, health string) string {
		return "main claim:gpu " + driver.Name + "/pool/" + device + " " + health
	}
	agent := l.StartAgent(t, program)
	report("Healthy", "")
	l.NewClaim(t, "former", lab.Allocation{Request: "gpu", Driver: driver.Name, Pool: "pool", Device: "gpu-0"},
		lab.Allocation{Request: "gpu", Driver: driver.Name, Pool: "pool", Device: "gpu-1"})
	l.NewPod(t, "former", map[string]string{"gpu": "former"}, neverRestart)
	l.WaitRunning(t, "former")
	recorder.WaitFor(t, "former", "condition", conditionHealthy, patience, lab.Condition)

	l.CRI.Exit(t, "former", "main", 1)
	recorder.WaitFor(t, "former", "phase", "Failed", patience, phase)
	lab.Wait(t, "the pod's end in the store", patience, func() (bool, string) {
		var pods []storedPod
		agent.Cache(t, "pods", &pods)
		return len(pods) == 1 && pods[0].Ended != nil, fmt.Sprintf("%+v", pods)
	})
	agent.Kill()
	l.ReleaseClaim(t, "former")
	l.NewClaim(t, "next", lab.Allocation{Request: "gpu", Driver: driver.Name, Pool: "pool", Device: "gpu-0"})
	l.NewPod(t, "next", map[string]string{"gpu": "next"})
	l.WaitRunning(t, "next")
	report("Unhealthy", "late")
	agent.Start(t)

	want := line("gpu-0", "Healthy") + "\n" + line("gpu-1", "Unhealthy late")
	recorder.WaitFor(t, "next", "field", line("gpu-0", "Unhealthy late"), patience, field)
	recorder.WaitFor(t, "former", "field", want, patience, field)
	lab.Hold(t, "the former owner's last word", ticks, time.Second, func() error {
		if pod := l.GetPod(t, "former"); lab.Condition(pod) != conditionUnhealthy || field(pod) != want {
			return fmt.Errorf("it says %s", says(pod))
		}
		return nil
	})
	for _, said := range recorder.History("former", field) {
		if strings.Contains(said, line("gpu-0", "Unhealthy")) {
			t.Errorf("it once said what was the new owner's:\n%s", said)
		}
	}
}
