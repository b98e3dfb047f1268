package scenario

import (
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// TestPolicies checks the admission policies against the API server, without the agent and without waiting for the
// kubelet.
func TestPolicies(t *testing.T) {
	l := newLab(t, lab.Options{APIServerGate: true})
	t.Run("guard", func(t *testing.T) { testGuard(t, l) })
	t.Run("account policy", func(t *testing.T) { testAccountPolicy(t, l) })
}
