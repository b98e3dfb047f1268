package scenario

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dra-health-agent.test/cluster/lab"
)

// Exit codes of the agent's commands.
const (
	exitOK              = 0
	exitStoreUnreadable = 3
	exitStoreLocked     = 4
	exitUnhealthy       = 5
)

// storePatience: a store that fails is tried again at intervals of up to 30 s.
const storePatience = patience + 30*time.Second

// keeping is an agent whose store is lost in one way or another, and a pod that says what its device does all the
// same.
type keeping struct {
	*story
	agent   *lab.Agent
	address string
}

// newKeeping starts the agent with a store on a disk of its own, which before prepares, if given.
func newKeeping(t *testing.T, l *lab.Lab, program, pod string, before func(*lab.Disk)) (*keeping, *lab.Disk) {
	t.Helper()
	recorder := l.Record(t)
	driver := l.StartDriver(t, lab.DriverOptions{Name: "gpu.example.com", V1: true, V1alpha1: true, Beat: beat})
	disk, k := l.NewDisk(t, "1m"), &keeping{address: l.FreeAddress(t)}
	if before != nil {
		before(disk)
	}
	k.agent = l.StartAgent(t, program, "--listen-address", k.address, "--store", filepath.Join(disk.Path, "health.db"))
	waitStream(t, driver, "v1", 1)
	k.story = newSettled(t, l, recorder, driver, pod, int(longLease.Seconds()))
	return k, disk
}

// tells: a change reaches the pod, with its store or without.
func (k *keeping) tells(health, message, condition string) {
	k.t.Helper()
	k.report(health, message)
	k.recorder.WaitFor(k.t, k.pod, "field", k.line(health, message), patience, field)
	k.waitCondition(condition)
}

// waitReady waits until the agent says that it is ready, or that its store is why it is not.
func (k *keeping) waitReady(code int, store string) {
	k.t.Helper()
	lab.Wait(k.t, fmt.Sprintf("readiness with exit code %d", code), storePatience, func() (bool, string) {
		got, text := k.agent.Ready(k.t, k.address)
		return got == code && strings.Contains(text, store) && strings.Contains(text, "[+]api-server"), fmt.Sprint(got, " ", text)
	})
}

// waitTurns waits until the store has these transitions.
func (k *keeping) waitTurns(want string) {
	k.t.Helper()
	lab.Wait(k.t, "transitions "+want, storePatience, func() (bool, string) {
		now := turns(stored(k.t, k.agent))
		return now == want, now
	})
}

func (k *keeping) said(text string) {
	k.t.Helper()
	lab.Equal(k.t, "times the agent said "+text, k.agent.Said(text), 1)
}

// settledTurns is what a device of newSettled went through.
const settledTurns = "Unknown -> Healthy, Healthy -> Unhealthy"
