package lab

import (
	"fmt"
	"sort"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// ConditionType is the agent's condition on pods.
const ConditionType = "dra-health-agent/DevicesHealthy"

// Field is what a pod's status says of its claims' devices, one line for each device, sorted:
// "container claim:name/request driver/pool/device Health message".
func Field(pod *corev1.Pod) string {
	var lines []string
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, container := range list {
			for _, entry := range container.AllocatedResourcesStatus {
				if strings.HasPrefix(string(entry.Name), "claim:") {
					lines = append(lines, EntryLines(container.Name, entry)...)
				}
			}
		}
	}
	sort.Strings(lines)
	return strings.Join(lines, "\n")
}

// EntryLines shows one entry of a container, a line for each device.
func EntryLines(container string, entry corev1.ResourceStatus) []string {
	var lines []string
	for _, r := range entry.Resources {
		line := fmt.Sprintf("%s %s %s %s", container, entry.Name, r.ResourceID, r.Health)
		if r.Message != nil {
			line += " " + *r.Message
		}
		lines = append(lines, line)
	}
	return lines
}

// AgentCondition is the agent's condition on a pod, or nil.
func AgentCondition(pod *corev1.Pod) *corev1.PodCondition {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == ConditionType {
			return &pod.Status.Conditions[i]
		}
	}
	return nil
}

// Condition is the status and the reason of the agent's condition, "False DeviceUnhealthy", or empty.
func Condition(pod *corev1.Pod) string {
	if c := AgentCondition(pod); c != nil {
		return string(c.Status) + " " + c.Reason
	}
	return ""
}
