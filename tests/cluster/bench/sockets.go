package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"time"

	"dra-health-agent.test/cluster/lab"
)

const (
	deadSockets  = 20
	socketRounds = 5
)

// measureSockets starts the agent where many drivers have left their sockets behind and one lives.
func (b *bench) measureSockets() {
	for i := range deadSockets {
		path := filepath.Join(b.lab.Registry(), fmt.Sprintf("dead-%d-reg.sock", i))
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			b.t.Fatalf("%v", err)
		}
		listener.SetUnlinkOnClose(false)
		listener.Close()
		defer os.Remove(path)
	}
	driver := b.lab.StartDriver(b.t, lab.DriverOptions{Name: "live.example.com", V1: true, V1alpha1: true, Beat: time.Second})
	driver.Report(b.t, lab.Device{Pool: "pool", Device: "gpu-0", Health: "Healthy"})
	var samples []float64
	for range socketRounds {
		known := len(driver.Stats(b.t).Streams)
		started := time.Now()
		b.startAgent()
		var opened time.Time
		lab.Wait(b.t, "the live driver to stream", patience, func() (bool, string) {
			streams := driver.Stats(b.t).Streams
			if len(streams) == known || streams[known].Sent == 0 {
				return false, fmt.Sprint(streams)
			}
			opened = streams[known].Opened
			return true, ""
		})
		samples = append(samples, opened.Sub(started).Seconds())
		b.stopAgent()
	}
	row := b.results.row("sockets", fmt.Sprintf("%d dead sockets, 1 live driver: streaming", deadSockets), "s")
	row.samples(agent, samples, "after the start of the agent, %d times", socketRounds)
	row.atMost("agent: worst", slices.Max(samples), 2)
	_ = driver.Stop()
}
