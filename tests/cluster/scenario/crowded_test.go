package scenario

import (
	"encoding/json"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"dra-health-agent.test/cluster/lab"
)

// What an expression may cost is limited, and grows with the pod: crowdedPod has more containers and devices than
// pods have in practice.
const (
	crowdContainers = 100
	crowdDevices    = 16
)

// crowdedPod creates a pod of many containers as the agent leaves it. It ends with the test.
func crowdedPod(t *testing.T, l *lab.Lab, node string) *corev1.Pod {
	t.Helper()
	many := func(spec *corev1.PodSpec) {
		spec.NodeName, spec.Containers = node, nil
		for i := range crowdContainers {
			spec.Containers = append(spec.Containers, lab.Container(fmt.Sprintf("main-%d", i), corev1.ResourceClaim{Name: "gpu"}))
		}
	}
	pod := l.NewStatusPod(t, "crowded", func(status *corev1.PodStatus) {
		status.Conditions = []corev1.PodCondition{{Type: lab.ConditionType, Status: corev1.ConditionTrue}}
		status.ContainerStatuses = crowd("Healthy")
	}, many)
	t.Cleanup(func() { l.DeletePod(t, pod.Name) })
	return pod
}

// crowd is the container statuses, with all devices of one health, or without the field.
func crowd(health corev1.ResourceHealthStatus) []corev1.ContainerStatus {
	var statuses []corev1.ContainerStatus
	for i := range crowdContainers {
		status := corev1.ContainerStatus{Name: fmt.Sprintf("main-%d", i)}
		if health != "" {
			ours := entry("claim:gpu", health, "a message of some length, as drivers send them")
			for j := range crowdDevices {
				device := ours.Resources[0]
				device.ResourceID = corev1.ResourceID(fmt.Sprintf("gpu.example.com/pool-of-this-node/gpu-%d", j))
				ours.Resources = append(ours.Resources, device)
			}
			status.AllocatedResourcesStatus = []corev1.ResourceStatus{ours}
		}
		statuses = append(statuses, status)
	}
	return statuses
}

// crowdPatch is a merge patch that writes the container statuses of a crowdedPod.
func crowdPatch(t *testing.T, health corev1.ResourceHealthStatus) string {
	t.Helper()
	patch, err := json.Marshal(map[string]any{"status": map[string]any{"containerStatuses": crowd(health)}})
	if err != nil {
		t.Fatal(err)
	}
	return string(patch)
}
