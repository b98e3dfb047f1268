package scenario

import (
	"fmt"
	"strings"
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// testStoreFull: nothing can be written any more. Pods are told all the same, and what happened is in the store when
// there is room again.
func testStoreFull(t *testing.T, l *lab.Lab, program string) {
	k, disk := newKeeping(t, l, program, "store-full", nil)
	k.waitReady(exitOK, "[+]store ok")
	disk.Fill(t)
	// A store has some room of its own, so several changes may fit.
	want, health := settledTurns, map[bool]string{true: "Healthy", false: "Unhealthy"}
	condition := map[bool]string{true: conditionHealthy, false: conditionUnhealthy}
	recovered := false
	for i := 0; k.agent.Said("kept in memory until it can be written") == 0 || i < 3; i++ {
		if i > 1000 {
			t.Fatal("the disk is full, and the store is written")
		}
		want += fmt.Sprintf(", %s -> %s", health[recovered], health[!recovered])
		recovered = !recovered
		k.tells(health[recovered], strings.Repeat("a long story ", 50), condition[recovered])
	}
	k.waitReady(exitUnhealthy, "[-]store failed")
	recovered = !recovered
	want += fmt.Sprintf(", %s -> %s", health[!recovered], health[recovered])
	k.tells(health[recovered], "without a store", condition[recovered])
	if turns(stored(t, k.agent)) == want {
		t.Error("the store has what happened while it was full: nothing was tested")
	}

	disk.Free(t)
	k.waitReady(exitOK, "[+]store ok")
	k.waitTurns(want)
	k.said("kept in memory until it can be written")
	k.said("the store is written again after")
	checkUnchanged(t, l, k.recorder, k.pod, func() { // what was kept is really there
		k.agent.Kill()
		k.agent.Start(t)
		waitEndpoint(t, k.agent, k.driver.Name, k.driver.Name)
		waitSent(t, k.driver, 2)
	})
	lab.Equal(t, "transitions", turns(stored(t, k.agent)), want)

	disk.Fill(t) // and now it is full when the agent starts
	k.agent.Kill()
	k.agent.Start(t)
	k.tells("Unhealthy", "started without room", conditionUnhealthy)
	k.tells("Healthy", strings.Repeat("a long story ", 70), conditionHealthy)
	disk.Free(t)
	k.waitReady(exitOK, "[+]store ok")
	k.tells("Unhealthy", "room again", conditionUnhealthy)
	lab.Wait(t, "the last transition in the store", storePatience, func() (bool, string) {
		all := stored(t, k.agent)
		last := all[len(all)-1]
		return last.Message == "room again" && last.From == "Healthy", turns(all)
	})
	lab.Equal(t, "stores moved aside", len(k.agent.MovedAside(t)), 0)
}

// testStoreReadOnly: the agent starts on a disk that it cannot write.
func testStoreReadOnly(t *testing.T, l *lab.Lab, program string) {
	k, disk := newKeeping(t, l, program, "store-read-only", func(d *lab.Disk) { d.SetReadOnly(t, true) })
	k.waitReady(exitUnhealthy, "[-]store failed")
	k.tells("Healthy", "", conditionHealthy)
	disk.SetReadOnly(t, false)
	k.waitReady(exitOK, "[+]store ok")
	k.waitTurns(settledTurns + ", Unhealthy -> Healthy")
	k.said("the store is written again after")
}
