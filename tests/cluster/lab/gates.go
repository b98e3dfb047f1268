package lab

import (
	"fmt"
	"os/exec"
	"strings"
)

// The feature gates of health.
const (
	GateHealth  = "ResourceHealthStatus"
	GateMessage = "ResourceHealthStatusMessage"
)

// healthGates are those of health that a kubelet knows: one that it does not know would keep it from starting.
func healthGates(t TB, kubelet string) []string {
	t.Helper()
	help, err := exec.Command(kubelet, "--help").Output()
	if err != nil {
		t.Fatalf("%s --help: %v", kubelet, err)
	}
	var known []string
	for _, gate := range []string{GateHealth, GateMessage} {
		if strings.Contains(string(help), gate+"=true|false") {
			known = append(known, gate)
		}
	}
	if len(known) == 0 {
		t.Fatalf("%s knows no gate of health", kubelet)
	}
	return known
}

// setGates is the value of a kubelet's featureGates with all these gates on or off.
func setGates(gates []string, on bool) string {
	var set []string
	for _, gate := range gates {
		set = append(set, fmt.Sprintf("%s: %t", gate, on))
	}
	return "{" + strings.Join(set, ", ") + "}"
}
