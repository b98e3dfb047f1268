// Package scenario runs the agent beside a real kubelet and against a real API server, in every
// combination of their feature gates and with drivers of every kind, and judges by what the API server
// says: by each version of a pod that it has had, and by its audit log.
package scenario

import (
	"os"
	"testing"

	"dra-health-agent.test/cluster/lab"
)

// The folders of the manifests.
const (
	baseManifests  = "../../../manifests/base"
	guardManifests = "../../../manifests/guard"
	withGuard      = "../../../manifests/overlays/guard"
	conditionOnly  = "../../../manifests/overlays/condition-only"
)

// newLab starts a cluster, or skips the test where that cannot be. run.sh, which sets the environment,
// makes a failure of a missing prerequisite where it must.
func newLab(t *testing.T, options lab.Options) *lab.Lab {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("a kubelet needs root")
	}
	options.Bin = os.Getenv("CLUSTER_BIN")
	if options.Bin == "" {
		t.Skip("CLUSTER_BIN is not set to the folder that build.sh prints")
	}
	return lab.New(t, options)
}

// agentProgram is the program under test.
func agentProgram(t *testing.T) string {
	t.Helper()
	program := os.Getenv("AGENT")
	if program == "" {
		t.Skip("AGENT is not set to the path of dra-health-agent")
	}
	return program
}
