package scenario

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// testStoreHeld: a second agent does not touch the store of the first, and says who has it.
func testStoreHeld(t *testing.T, l *lab.Lab, program string) {
	k, _ := newKeeping(t, l, program, "store-held", nil)
	code, said := lab.Run(t, program, "run", "--node-name", l.Node, "--kubeconfig", l.Kubeconfig(lab.AgentUser),
		"--kubelet-root", l.KubeletRoot(), "--listen-address", "off", "--store", k.agent.Store)
	if holder := fmt.Sprintf("in use by process %d ", k.agent.PID()); code != exitStoreLocked || !strings.Contains(said, holder) {
		t.Errorf("a second agent ended with %d, saying %s", code, said)
	}
	k.tells("Healthy", "", conditionHealthy)
	k.waitTurns(settledTurns + ", Unhealthy -> Healthy")
}

// testStoreLocked: another process has SQLite's lock for writing and keeps it.
func testStoreLocked(t *testing.T, l *lab.Lab, program string) {
	k, _ := newKeeping(t, l, program, "store-locked", nil)
	file, err := os.OpenFile(k.agent.Store+"-shm", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	// WAL_WRITE_LOCK in SQLite's "WAL-mode File Format".
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: io.SeekStart, Start: 120, Len: 1}
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLKW, &lock); err != nil {
		t.Fatal(err)
	}
	k.tells("Healthy", "", conditionHealthy)
	k.waitReady(exitUnhealthy, "[-]store failed")
	lab.Equal(t, "transitions while locked", turns(stored(t, k.agent)), settledTurns)

	lock.Type = syscall.F_UNLCK
	if err := syscall.FcntlFlock(file.Fd(), syscall.F_SETLK, &lock); err != nil {
		t.Fatal(err)
	}
	k.waitReady(exitOK, "[+]store ok")
	k.waitTurns(settledTurns + ", Unhealthy -> Healthy")
	k.said("kept in memory until it can be written")
	k.said("the store is written again after")
}
