package lab

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// ApplyGuard applies the guard from the folder of its manifests and waits until it works. It ends with the TB.
func (l *Lab) ApplyGuard(t TB, folder string) {
	t.Helper()
	guard := Render(t, folder).FailLoudly(t)
	l.Apply(t, guard)
	l.WaitGuard(t, true)
	t.Cleanup(func() {
		l.Remove(t, guard)
		l.WaitGuard(t, false)
	})
}

// FailLoudly makes the guard refuse what it cannot evaluate, so that an error in it shows. As it is shipped it
// lets the update pass.
func (m Manifests) FailLoudly(t TB) Manifests {
	t.Helper()
	for _, policy := range m.Kind("MutatingAdmissionPolicy") {
		if err := unstructured.SetNestedField(policy.Object, "Fail", "spec", "failurePolicy"); err != nil {
			t.Fatalf("%s: %v", describe(policy), err)
		}
	}
	return m
}

// WaitGuard waits until the guard works, or until it is gone: it tries on a pod of no node whether the
// kubelet can remove the field.
func (l *Lab) WaitGuard(t TB, held bool) {
	t.Helper()
	pod := l.NewStatusPod(t, "guard-probe", func(status *corev1.PodStatus) {
		status.Conditions = []corev1.PodCondition{{Type: ConditionType, Status: corev1.ConditionTrue}}
	})
	const with = `{"status":{"containerStatuses":[{"name":"main","allocatedResourcesStatus":[{"name":"claim:gpu"}]}]}}`
	const without = `{"status":{"containerStatuses":[{"name":"main"}]}}`
	admin, kubelet := l.Kubeconfig(AdminUser), l.Kubeconfig(l.KubeletUser())
	what := map[bool]string{true: "the guard to hold the field", false: "the guard to be gone"}[held]
	Wait(t, what, 30*time.Second, func() (bool, string) {
		_, err := l.PatchStatus(t, admin, pod.Name, types.MergePatchType, with)
		if err != nil {
			return false, err.Error()
		}
		after, err := l.PatchStatus(t, kubelet, pod.Name, types.MergePatchType, without)
		if err != nil {
			return false, err.Error()
		}
		entries := len(after.Status.ContainerStatuses[0].AllocatedResourcesStatus)
		return (entries > 0) == held, fmt.Sprintf("%d entries", entries)
	})
	l.DeletePod(t, pod.Name)
}
