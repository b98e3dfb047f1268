package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"
)

// GuardPolicy reads the policy from the folder of the guard's manifests.
func GuardPolicy(t TB, folder string) *admissionv1.MutatingAdmissionPolicy {
	t.Helper()
	policy := &admissionv1.MutatingAdmissionPolicy{}
	readManifest(t, filepath.Join(folder, "policy.yaml"), policy)
	return policy
}

// ApplyGuard applies the guard from the folder of its manifests and waits until it works. Unlike as
// shipped it fails what it cannot evaluate, so that an error in it shows. It ends with the TB.
func (l *Lab) ApplyGuard(t TB, folder string) {
	t.Helper()
	policy, binding := GuardPolicy(t, folder), &admissionv1.MutatingAdmissionPolicyBinding{}
	fail := admissionv1.Fail
	policy.Spec.FailurePolicy = &fail
	readManifest(t, filepath.Join(folder, "binding.yaml"), binding)
	ctx, api := context.Background(), l.Client.AdmissionregistrationV1()
	if _, err := api.MutatingAdmissionPolicies().Create(ctx, policy, metav1.CreateOptions{}); err != nil {
		t.Fatalf("guard: %v", err)
	}
	if _, err := api.MutatingAdmissionPolicyBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
		t.Fatalf("guard: %v", err)
	}
	l.waitGuard(t, true)
	t.Cleanup(func() {
		if err := api.MutatingAdmissionPolicyBindings().Delete(ctx, binding.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("guard: %v", err)
		}
		if err := api.MutatingAdmissionPolicies().Delete(ctx, policy.Name, metav1.DeleteOptions{}); err != nil {
			t.Errorf("guard: %v", err)
		}
		l.waitGuard(t, false)
	})
}

func readManifest(t TB, path string, out any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err == nil {
		err = yaml.UnmarshalStrict(text, out)
	}
	if err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// waitGuard tries on a pod of no node whether the kubelet can remove the field.
func (l *Lab) waitGuard(t TB, held bool) {
	t.Helper()
	pod := l.NewStatusPod(t, "guard-probe", func(status *corev1.PodStatus) {
		status.Conditions = []corev1.PodCondition{{Type: ConditionType, Status: corev1.ConditionTrue}}
	})
	const with = `{"status":{"containerStatuses":[{"name":"main","allocatedResourcesStatus":[{"name":"claim:gpu"}]}]}}`
	const without = `{"status":{"containerStatuses":[{"name":"main"}]}}`
	what := map[bool]string{true: "the guard to hold the field", false: "the guard to be gone"}[held]
	Wait(t, what, 30*time.Second, func() (bool, string) {
		_, err := l.PatchStatus(t, AdminUser, pod.Name, with)
		if err != nil {
			return false, err.Error()
		}
		after, err := l.PatchStatus(t, l.KubeletUser(), pod.Name, without)
		if err != nil {
			return false, err.Error()
		}
		entries := len(after.Status.ContainerStatuses[0].AllocatedResourcesStatus)
		return (entries > 0) == held, fmt.Sprintf("%d entries", entries)
	})
	l.DeletePod(t, pod.Name)
}

// NewStatusPod creates a pod of no node, so that no kubelet touches it, and gives it a status. Its
// container main uses the claim gpu. Delete it with DeletePod.
func (l *Lab) NewStatusPod(t TB, name string, set func(*corev1.PodStatus), edit ...func(*corev1.PodSpec)) *corev1.Pod {
	t.Helper()
	ctx, pods := context.Background(), l.Client.CoreV1().Pods(Namespace)
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: podSpec(map[string]string{"gpu": "none"})}
	for _, e := range edit {
		e(&pod.Spec)
	}
	pod, err := pods.Create(ctx, pod, metav1.CreateOptions{})
	if err == nil {
		set(&pod.Status)
		pod, err = pods.UpdateStatus(ctx, pod, metav1.UpdateOptions{})
	}
	if err != nil {
		t.Fatalf("pod %s: %v", name, err)
	}
	return pod
}

// PatchStatus patches a pod's status as one of the lab's users would, the way a kubelet does.
func (l *Lab) PatchStatus(t TB, user, pod, patch string) (*corev1.Pod, error) {
	t.Helper()
	config, err := clientcmd.BuildConfigFromFlags("", l.Kubeconfig(user))
	if err != nil {
		t.Fatalf("%v", err)
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return client.CoreV1().Pods(Namespace).Patch(context.Background(), pod, types.MergePatchType, []byte(patch), metav1.PatchOptions{}, "status")
}
