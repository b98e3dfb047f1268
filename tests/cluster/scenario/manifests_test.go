package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// TestManifests installs the agent's manifests on one cluster, and runs the agent with what they give it.
func TestManifests(t *testing.T) {
	program := agentProgram(t)
	l := newLab(t, lab.Options{APIServerGate: true})
	base := lab.Render(t, baseManifests)
	l.Apply(t, base)
	t.Cleanup(func() { l.Remove(t, base) })
	t.Run("permissions", func(t *testing.T) { testPermissions(t, l, program, base) })
}
