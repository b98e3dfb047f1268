package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// TestSurvival lets everything die that can, beside a kubelet with its gate off and with the guard: what pods say
// stays true, and what happened is remembered.
func TestSurvival(t *testing.T) {
	program := agentProgram(t)
	l := newLab(t, lab.Options{APIServerGate: true})
	l.ApplyGuard(t, guardManifests)
	t.Run("agent killed", func(t *testing.T) { testKilled(t, l, program) })
	t.Run("driver restarts", func(t *testing.T) { testDriverRestarts(t, l, program) })
	t.Run("driver rolls", func(t *testing.T) { testDriverRolls(t, l, program) })
	t.Run("driver away", func(t *testing.T) { testDriverAway(t, l, program) })
	t.Run("API server restarts", func(t *testing.T) { testServerRestarts(t, l, program) })
	t.Run("API server away", func(t *testing.T) { testServerAway(t, l, program) })
	t.Run("kubelet away", func(t *testing.T) { testKubeletAway(t, l, program) })
	t.Run("pod fails", func(t *testing.T) { testFailedPod(t, l, program) })
	t.Run("failed pod's device is another's", func(t *testing.T) { testFormerOwner(t, l, program) })
	t.Run("store full", func(t *testing.T) { testStoreFull(t, l, program) })
	t.Run("store read-only", func(t *testing.T) { testStoreReadOnly(t, l, program) })
	t.Run("store deleted", func(t *testing.T) { testStoreDeleted(t, l, program) })
	t.Run("store spoiled", func(t *testing.T) { testStoreSpoiled(t, l, program) })
	t.Run("store locked", func(t *testing.T) { testStoreLocked(t, l, program) })
	t.Run("store held", func(t *testing.T) { testStoreHeld(t, l, program) })
}
