package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// TestAgent goes through the combinations on one cluster, restarting what differs: the kubelet for its
// gates, the API server for its own, drivers and agent always.
func TestAgent(t *testing.T) {
	program := agentProgram(t)
	l := newLab(t, lab.Options{APIServerGate: true})
	t.Run("kubelet gate off, with guard", func(t *testing.T) { testHeld(t, l, program) })
	t.Run("kubelet gate off, without guard", func(t *testing.T) { testReverted(t, l, program, false) })
	t.Run("kubelet gate on, without guard, always", func(t *testing.T) { testReverted(t, l, program, true) })
	t.Run("kubelet gate on, without guard", func(t *testing.T) { testDeferred(t, l, program) })
	t.Run("kubelet gate on, with guard", func(t *testing.T) { testTakenOver(t, l, program) })
	t.Run("agent gone for good", func(t *testing.T) { testReleased(t, l, program) })
	t.Run("API server gate off", func(t *testing.T) { testDropped(t, l, program) })
}
