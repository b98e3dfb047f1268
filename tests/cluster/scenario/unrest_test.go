package scenario

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// unrest is drivers whose devices change all the time, and pods that use a device of each.
type unrest struct {
	t       *testing.T
	chance  *rand.Rand
	drivers []*lab.Driver
	devices [][]lab.Device // of each driver, as they are
	pods    []string
	last    int // number of the last event
}

const unrestPods = 3

func newUnrest(t *testing.T, l *lab.Lab, name string, seed uint64) *unrest {
	w := &unrest{t: t, chance: rand.New(rand.NewPCG(seed, 0))}
	for i, kind := range []string{"gpu", "nic"} {
		driver := l.StartDriver(t, lab.DriverOptions{Name: kind + "." + name + ".example.com", V1: i == 0, V1alpha1: true, Beat: beat})
		w.drivers, w.devices = append(w.drivers, driver), append(w.devices, make([]lab.Device, unrestPods))
		for j := range w.devices[i] {
			w.devices[i][j] = lab.Device{Pool: "pool", Device: fmt.Sprintf("dev-%d", j), Timeout: int(longLease.Seconds())}
			w.turn(i, j)
		}
	}
	for i := range unrestPods {
		pod, device := fmt.Sprintf("%s-%d", name, i), fmt.Sprintf("dev-%d", i)
		l.NewClaim(t, pod,
			lab.Allocation{Request: "gpu", Driver: w.drivers[0].Name, Pool: "pool", Device: device},
			lab.Allocation{Request: "nic", Driver: w.drivers[1].Name, Pool: "pool", Device: device})
		l.NewPod(t, pod, map[string]string{"devices": pod})
		l.WaitRunning(t, pod)
		w.pods = append(w.pods, pod)
	}
	return w
}

// turn reports a device as the opposite of what it was.
func (w *unrest) turn(driver, device int) {
	w.t.Helper()
	w.last++
	d := &w.devices[driver][device]
	d.Message = numbered(w.last)
	if d.Health == "Healthy" {
		d.Health = "Unhealthy"
	} else {
		d.Health = "Healthy"
	}
	w.drivers[driver].Report(w.t, *d)
}

func (w *unrest) turnAll() {
	w.t.Helper()
	for i := range w.devices {
		for j := range w.devices[i] {
			w.turn(i, j)
		}
	}
}

func (w *unrest) change() {
	w.t.Helper()
	w.turn(w.chance.IntN(len(w.drivers)), w.chance.IntN(unrestPods))
}

// stir changes devices at random moments for a while. These pauses are what is tested, not waiting.
func (w *unrest) stir(duration time.Duration) {
	w.t.Helper()
	for end := time.Now().Add(duration); ; w.change() {
		pause := time.Duration(w.chance.Int64N(int64(100 * time.Millisecond)))
		if left := time.Until(end); pause > left {
			time.Sleep(left)
			return
		}
		time.Sleep(pause)
	}
}

// waitAgreement waits until each pod says of its devices what their drivers do, with the last message.
func (w *unrest) waitAgreement(recorder *lab.Recorder) {
	w.t.Helper()
	for i, pod := range w.pods {
		want := ""
		for _, devices := range w.devices {
			want += fmt.Sprintf("%s #%d ", devices[i].Health, numberIn(devices[i].Message))
		}
		recorder.WaitFor(w.t, pod, "devices", want, patience, func(pod *corev1.Pod) string {
			said := ""
			for _, w := range publicationOf(lab.Version{Pod: pod}).words {
				said += fmt.Sprintf("%s #%d ", w.health, w.number)
			}
			return said
		})
	}
}

// checkStore: the store was never found broken, says of the devices what their drivers do, and exports what it shows.
func (w *unrest) checkStore(agent *lab.Agent, transitions []transition) {
	w.t.Helper()
	var devices []struct{ Driver, Device, Health, Message string }
	agent.Cache(w.t, "devices", &devices)
	got, want := map[string]string{}, map[string]string{}
	for _, d := range devices {
		got[d.Driver+" "+d.Device] = d.Health + " " + d.Message
	}
	for i, driver := range w.drivers {
		for _, d := range w.devices[i] {
			want[driver.Name+" "+d.Device] = d.Health + " " + d.Message
		}
	}
	lab.Equal(w.t, "devices in the store", got, want)
	lab.Equal(w.t, "transitions in the export", exported(w.t, agent), transitions)
	lab.Equal(w.t, "stores moved aside", agent.MovedAside(w.t), []string{})
}
