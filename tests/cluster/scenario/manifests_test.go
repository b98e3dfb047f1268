package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// TestManifests installs the agent's manifests on one cluster, and runs the agent with what they give it.
func TestManifests(t *testing.T) {
	program := agentProgram(t)
	l := newLab(t, lab.Options{APIServerGate: true})
	t.Run("install", func(t *testing.T) { testInstall(t, l) })
	manifests := lab.Render(t, withGuard).FailLoudly(t)
	l.Apply(t, manifests)
	t.Cleanup(func() { l.Remove(t, manifests) })
	l.WaitGuard(t, true)
	t.Run("image", func(t *testing.T) { testImage(t, l, program, manifests) })
	t.Run("condition only", func(t *testing.T) { testConditionOnly(t, l, program) })
	t.Run("permissions", func(t *testing.T) { testPermissions(t, l, program, manifests) })
}
