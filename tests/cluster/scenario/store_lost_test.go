package scenario

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// testStoreDeleted: the file vanishes while the agent runs. A new one gets the present state, and what happens next.
func testStoreDeleted(t *testing.T, l *lab.Lab, program string) {
	k, _ := newKeeping(t, l, program, "store-deleted", nil)
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := os.Remove(k.agent.Store + suffix); err != nil {
			t.Fatal(err)
		}
	}
	k.tells("Healthy", "", conditionHealthy)
	k.waitReady(exitOK, "[+]store ok")
	k.waitTurns("Unhealthy -> Healthy")
	k.said("was deleted or replaced")
	k.said("the store is written again after")
	var devices []struct{ Device, Health string }
	k.agent.Cache(t, "devices", &devices)
	lab.Equal(t, "devices in the new store", devices, "[{gpu-0 Healthy}]")
	var pods []storedPod
	k.agent.Cache(t, "pods", &pods)
	if len(pods) != 1 || pods[0].Name != k.pod || len(pods[0].Allocations) != 1 {
		t.Errorf("pods in the new store: %+v", pods)
	}
}

// testStoreSpoiled: the agent finds noise, or half of its file, where its store was. It puts that aside, starts anew,
// and pods say what they said.
func testStoreSpoiled(t *testing.T, l *lab.Lab, program string) {
	k, _ := newKeeping(t, l, program, "store-spoiled", nil)
	for i, spoil := range []func([]byte) []byte{
		func(text []byte) []byte { _, _ = rand.Read(text); return text },
		func(text []byte) []byte { return text[:len(text)/2+100] },
	} {
		k.recorder.Forget()
		if err := k.agent.Stop(); err != nil {
			t.Fatal(err)
		}
		spoilFile(t, k.agent.Store, spoil)
		if code, said := lab.Run(t, program, "cache", "info", "--store", k.agent.Store); code != exitStoreUnreadable {
			t.Errorf("cache info of a spoiled store ended with %d, saying %s", code, said)
		}
		k.agent.Start(t)
		k.waitReady(exitOK, "[+]store ok")
		waitEndpoint(t, k.agent, k.driver.Name, k.driver.Name)
		waitSent(t, k.driver, 2)
		k.waitTurns("Unknown -> Unhealthy")
		// Since when it has been so is forgotten.
		fields := strings.Join(k.recorder.History(k.pod, field), then)
		lab.Equal(t, "all fields of the pod", fields, k.line("Unhealthy", "ECC error"))
		lab.Equal(t, "all conditions of the pod", strings.Join(k.recorder.History(k.pod, lab.Condition), then), conditionUnhealthy)
		lab.Equal(t, "times the agent said that the store was broken", k.agent.Said("the store was broken"), i+1)
		lab.Equal(t, "stores moved aside", len(k.agent.MovedAside(t)), i+1)
	}
	k.tells("Healthy", "", conditionHealthy)
	k.waitTurns("Unknown -> Unhealthy, Unhealthy -> Healthy")
}

func spoilFile(t *testing.T, path string, spoil func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, spoil(text), 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
}
