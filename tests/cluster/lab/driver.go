package lab

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// DriverOptions of a driver process. Name is needed; two processes may share it when their instances
// differ, as in a rolling update.
type DriverOptions struct {
	Name         string
	Instance     string
	V1, V1alpha1 bool          // the health services offered; none is possible
	CDI          bool          // give devices CDI IDs, which a kubelet then shows as their resourceID
	Beat         time.Duration // interval of heartbeats, 0 for none
	NoRecord     bool
	// OnNode gives the driver a node's view: the kubelet's folder is /var/lib/kubelet, and so are the paths with
	// which it registers.
	OnNode bool
}

// Driver is a DRA driver on the upstream helper library.
type Driver struct {
	*Process
	Name    string
	lab     *Lab
	socket  string
	control control
}

// Device is the health of one device, as a driver reports it. Timeout is its lease in seconds.
type Device struct {
	Pool    string `json:"pool"`
	Device  string `json:"device"`
	Health  string `json:"health"`
	Message string `json:"message,omitempty"`
	Timeout int    `json:"timeout,omitempty"`
}

// Stream is one health stream that a driver served.
type Stream struct {
	Method string     `json:"method"`
	Opened time.Time  `json:"opened"`
	Ended  *time.Time `json:"ended"`
	Sent   int        `json:"sent"` // reports
	Last   time.Time  `json:"last"` // the moment of the last of them
}

// DriverStats is a driver's own account.
type DriverStats struct {
	Streams []Stream       `json:"streams"`
	Calls   map[string]int `json:"calls"` // unary calls by full method name
}

// registered is what a kubelet calls, and nobody else may, when it has taken a driver on.
const registered = "/pluginregistration.Registration/NotifyRegistrationStatus"

// StartDriver starts a driver and waits until its sockets serve. It ends with the TB.
func (l *Lab) StartDriver(t TB, options DriverOptions) *Driver {
	t.Helper()
	name := strings.TrimSuffix("driver-"+options.Name+"-"+options.Instance, "-")
	socket := l.path("run", name+".sock")
	d := &Driver{Name: options.Name, lab: l, socket: socket, control: newControl(socket)}
	d.Process = l.newProcess(name, func() *exec.Cmd {
		registry, plugins := l.Registry(), filepath.Join(l.KubeletRoot(), "plugins")
		if options.OnNode {
			registry, plugins = "/var/lib/kubelet/plugins_registry", "/var/lib/kubelet/plugins"
		}
		args := []string{"--name", options.Name, "--node", l.Node, "--kubeconfig", l.Kubeconfig(DriverUser),
			"--registry", registry, "--data", filepath.Join(plugins, options.Name),
			"--control", socket, "--instance", options.Instance, "--beat", options.Beat.String(),
			fmt.Sprintf("--cdi=%t", options.CDI), fmt.Sprintf("--v1=%t", options.V1), fmt.Sprintf("--v1alpha1=%t", options.V1alpha1)}
		if !options.NoRecord {
			args = append(args, "--record", l.path("record", name+".jsonl"))
		}
		if options.OnNode {
			return l.onNode(append([]string{l.program("driver")}, args...)...)
		}
		return exec.Command(l.program("driver"), args...)
	})
	d.Start(t)
	t.Cleanup(func() { _ = d.Stop() })
	return d
}

// Registry is the folder of the registration sockets.
func (l *Lab) Registry() string { return filepath.Join(l.KubeletRoot(), "plugins_registry") }

// Start runs the driver again after Stop or Kill. It has forgotten its devices. Where a kubelet runs, it is
// waited for: a pod that needs a driver which is not registered fails, and is tried again only a minute later.
func (d *Driver) Start(t TB) {
	t.Helper()
	if err := os.Remove(d.socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("%v", err)
	}
	d.lab.run(t, d.Process)
	d.lab.ready(t, d.Process, 10*time.Second, func() error {
		var stats DriverStats
		err := d.control.request(http.MethodGet, "/stats", nil, &stats)
		if err == nil && d.lab.Kubelet.PID() != 0 && stats.Calls[registered] == 0 {
			err = errors.New("not registered with the kubelet")
		}
		return err
	})
}

// Report sends the devices in one report, and returns when that was.
func (d *Driver) Report(t TB, devices ...Device) time.Time {
	t.Helper()
	return d.post(t, "/health", devices)
}

// Silence stops all reports, heartbeats included; the streams stay open.
func (d *Driver) Silence(t TB) time.Time {
	t.Helper()
	return d.post(t, "/silent?on=true", nil)
}

// Resume ends the silence with one report of all devices, and returns when that was.
func (d *Driver) Resume(t TB) time.Time {
	t.Helper()
	return d.post(t, "/silent?on=false", nil)
}

// Flood sends all devices count times on every stream, as fast as they are read; see Stats for progress.
func (d *Driver) Flood(t TB, count int) {
	t.Helper()
	d.post(t, fmt.Sprintf("/flood?count=%d", count), nil)
}

// Stats returns the driver's account of its streams and calls.
func (d *Driver) Stats(t TB) DriverStats {
	t.Helper()
	var stats DriverStats
	if err := d.control.request(http.MethodGet, "/stats", nil, &stats); err != nil {
		t.Fatalf("driver %s: %v", d.Name, err)
	}
	return stats
}

func (d *Driver) post(t TB, path string, body any) time.Time {
	t.Helper()
	var answer struct {
		At int64 `json:"at"`
	}
	if err := d.control.request(http.MethodPost, path, body, &answer); err != nil {
		t.Fatalf("driver %s: %v", d.Name, err)
	}
	return time.Unix(0, answer.At)
}
